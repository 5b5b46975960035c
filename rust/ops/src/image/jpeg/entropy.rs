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

/// Returns the signed value that `n` bits stand for.
#[inline]
fn extended(bits: u32, n: u32) -> i32 {
    // Without a branch, which could not be predicted: n is 0 to 16.
    let all = (1i32 << n) - 1;
    let is_negative = (bits as i32) << 1 <= all;
    bits as i32 - all * i32::from(is_negative)
}

/// Returns true if one of the bytes is 0xff.
#[inline]
fn has_marker(bytes: u64) -> bool {
    const ONES: u64 = u64::MAX / 0xff;
    !bytes.wrapping_add(ONES) & bytes & ONES << 7 != 0
}

/// The next bits of a scan, the last of them the lowest.
#[derive(Clone, Copy)]
struct Next {
    bits: u64,
    count: u32,
}

impl Next {
    /// Returns the next `n` bits, of which there are as many, without taking them.
    #[inline]
    fn peek(self, n: u32) -> u32 {
        (self.bits >> (self.count - n)) as u32 & ((1 << n) - 1)
    }
}

/// The bits of a scan, up to the next marker; beyond it there are zeros.
pub(super) struct Bits<'a> {
    data: &'a [u8],
    pub at: usize,
    next: Next,
    /// Bits that were read after the last one there was.
    missing: bool,
    /// True if the data ended, not at a marker.
    pub truncated: bool,
}

impl<'a> Bits<'a> {
    pub(super) fn new(data: &'a [u8], at: usize) -> Bits<'a> {
        Bits { data, at, next: Next { bits: 0, count: 0 }, missing: false, truncated: false }
    }

    /// Returns true if zeros have stood for bits that are not there.
    pub(super) fn is_missing(&self) -> bool {
        self.missing
    }

    /// Reads on, so that there are more than 48 bits where the data has them.
    #[inline]
    fn fill(&mut self) {
        if let Some(word) = self.data.get(self.at..).and_then(|data| data.first_chunk()) {
            let word = u64::from_be_bytes(*word);
            if !has_marker(word) {
                let bytes = (63 - self.next.count) / 8;
                if bytes > 0 {
                    self.next.bits = self.next.bits << (8 * bytes) | word >> (64 - 8 * bytes);
                    self.next.count += 8 * bytes;
                    self.at += bytes as usize;
                }
                return;
            }
        }
        self.fill_by_bytes();
    }

    #[inline(never)]
    fn fill_by_bytes(&mut self) {
        while self.next.count <= 48 {
            let Some(&byte) = self.data.get(self.at) else { break };
            if byte == 0xff {
                // Padding before a marker is any number of 0xff.
                match self.data.get(self.at + 1) {
                    Some(0) => self.at += 1,
                    _ => break,
                }
            }
            self.at += 1;
            self.next.bits = self.next.bits << 8 | u64::from(byte);
            self.next.count += 8;
        }
    }

    /// Sees to it that there are `n` bits, zeros if need be.
    #[inline]
    fn need(&mut self, n: u32) {
        if self.next.count < n {
            self.fill();
            if self.next.count < n {
                self.missing = true;
                // A marker ends the bits. A 0xff at the file's end may begin a marker.
                self.truncated |= self.at + 1 >= self.data.len();
                self.next.bits <<= 32;
                self.next.count += 32;
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
        let value = self.next.peek(n);
        self.next.count -= n;
        value
    }

    /// Returns the next `n` bits as the signed value that they stand for.
    #[inline]
    pub(super) fn signed(&mut self, n: u32) -> i32 {
        extended(self.take(n), n)
    }

    /// Returns the next symbol; 0 for a code that there is not.
    #[inline]
    pub(super) fn symbol(&mut self, table: &Huffman) -> u8 {
        if self.next.count < 16 {
            self.fill();
        }
        if self.next.count >= LOOKUP {
            let (length, symbol) = table.fast[self.next.peek(LOOKUP) as usize];
            if length > 0 {
                self.next.count -= u32::from(length);
                return symbol;
            }
        }
        self.long_symbol(table)
    }

    #[inline(never)]
    fn long_symbol(&mut self, table: &Huffman) -> u8 {
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

    /// Reads the coefficients of a block after the first: calls `put` with the place and value of each, in their order.
    ///
    /// Places are below 79. Those from 64 on are of damaged data.
    #[inline]
    pub(super) fn coefficients(&mut self, table: &Huffman, mut put: impl FnMut(usize, i16)) {
        let mut k = 1;
        // A copy, which stays in registers.
        let mut next = self.next;
        while k < 64 {
            if next.count < LOOKUP + 15 {
                self.next = next;
                self.fill();
                next = self.next;
            }
            if next.count >= LOOKUP + 15 {
                let (length, symbol) = table.fast[next.peek(LOOKUP) as usize];
                let size = u32::from(symbol & 15);
                // Both in one: codes that are not in the table have symbol 0.
                if size != 0 {
                    next.count -= u32::from(length);
                    let value = next.peek(size);
                    next.count -= size;
                    k += usize::from(symbol >> 4);
                    put(k, extended(value, size) as i16);
                    k += 1;
                    continue;
                }
                if length > 0 && symbol == 0 {
                    next.count -= u32::from(length);
                    break;
                }
            }
            self.next = next;
            let symbol = self.symbol(table);
            let (run, length) = (usize::from(symbol >> 4), u32::from(symbol & 15));
            if length > 0 {
                k += run;
                put(k, self.signed(length) as i16);
                k += 1;
            } else if run == 15 {
                k += 16;
            } else {
                return;
            }
            next = self.next;
        }
        self.next = next;
    }

    /// Goes on after a restart marker; whether there was one.
    pub(super) fn restart(&mut self) -> bool {
        self.next = Next { bits: 0, count: 0 };
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

    /// Compares reading by words of eight bytes with reading by single bytes.
    #[test]
    fn bits_are_those_of_the_bytes_one_by_one() {
        let mut state = 7u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..300 {
            let rarity = 1 + random(40);
            let mut data = Vec::new();
            for _ in 0..random(60) {
                let byte = if random(rarity) == 0 { 0xff } else { random(256) as u8 };
                data.push(byte);
                if byte == 0xff && random(30) > 0 {
                    data.push(0);
                }
            }
            let (mut bits, mut single) = (Bits::new(&data, 0), Bits::new(&data, 0));
            for _ in 0..60 {
                let n = 1 + random(16) as u32;
                if single.next.count < n {
                    single.fill_by_bytes();
                }
                assert_eq!(bits.take(n), single.take(n));
                assert_eq!((bits.is_missing(), bits.truncated), (single.is_missing(), single.truncated));
            }
        }
    }

    #[test]
    fn values_are_those_that_their_bits_stand_for() {
        for n in 1..=16 {
            let half = 1i32 << (n - 1);
            let values = (0..1u32 << n).map(|bits| extended(bits, n)).collect::<Vec<_>>();
            let expected = (1 - 2 * half..=-half).chain(half..2 * half).collect::<Vec<_>>();
            assert_eq!(values, expected);
        }
        assert_eq!(extended(0, 0), 0);
    }
}
