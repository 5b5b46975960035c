//! The fields of a serialized message, read where they lie.

/// The value of a field, in the forms that examples use; numbers of 64 fixed bits are skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    Varint(u64),
    Fixed32(u32),
    Bytes(&'a [u8]),
    Other,
}

/// The fields of a message in order; `Err(Malformed)` once where the bytes are no message.
pub(crate) struct Fields<'a>(&'a [u8]);

/// The bytes are not what they should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

/// Returns the number of seven bits a byte that `bytes` begin with, which are advanced past it.
pub(crate) fn varint(bytes: &mut &[u8]) -> Result<u64, Malformed> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first().ok_or(Malformed)?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err(Malformed)
}

fn split<'a>(bytes: &mut &'a [u8], n: u64) -> Result<&'a [u8], Malformed> {
    let n = usize::try_from(n).map_err(|_| Malformed)?;
    let (taken, rest) = bytes.split_at_checked(n).ok_or(Malformed)?;
    *bytes = rest;
    Ok(taken)
}

impl<'a> Fields<'a> {
    pub(crate) fn of(message: &'a [u8]) -> Fields<'a> {
        Fields(message)
    }

    fn field(&mut self) -> Result<(u32, Value<'a>), Malformed> {
        let tag = varint(&mut self.0)?;
        let number = u32::try_from(tag >> 3).ok().filter(|&n| n > 0).ok_or(Malformed)?;
        let value = match tag & 7 {
            0 => Value::Varint(varint(&mut self.0)?),
            1 => {
                split(&mut self.0, 8)?;
                Value::Other
            }
            2 => {
                let length = varint(&mut self.0)?;
                Value::Bytes(split(&mut self.0, length)?)
            }
            5 => {
                let bytes = split(&mut self.0, 4)?.first_chunk().copied().ok_or(Malformed)?;
                Value::Fixed32(u32::from_le_bytes(bytes))
            }
            // Groups occur in no message that is read here.
            _ => return Err(Malformed),
        };
        Ok((number, value))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u32, Value<'a>), Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.0 = &[];
        }
        Some(field)
    }
}

/// Returns the entry of a map whose values are messages: key and serialized value, empty where left out.
pub(crate) fn entry(message: &[u8]) -> Result<(&[u8], &[u8]), Malformed> {
    let (mut key, mut value): (&[u8], &[u8]) = (&[], &[]);
    for field in Fields::of(message) {
        match field? {
            (1, Value::Bytes(bytes)) => key = bytes,
            (2, Value::Bytes(bytes)) => value = bytes,
            _ => {}
        }
    }
    Ok((key, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_in_order_and_unknown_ones_are_passed_over() {
        let message = [0x08, 0x96, 0x01, 0x12, 2, b'h', b'i', 0x1d, 1, 0, 0, 0, 0x21, 0, 0, 0, 0, 0, 0, 0, 0];
        let fields: Result<Vec<_>, _> = Fields::of(&message).collect();
        let expected = [(1, Value::Varint(150)), (2, Value::Bytes(b"hi")), (3, Value::Fixed32(1)), (4, Value::Other)];
        assert_eq!(fields.unwrap(), expected);
    }

    #[test]
    fn every_cut_inside_a_field_is_malformed() {
        let message = [0x08, 0x96, 0x01, 0x12, 2, b'h', b'i'];
        for n in 0..message.len() {
            let whole = [0, 3].contains(&n);
            assert_eq!(Fields::of(&message[..n]).all(|f| f.is_ok()), whole, "{n}");
        }
        assert!(Fields::of(&[0x0b]).any(|f| f.is_err()));
        assert!(Fields::of(&[0x02, 0]).any(|f| f.is_err()));
        assert!(Fields::of(&[0xff; 11]).any(|f| f.is_err()));
    }
}
