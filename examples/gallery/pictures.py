"""Pictures of what a program learned, as PNG files; none without matplotlib, or where nothing can be written."""

import os


def _figure(width, height):
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print("No picture: matplotlib is not installed.")
        return None
    return Figure(figsize=(width, height), layout="constrained")


def _save(figure, path):
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        figure.savefig(path)
    except OSError as error:
        print(f"No picture: {error}. --out=FOLDER chooses another folder.")
    else:
        print(f"Picture: {path}")


def draw_curves(path, curves, x_label, y_label, scale="linear"):
    """Draws curves.

    Args:
        path: str, the file.
        curves: dict of the values by name: lists of float, over 0, 1 and so on, or dicts of float by place.
        x_label: str.
        y_label: str.
        scale: "linear" or "log", of the values.
    """
    figure = _figure(8, 5)
    if figure is None:
        return
    axes = figure.subplots()
    for name, values in curves.items():
        places = list(values) if isinstance(values, dict) else range(len(values))
        heights = list(values.values()) if isinstance(values, dict) else values
        axes.plot(places, heights, label=name, linewidth=0.8)
    axes.set(xlabel=x_label, ylabel=y_label, yscale=scale)
    axes.legend()
    _save(figure, path)


def draw_points(path, points, labels):
    """Draws points of the plane with their labels.

    Args:
        path: str, the file.
        points: float [count, 2].
        labels: list of str.
    """
    figure = _figure(9, 9)
    if figure is None:
        return
    axes = figure.subplots()
    axes.scatter(points[:, 0], points[:, 1], s=4)
    for point, label in zip(points, labels, strict=True):
        axes.annotate(label, point, fontsize=7)
    _save(figure, path)


def draw_images(path, images, columns, titles=None, inches=1.0):
    """Draws gray images in a grid, row by row.

    Args:
        path: str, the file.
        images: float [count, height, width] from 0 to 1, of which 1 is black.
        columns: int, images of a row.
        titles: list of str, one for each image; None for none.
        inches: float, the width of an image.
    """
    rows = max(1, -(-len(images) // columns))
    figure = _figure(columns * inches, rows * (inches + (0.3 if titles else 0)))
    if figure is None:
        return
    for axes in figure.subplots(rows, columns, squeeze=False).flat:
        axes.axis("off")
    for i, (axes, image) in enumerate(zip(figure.axes, images, strict=False)):
        axes.imshow(image, cmap="gray_r", vmin=0, vmax=1)
        if titles:
            axes.set_title(titles[i], fontsize=8)
    _save(figure, path)
