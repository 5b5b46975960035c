//! Text in the encodings of Unicode: code points from bytes, and bytes from code points.

use ferroflow_tensor::{Result, bail};

/// An encoding that texts are read in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Input {
    Utf8,
    /// Big-endian where true.
    Utf16(bool),
    Utf32(bool),
    /// The first bytes decide the order; without a mark it is big-endian.
    Utf16Marked,
    Utf32Marked,
    Ascii,
    Latin1,
}

/// An encoding that texts are written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Output {
    Utf8,
    Utf16,
    Utf32,
}

impl Input {
    /// Returns the encoding of that name. Case and punctuation do not count.
    pub fn named(name: &str) -> Result<Input> {
        let plain: String = name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
        Ok(match plain.as_str() {
            "utf8" | "unicode11utf8" | "unicode20utf8" | "cp1208" => Input::Utf8,
            "utf16be" | "unicodebigunmarked" | "utf16bigendian" => Input::Utf16(true),
            "utf16le" | "unicodelittleunmarked" | "utf16littleendian" => Input::Utf16(false),
            "utf16" | "unicode" | "iso10646ucs2" | "ucs2" => Input::Utf16Marked,
            "utf32be" | "utf32bigendian" => Input::Utf32(true),
            "utf32le" | "utf32littleendian" => Input::Utf32(false),
            "utf32" | "iso10646ucs4" | "ucs4" => Input::Utf32Marked,
            "usascii" | "ascii" | "iso646us" | "us" | "ascii7" | "ansix341968" | "646" => Input::Ascii,
            "iso88591" | "latin1" | "l1" | "88591" | "cp819" | "ibm819" | "csisolatin1" => Input::Latin1,
            _ => bail!(
                InvalidArgument,
                "Could not create converter for input encoding: {name}. Encodings are UTF-8, UTF-16 and UTF-32 (-BE, \
                 -LE), US-ASCII and ISO-8859-1"
            ),
        })
    }
}

impl Output {
    pub fn named(name: &str) -> Result<Output> {
        Ok(match name {
            "UTF-8" => Output::Utf8,
            "UTF-16-BE" => Output::Utf16,
            "UTF-32-BE" => Output::Utf32,
            _ => bail!(InvalidArgument, "output encoding must be UTF-8, UTF-16-BE or UTF-32-BE, got {name}"),
        })
    }

    /// Returns a text, given in units of UTF-16; surrogates without a partner become U+FFFD in UTF-8.
    pub fn write(self, units: &[u16]) -> Vec<u8> {
        let points = char::decode_utf16(units.iter().copied());
        match self {
            Output::Utf8 => points.map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect::<String>().into_bytes(),
            Output::Utf16 => units.iter().flat_map(|u| u.to_be_bytes()).collect(),
            Output::Utf32 => points
                .flat_map(|c| c.map_or_else(|e| u32::from(e.unpaired_surrogate()), u32::from).to_be_bytes())
                .collect(),
        }
    }
}

/// Appends a code point in units of UTF-16.
pub(super) fn push(units: &mut Vec<u16>, point: u32) {
    match char::from_u32(point) {
        Some(c) => units.extend_from_slice(c.encode_utf16(&mut [0; 2])),
        // A surrogate is one unit; larger numbers are refused before.
        None => units.push(point as u16),
    }
}

/// A code point of a text, or `None` for bytes that are none, and the number of its bytes.
type Point = (Option<u32>, usize);

/// Calls `f` with each code point of a text.
pub(super) fn each_point(text: &[u8], encoding: Input, mut f: impl FnMut(Point)) {
    match encoding {
        Input::Utf8 => {
            for chunk in text.utf8_chunks() {
                chunk.valid().chars().for_each(|c| f((Some(c.into()), c.len_utf8())));
                if !chunk.invalid().is_empty() {
                    f((None, chunk.invalid().len()));
                }
            }
        }
        Input::Ascii => text.iter().for_each(|&b| f((b.is_ascii().then_some(b.into()), 1))),
        Input::Latin1 => text.iter().for_each(|&b| f((Some(b.into()), 1))),
        Input::Utf16(big) => utf16(text, big, f),
        Input::Utf32(big) => utf32(text, big, f),
        Input::Utf16Marked => match text {
            // ICU: a mark without text is this number.
            [0xff, 0xfe] => f((Some(0xffff), 2)),
            [0xff, 0xfe, rest @ ..] => after_mark(2, f, |f| utf16(rest, false, f)),
            [0xfe, 0xff, rest @ ..] if !rest.is_empty() => after_mark(2, f, |f| utf16(rest, true, f)),
            _ => utf16(text, true, f),
        },
        Input::Utf32Marked => match text {
            [0xff, 0xfe, 0, 0, rest @ ..] if !rest.is_empty() => after_mark(4, f, |f| utf32(rest, false, f)),
            [0, 0, 0xfe, 0xff, rest @ ..] if !rest.is_empty() => after_mark(4, f, |f| utf32(rest, true, f)),
            _ => utf32(text, true, f),
        },
    }
}

/// Counts the mark's bytes as bytes of the first code point.
fn after_mark(mark: usize, mut f: impl FnMut(Point), rest: impl FnOnce(&mut dyn FnMut(Point))) {
    let mut more = mark;
    rest(&mut |(point, size)| f((point, size + std::mem::take(&mut more))));
}

fn utf16(text: &[u8], big: bool, mut f: impl FnMut(Point)) {
    let (pairs, tail) = text.as_chunks::<2>();
    let unit = |pair: [u8; 2]| if big { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) };
    let mut i = 0;
    while i < pairs.len() {
        let first = u32::from(unit(pairs[i]));
        let second = pairs.get(i + 1).map(|&pair| u32::from(unit(pair)));
        i += 1;
        match (first, second) {
            (0xd800..0xdc00, Some(low @ 0xdc00..0xe000)) => {
                f((Some(0x1_0000 + ((first - 0xd800) << 10) + (low - 0xdc00)), 4));
                i += 1;
            }
            // The text ends within a pair of surrogates.
            (0xd800..0xdc00, None) => return f((None, 2 + tail.len())),
            (0xd800..0xe000, _) => f((None, 2)),
            _ => f((Some(first), 2)),
        }
    }
    if !tail.is_empty() {
        f((None, tail.len()));
    }
}

fn utf32(text: &[u8], big: bool, mut f: impl FnMut(Point)) {
    let (points, tail) = text.as_chunks::<4>();
    for &bytes in points {
        let point = if big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) };
        f((char::from_u32(point).map(u32::from), 4));
    }
    if !tail.is_empty() {
        f((None, tail.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(text: &[u8], encoding: &str) -> Vec<(u32, usize)> {
        let mut all = Vec::new();
        each_point(text, Input::named(encoding).unwrap(), |(point, size)| all.push((point.unwrap_or(0xfffd), size)));
        all
    }

    #[test]
    fn malformed_bytes_are_one_point_each_part() {
        assert_eq!(points(b"a\xe6\xbcb\xed\xa0", "utf_8").iter().map(|p| p.1).collect::<Vec<_>>(), [1, 2, 1, 1, 1]);
        assert_eq!(points(b"\xd8\x00\xd8\x00\xdc\x00", "UTF-16-BE"), [(0xfffd, 2), (0x1_0000, 4)]);
        assert_eq!(points(b"\xd8\x00\x00", "UTF-16BE"), [(0xfffd, 3)]);
        assert_eq!(points(b"a\x80", "US-ASCII"), [(0x61, 1), (0xfffd, 1)]);
        assert_eq!(points(b"\x00\x11\x00\x00a", "UTF-32"), [(0xfffd, 4), (0xfffd, 1)]);
    }

    #[test]
    fn a_mark_tells_the_order_and_belongs_to_the_first_point() {
        assert_eq!(points(b"\xff\xfea\x00b\x00", "UTF-16"), [(0x61, 4), (0x62, 2)]);
        assert_eq!(points(b"\xfe\xff\x00a", "UTF-16"), [(0x61, 4)]);
        assert_eq!(points(b"\xff\xfe\x00\x00a\x00\x00\x00", "UTF-32"), [(0x61, 8)]);
        assert_eq!(points(b"\x00a", "UTF-16"), [(0x61, 2)]);
    }

    #[test]
    fn written_text_reads_as_itself() {
        let mut units = Vec::new();
        ["a", "\u{e9}", "\u{6f22}", "\u{1f600}"]
            .iter()
            .for_each(|c| c.chars().for_each(|c| push(&mut units, c.into())));
        for (output, input) in [(Output::Utf8, "UTF-8"), (Output::Utf16, "UTF-16BE"), (Output::Utf32, "UTF-32BE")] {
            let text: Vec<u32> = points(&output.write(&units), input).into_iter().map(|p| p.0).collect();
            assert_eq!(text, [0x61, 0xe9, 0x6f22, 0x1_f600]);
        }
        assert_eq!(Output::Utf8.write(&[0xd800]), "\u{fffd}".as_bytes());
    }
}
