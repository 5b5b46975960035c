//! Huffman codes and the bits of a scan.

/// Codes up to this length are looked up at once.
const LOOKUP: u32 = 9;

pub(super) struct Huffman {
    /// By the next `LOOKUP` bits: (length, symbol); length 0 for longer codes.
    fast: Vec<(u8, u8)>,
    /// By length: one more than the largest code, aligned to 16 bits; 0 where there is none.
    limits: [u32; 17],
    /// By length: what is added to a code to give the place of its symbol.
    offsets: [i32; 17],
    symbols: Vec<u8>,
}

impl Huffman {
    /// Returns the codes with so many of each length; `None` where there are more than the lengths have room for.
    pub(super) fn new(lengths: [u8; 16], symbols: &[u8]) -> Option<Huffman> {
        let mut table =
            Huffman { fast: vec![(0, 0); 1 << LOOKUP], limits: [0; 17], offsets: [0; 17], symbols: symbols.to_vec() };
        let (mut code, mut at) = (0u32, 0usize);
        for length in 1..=16u32 {
            let count = u32::from(lengths[length as usize - 1]);
            table.offsets[length as usize] = at as i32 - code as i32;
            for k in 0..count {
                if length <= LOOKUP {
                    let shift = LOOKUP - length;
                    let first = ((code + k) << shift) as usize;
                    let entry = (length as u8, *symbols.get(at + k as usize)?);
                    table.fast.get_mut(first..first + (1 << shift))?.fill(entry);
                }
            }
            code += count;
            at += count as usize;
            if code > 1 << length {
                return None;
            }
            if count > 0 {
                table.limits[length as usize] = code << (16 - length);
            }
            code <<= 1;
        }
        (at <= symbols.len()).then_some(table)
    }
}

/// The bits of a scan, up to the next marker; beyond it there are zeros.
pub(super) struct Bits<'a> {
    data: &'a [u8],
    pub at: usize,
    bits: u64,
    count: u32,
    /// Bits that were read after the last one there was.
    missing: bool,
    /// True if the data ended, not at a marker.
    pub truncated: bool,
}

impl<'a> Bits<'a> {
    pub(super) fn new(data: &'a [u8], at: usize) -> Bits<'a> {
        Bits { data, at, bits: 0, count: 0, missing: false, truncated: false }
    }

    /// Returns true if zeros have stood for bits that are not there.
    pub(super) fn is_missing(&self) -> bool {
        self.missing
    }

    #[inline]
    fn fill(&mut self) {
        while self.count <= 48 {
            let Some(&byte) = self.data.get(self.at) else { break };
            if byte == 0xff {
                // Padding before a marker is any number of 0xff.
                match self.data.get(self.at + 1) {
                    Some(0) => self.at += 1,
                    _ => break,
                }
            }
            self.at += 1;
            self.bits = self.bits << 8 | u64::from(byte);
            self.count += 8;
        }
    }

    /// Sees to it that there are `n` bits, zeros if need be.
    #[inline]
    fn need(&mut self, n: u32) {
        if self.count < n {
            self.fill();
            if self.count < n {
                self.missing = true;
                // A marker ends the bits. A 0xff at the file's end may begin a marker.
                self.truncated |= self.at + 1 >= self.data.len();
                self.bits <<= 32;
                self.count += 32;
            }
        }
    }

    /// Returns the next `n` bits, 16 at most.
    #[inline]
    pub(super) fn take(&mut self, n: u32) -> u32 {
        if n == 0 {
            return 0;
        }
        self.need(n);
        self.count -= n;
        (self.bits >> self.count) as u32 & ((1 << n) - 1)
    }

    /// Returns the next `n` bits as the signed value that they stand for.
    #[inline]
    pub(super) fn signed(&mut self, n: u32) -> i32 {
        let value = self.take(n) as i32;
        if n > 0 && value < 1 << (n - 1) { value - (1 << n) + 1 } else { value }
    }

    /// Returns the next symbol; 0 for a code that there is not.
    #[inline]
    pub(super) fn symbol(&mut self, table: &Huffman) -> u8 {
        if self.count < 16 {
            self.fill();
        }
        if self.count >= LOOKUP {
            let (length, symbol) = table.fast[(self.bits >> (self.count - LOOKUP)) as usize & ((1 << LOOKUP) - 1)];
            if length > 0 {
                self.count -= u32::from(length);
                return symbol;
            }
        }
        let mut code = 0u32;
        for length in 1..=16u32 {
            code = code << 1 | self.take(1);
            if code << (16 - length) < table.limits[length as usize] {
                let at = code as i32 + table.offsets[length as usize];
                return usize::try_from(at).ok().and_then(|at| table.symbols.get(at)).copied().unwrap_or(0);
            }
        }
        // libjpeg reads one bit more before it fails.
        self.take(1);
        0
    }

    /// Goes on after a restart marker; whether there was one.
    pub(super) fn restart(&mut self) -> bool {
        self.bits = 0;
        self.count = 0;
        let mut at = self.at;
        while let Some(&byte) = self.data.get(at) {
            if byte == 0xff {
                match self.data.get(at + 1) {
                    Some(0xd0..=0xd7) => {
                        self.at = at + 2;
                        self.missing = false;
                        return true;
                    }
                    Some(0 | 0xff) => {}
                    _ => break,
                }
            }
            at += 1;
        }
        // Data that was searched without success is not searched again.
        self.at = at;
        self.missing = true;
        self.truncated |= at >= self.data.len();
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_go_on_after_a_restart_marker() {
        let data = [1, 2, 0xff, 0, 3, 0xff, 0xff, 0xd0, 0x80];
        let mut bits = Bits::new(&data, 0);
        assert!(bits.restart() && !bits.is_missing());
        assert_eq!((bits.at, bits.take(1)), (8, 1));
    }

    #[test]
    fn a_missing_restart_marker_is_searched_once() {
        let cut = [7; 100];
        let mut bits = Bits::new(&cut, 0);
        assert!(!bits.restart() && bits.is_missing() && bits.truncated);
        assert_eq!(bits.at, cut.len());
        let ended = [[7; 98].as_slice(), &[0xff, 0xd9]].concat();
        let mut bits = Bits::new(&ended, 0);
        assert!(!bits.restart() && bits.is_missing() && !bits.truncated);
        assert_eq!(bits.at, 98);
    }
}
