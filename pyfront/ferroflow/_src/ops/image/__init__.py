"""Images: resizing, cropping, colours, boxes, comparing, and the formats they are stored in."""
