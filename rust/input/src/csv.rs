//! Records of comma-separated values: how they are cut into fields.
//!
//! Source: RFC 4180.

use ferroflow_tensor::{Bytes, Result, bail, ensure};

/// The format of records, and the selected fields.
pub(crate) struct CsvFormat {
    pub delimiter: u8,
    /// True if `"` quotes.
    pub quotes: bool,
    /// The text that means no value, as an empty field does.
    pub missing: Bytes,
    /// The numbers of the selected fields, ascending; empty for all.
    pub columns: Vec<usize>,
}

/// The fault in a field's quotes.
#[derive(Debug, PartialEq)]
pub(crate) enum Misquoted {
    /// One stands in a field that does not begin with one.
    Inside,
    /// One stands alone within a quoted field.
    Unescaped,
    /// The closing one is missing.
    Open,
}

impl CsvFormat {
    /// Returns the format that an op's arguments describe, for `outputs` columns.
    ///
    /// Errors: `InvalidArgument` for a delimiter of several bytes, and for columns that do not rise or are not as many.
    pub(crate) fn new(
        delimiter: &[u8],
        quotes: bool,
        missing: Vec<u8>,
        columns: &[i64],
        outputs: usize,
    ) -> Result<CsvFormat> {
        let &[delimiter] = delimiter else { bail!(InvalidArgument, "field_delim should be only 1 char") };
        ensure!(
            columns.is_empty() || columns.len() == outputs,
            InvalidArgument,
            "select_cols should match output size"
        );
        ensure!(
            columns.windows(2).all(|w| w[0] < w[1]),
            InvalidArgument,
            "select_cols should be strictly increasing indices"
        );
        let columns: Result<Vec<usize>, _> = columns.iter().map(|&c| usize::try_from(c)).collect();
        let Ok(columns) = columns else {
            bail!(InvalidArgument, "select_cols should be non-negative indices");
        };
        Ok(CsvFormat { delimiter, quotes, missing: missing.into(), columns })
    }

    /// Returns true if a field stands for no value.
    pub(crate) fn is_missing(&self, field: &[u8]) -> bool {
        field.is_empty() || *field == *self.missing
    }

    /// Returns the field that begins at `start`, and where it ends: at a delimiter, or at the end of the record.
    pub(crate) fn field(&self, record: &[u8], start: usize) -> Result<(Vec<u8>, usize), Misquoted> {
        let rest = record.get(start..).unwrap_or_default();
        if !self.quotes || rest.first() != Some(&b'"') {
            let length = rest.iter().position(|&b| b == self.delimiter).unwrap_or(rest.len());
            let field = &rest[..length];
            return match self.quotes && field.contains(&b'"') {
                true => Err(Misquoted::Inside),
                false => Ok((field.to_vec(), start + length)),
            };
        }
        let (mut field, mut at) = (Vec::new(), 1);
        loop {
            let Some(length) = rest[at..].iter().position(|&b| b == b'"') else { return Err(Misquoted::Open) };
            field.extend_from_slice(&rest[at..at + length]);
            at += length + 1;
            match rest.get(at) {
                None => return Ok((field, start + at)),
                Some(&byte) if byte == self.delimiter => return Ok((field, start + at)),
                Some(b'"') => {
                    field.push(b'"');
                    at += 1;
                }
                Some(_) => return Err(Misquoted::Unescaped),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(record: &str, start: usize) -> Result<(String, usize), Misquoted> {
        let format = CsvFormat::new(b",", true, Vec::new(), &[], 1).unwrap();
        format.field(record.as_bytes(), start).map(|(f, end)| (String::from_utf8(f).unwrap(), end))
    }

    #[test]
    fn a_field_ends_at_a_delimiter_outside_of_quotes_or_with_the_record() {
        assert_eq!(field("a,b c", 0), Ok(("a".into(), 1)));
        assert_eq!(field("a,b c", 2), Ok(("b c".into(), 5)));
        assert_eq!(field("a,", 2), Ok((String::new(), 2)));
        assert_eq!(field("\"a,b\",c", 0), Ok(("a,b".into(), 5)));
        assert_eq!(field("\"say \"\"x\"\"\"", 0), Ok(("say \"x\"".into(), 11)));
        assert_eq!(field("\"\"", 0), Ok((String::new(), 2)));
    }

    #[test]
    fn quotes_that_are_not_closed_or_stand_inside_are_told_apart() {
        for open in ["\"", "\"a", "\"a\"\"", "\"a,b\n"] {
            assert_eq!(field(open, 0), Err(Misquoted::Open), "{open}");
        }
        assert_eq!(field("\"a\"b,c", 0), Err(Misquoted::Unescaped));
        assert_eq!(field("a\"b,c", 0), Err(Misquoted::Inside));
        let plain = CsvFormat::new(b";", false, Vec::new(), &[], 1).unwrap();
        assert_eq!(plain.field(b"a\"b;c", 0), Ok((b"a\"b".to_vec(), 3)));
    }

    #[test]
    fn a_format_has_one_delimiter_and_rising_columns() {
        let new =
            |delimiter: &[u8], columns: &[i64]| CsvFormat::new(delimiter, true, Vec::new(), columns, 2).map(|_| ());
        assert!(new(b",", &[]).is_ok() && new(b",", &[0, 3]).is_ok());
        for (delimiter, columns) in [(&b""[..], &[][..]), (b",,", &[]), (b",", &[1]), (b",", &[1, 1]), (b",", &[-1, 1])]
        {
            assert!(new(delimiter, columns).is_err());
        }
    }
}
