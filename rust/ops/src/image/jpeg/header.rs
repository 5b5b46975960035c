//! The segments of a JPEG file: tables, frame and scan headers, markers.

use super::entropy::Huffman;
use std::sync::Arc;

/// The place in an 8x8 block of the k-th coefficient in zigzag order; places beyond the block are its last.
pub(super) const ZIGZAG: [u8; 80] = [
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21,
    28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54,
    47, 55, 62, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,
];

pub(super) struct Component {
    pub id: u8,
    /// Sampling factors, across and down.
    pub sampling: [usize; 2],
    pub table: usize,
    /// Blocks across and down that hold pixels of the image.
    pub blocks: [usize; 2],
    /// Blocks across and down with those that fill up the last interleaved units.
    pub padded: [usize; 2],
}

/// Which colours the components are.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Space {
    Gray,
    Rgb,
    YCbCr,
    Cmyk,
    Ycck,
    Unknown,
}

pub(super) struct Frame {
    pub height: usize,
    pub width: usize,
    pub progressive: bool,
    pub components: Vec<Component>,
    /// The largest sampling factors.
    pub most: [usize; 2],
    /// Interleaved units across and down.
    pub units: [usize; 2],
    pub space: Space,
    pub adobe: bool,
}

/// One component's part in a scan: its place in the frame and its Huffman tables.
pub(super) struct ScanComponent {
    pub at: usize,
    pub dc: usize,
    pub ac: usize,
}

pub(super) struct Scan {
    pub components: Vec<ScanComponent>,
    /// First and last coefficient.
    pub band: [usize; 2],
    /// Bits of precision that come later, before this scan and after.
    pub approximation: [u32; 2],
}

pub(super) enum Segment {
    Frame(Frame),
    Scan(Scan),
    End,
    Other,
    /// A segment that is not what it should be.
    Fault,
}

pub(super) struct Reader<'a> {
    pub data: &'a [u8],
    pub at: usize,
    pub quantization: [Option<Arc<[u16; 64]>>; 4],
    pub dc: [Option<Arc<Huffman>>; 4],
    pub ac: [Option<Arc<Huffman>>; 4],
    pub restart_interval: usize,
    jfif: bool,
    adobe: Option<u8>,
    ids: Vec<u8>,
}

impl<'a> Reader<'a> {
    /// Returns a reader of a file that begins as JPEG files do.
    pub(super) fn new(data: &'a [u8]) -> Option<Reader<'a>> {
        data.starts_with(&[0xff, 0xd8]).then(|| Reader {
            data,
            at: 2,
            quantization: [const { None }; 4],
            dc: [const { None }; 4],
            ac: [const { None }; 4],
            restart_interval: 0,
            jfif: false,
            adobe: None,
            ids: Vec::new(),
        })
    }

    /// Returns the next marker; bytes before it are skipped.
    fn marker(&mut self) -> Option<u8> {
        loop {
            while *self.data.get(self.at)? != 0xff {
                self.at += 1;
            }
            while *self.data.get(self.at)? == 0xff {
                self.at += 1;
            }
            let marker = self.data[self.at];
            self.at += 1;
            if marker != 0 {
                return Some(marker);
            }
        }
    }

    /// Returns the next segment, read; `None` where the data ends.
    pub(super) fn segment(&mut self) -> Option<Segment> {
        let marker = self.marker()?;
        if marker == 0xd9 {
            return Some(Segment::End);
        }
        if matches!(marker, 0x01 | 0xd0..=0xd7) {
            return Some(Segment::Other);
        }
        if matches!(marker, 0x02..=0xbf | 0xde | 0xdf | 0xf0..=0xfd) {
            return Some(Segment::Fault);
        }
        let length = usize::from(u16::from_be_bytes([*self.data.get(self.at)?, *self.data.get(self.at + 1)?]));
        let body = self.data.get(self.at + 2..self.at.checked_add(length)?)?;
        self.at += length;
        Some(self.read(marker, body).unwrap_or(Segment::Fault))
    }

    /// Reads a segment; `None` if libjpeg would end with an error.
    fn read(&mut self, marker: u8, body: &[u8]) -> Option<Segment> {
        match marker {
            0xc0..=0xc2 => return self.frame(marker == 0xc2, body).map(Segment::Frame),
            0xc4 => self.huffman_tables(body)?,
            0xda => return self.scan(body).map(Segment::Scan),
            0xdb => self.quantization_tables(body)?,
            0xdd => self.restart_interval = usize::from(u16::from_be_bytes([*body.first()?, *body.get(1)?])),
            0xe0 => self.jfif |= body.starts_with(b"JFIF\0"),
            0xee if body.starts_with(b"Adobe") && body.len() >= 12 => self.adobe = Some(body[11]),
            0xcc | 0xdc | 0xe0..=0xef | 0xfe => {}
            // Lossless, differential and arithmetic coding, and undefined markers.
            _ => return None,
        }
        Some(Segment::Other)
    }

    fn quantization_tables(&mut self, mut body: &[u8]) -> Option<()> {
        while let Some((&first, rest)) = body.split_first() {
            let wide = first >> 4 != 0;
            let size = if wide { 128 } else { 64 };
            let (values, after) = rest.split_at_checked(size)?;
            let mut table = [0u16; 64];
            for k in 0..64 {
                let value =
                    if wide { u16::from_be_bytes([values[2 * k], values[2 * k + 1]]) } else { u16::from(values[k]) };
                table[usize::from(ZIGZAG[k])] = value;
            }
            *self.quantization.get_mut(usize::from(first & 15))? = Some(Arc::new(table));
            body = after;
        }
        Some(())
    }

    fn huffman_tables(&mut self, mut body: &[u8]) -> Option<()> {
        while body.len() > 16 {
            let (head, rest) = body.split_at(17);
            let count = head[1..].iter().map(|&n| usize::from(n)).sum::<usize>();
            let (symbols, after) = rest.split_at_checked(count)?;
            let lengths = head[1..].try_into().ok()?;
            let tables = if head[0] & 16 == 0 { &mut self.dc } else { &mut self.ac };
            *tables.get_mut(usize::from(head[0] & 15))? = Some(Arc::new(Huffman::new(lengths, symbols)?));
            body = after;
        }
        body.is_empty().then_some(())
    }

    fn frame(&mut self, progressive: bool, body: &[u8]) -> Option<Frame> {
        let &[precision, h0, h1, w0, w1, count, ref rest @ ..] = body else { return None };
        let (height, width) = (usize::from(u16::from_be_bytes([h0, h1])), usize::from(u16::from_be_bytes([w0, w1])));
        let count = usize::from(count);
        if precision != 8 || height == 0 || width == 0 || !(1..=4).contains(&count) || rest.len() != 3 * count {
            return None;
        }
        let mut parts = Vec::new();
        for part in rest.chunks_exact(3) {
            let sampling = [usize::from(part[1] >> 4), usize::from(part[1] & 15)];
            let table = usize::from(part[2]);
            if !sampling.iter().all(|s| (1..=4).contains(s)) || table > 3 {
                return None;
            }
            parts.push((part[0], sampling, table));
        }
        let most = [0, 1].map(|i| parts.iter().map(|p| p.1[i]).max().unwrap_or(1));
        let units = [width.div_ceil(8 * most[0]), height.div_ceil(8 * most[1])];
        let components = parts
            .into_iter()
            .map(|(id, sampling, table)| {
                let blocks = |size: usize, i: usize| (size * sampling[i]).div_ceil(most[i]).div_ceil(8);
                Component {
                    id,
                    sampling,
                    table,
                    blocks: [blocks(width, 0), blocks(height, 1)],
                    padded: [units[0] * sampling[0], units[1] * sampling[1]],
                }
            })
            .collect::<Vec<_>>();
        self.ids = components.iter().map(|c| c.id).collect();
        let space = self.space();
        let adobe = self.adobe.is_some();
        Some(Frame { height, width, progressive, components, most, units, space, adobe })
    }

    /// Returns the colours, as libjpeg guesses them.
    fn space(&self) -> Space {
        match (self.ids.len(), self.adobe) {
            (1, _) => Space::Gray,
            (3, _) if self.jfif => Space::YCbCr,
            (3, Some(0)) => Space::Rgb,
            (3, Some(_)) => Space::YCbCr,
            (3, None) if self.ids == b"RGB" => Space::Rgb,
            (3, None) => Space::YCbCr,
            (4, Some(0) | None) => Space::Cmyk,
            (4, Some(_)) => Space::Ycck,
            _ => Space::Unknown,
        }
    }

    fn scan(&mut self, body: &[u8]) -> Option<Scan> {
        let (&count, rest) = body.split_first()?;
        let (parts, tail) = rest.split_at_checked(2 * usize::from(count))?;
        let &[first, last, approximation] = tail else { return None };
        if !(1..=4).contains(&count) {
            return None;
        }
        let mut components: Vec<ScanComponent> = Vec::new();
        for part in parts.chunks_exact(2) {
            let at = self.ids.iter().position(|&id| id == part[0])?;
            if components.iter().any(|c| c.at == at) {
                return None;
            }
            components.push(ScanComponent { at, dc: usize::from(part[1] >> 4), ac: usize::from(part[1] & 15) });
        }
        let band = [usize::from(first), usize::from(last)];
        Some(Scan { components, band, approximation: [u32::from(approximation >> 4), u32::from(approximation & 15)] })
    }
}
