//! The fields of a serialized message, read where they lie, and written.

/// The value of a field as it is on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value<'a> {
    Varint(u64),
    Fixed64(u64),
    Fixed32(u32),
    /// A string, a message, packed numbers, or what is in a group.
    Bytes(&'a [u8]),
}

/// The bytes are not what they should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed;

/// Groups inside each other, at most.
const MOST_GROUPS: usize = 100;

/// Returns the number that `bytes` begin with, which are advanced past it.
pub(super) fn varint(bytes: &mut &[u8]) -> Result<u64, Malformed> {
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

/// Returns the first `N` bytes of `bytes`, which are advanced past them.
pub(super) fn fixed<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], Malformed> {
    let (taken, rest) = bytes.split_first_chunk().ok_or(Malformed)?;
    *bytes = rest;
    Ok(*taken)
}

/// Reads a tag: its number and the way in which its value is written; None at the end of the group `group`.
fn tag(bytes: &mut &[u8], group: Option<u32>) -> Result<Option<(u32, u64)>, Malformed> {
    let tag = varint(bytes)?;
    let number = u32::try_from(tag >> 3).ok().filter(|&n| n > 0).ok_or(Malformed)?;
    match tag & 7 {
        4 if group == Some(number) => Ok(None),
        4 => Err(Malformed),
        kind => Ok(Some((number, kind))),
    }
}

fn value<'a>(bytes: &mut &'a [u8], number: u32, kind: u64, depth: usize) -> Result<Value<'a>, Malformed> {
    Ok(match kind {
        0 => Value::Varint(varint(bytes)?),
        1 => Value::Fixed64(u64::from_le_bytes(fixed(bytes)?)),
        2 => {
            let length = usize::try_from(varint(bytes)?).map_err(|_| Malformed)?;
            let (taken, rest) = bytes.split_at_checked(length).ok_or(Malformed)?;
            *bytes = rest;
            Value::Bytes(taken)
        }
        3 if depth < MOST_GROUPS => {
            let start = *bytes;
            loop {
                let before = bytes.len();
                match tag(bytes, Some(number))? {
                    Some((inner, kind)) => drop(value(bytes, inner, kind, depth + 1)?),
                    None => break Value::Bytes(&start[..start.len() - before]),
                }
            }
        }
        5 => Value::Fixed32(u32::from_le_bytes(fixed(bytes)?)),
        _ => return Err(Malformed),
    })
}

/// Calls a function with each field of a message, in order.
pub(super) fn for_each_field<'a>(
    message: &'a [u8],
    mut f: impl FnMut(u32, Value<'a>) -> Result<(), Malformed>,
) -> Result<(), Malformed> {
    let mut rest = message;
    while !rest.is_empty() {
        let Some((number, kind)) = tag(&mut rest, None)? else { return Err(Malformed) };
        f(number, value(&mut rest, number, kind, 0)?)?;
    }
    Ok(())
}

/// Appends a number of seven bits a byte.
pub(super) fn push_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(message: &[u8]) -> Result<Vec<(u32, Value<'_>)>, Malformed> {
        let mut all = Vec::new();
        for_each_field(message, |number, value| {
            all.push((number, value));
            Ok(())
        })?;
        Ok(all)
    }

    #[test]
    fn all_ways_of_writing_are_read_and_groups_are_bytes() {
        let message = [
            &[0x08, 0x96, 0x01, 0x12, 2, b'h', b'i'][..],
            &[0x1d, 1, 0, 0, 0, 0x21, 2, 0, 0, 0, 0, 0, 0, 0],
            &[0x2b, 0x33, 0x34, 0x08, 7, 0x2c],
        ]
        .concat();
        let expected = [
            (1, Value::Varint(150)),
            (2, Value::Bytes(b"hi")),
            (3, Value::Fixed32(1)),
            (4, Value::Fixed64(2)),
            (5, Value::Bytes(&[0x33, 0x34, 0x08, 7])),
        ];
        assert_eq!(fields(&message).unwrap(), expected);
    }

    #[test]
    fn cut_messages_and_open_groups_are_malformed() {
        for bad in [&[0x08][..], &[0x12, 3, 1], &[0x2b, 0x08, 7], &[0x2b, 0x34], &[0x2c], &[0x00, 1], &[0x0f, 1]] {
            assert_eq!(fields(bad), Err(Malformed), "{bad:?}");
        }
        assert!(fields(&[0x0b; 4000]).is_err());
    }
}
