//! JSON text as a tree of values.

/// A value; numbers keep their spelling, members their order.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// Lists and objects within each other.
const MAX_DEPTH: usize = 100;

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

/// Reads one value, which is all the text.
///
/// Errors: what is wrong, and at which byte.
///
/// Source: RFC 8259.
pub(super) fn parse(text: &str) -> Result<Json, String> {
    let mut parser = Parser { text, at: 0 };
    let value = parser.value(MAX_DEPTH)?;
    parser.space();
    if parser.at < text.len() {
        return Err(parser.failure("Parsing terminated before end of input."));
    }
    Ok(value)
}

impl Parser<'_> {
    fn failure(&self, what: &str) -> String {
        format!("{what} (byte {})", self.at)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Passes over `byte` where it is next.
    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8) -> Result<(), String> {
        self.space();
        if self.take(byte) {
            return Ok(());
        }
        Err(self.failure(&format!("Expected {:?}.", char::from(byte))))
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, String> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.failure("Expected a value."));
        }
        self.at += word.len();
        Ok(value)
    }

    fn value(&mut self, depth: usize) -> Result<Json, String> {
        if depth == 0 {
            return Err(self.failure("Message too deep."));
        }
        self.space();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => self.string().map(Json::Text),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => Err(self.failure("Expected a value.")),
            None => Err(self.failure("Unexpected end of string. Expected a value.")),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, String> {
        self.at += 1;
        let mut members = Vec::new();
        self.space();
        if self.take(b'}') {
            return Ok(Json::Object(members));
        }
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                return Err(self.failure("Expected an object key or }."));
            }
            let key = self.string()?;
            self.expect(b':')?;
            members.push((key, self.value(depth - 1)?));
            self.space();
            if self.take(b'}') {
                return Ok(Json::Object(members));
            }
            if !self.take(b',') {
                return Err(self.failure("Expected , or } after key:value pair."));
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Json, String> {
        self.at += 1;
        let mut values = Vec::new();
        self.space();
        if self.take(b']') {
            return Ok(Json::List(values));
        }
        loop {
            values.push(self.value(depth - 1)?);
            self.space();
            if self.take(b']') {
                return Ok(Json::List(values));
            }
            if !self.take(b',') {
                return Err(self.failure("Expected , or ] after array value."));
            }
        }
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - start
    }

    fn number(&mut self) -> Result<Json, String> {
        let start = self.at;
        self.take(b'-');
        let leading_zero = self.peek() == Some(b'0');
        let whole = self.digits();
        let mut sound = whole == 1 || (whole > 1 && !leading_zero);
        if self.take(b'.') {
            sound &= self.digits() > 0;
        }
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'+') || self.take(b'-');
            sound &= self.digits() > 0;
        }
        if !sound {
            return Err(self.failure("Unable to parse number."));
        }
        Ok(Json::Number(self.text[start..self.at].to_owned()))
    }

    fn unit(&mut self) -> Result<u16, String> {
        let digits = self.text.get(self.at..self.at + 4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let Some(unit) = digits.and_then(|d| u16::from_str_radix(d, 16).ok()) else {
            return Err(self.failure("Invalid escape sequence."));
        };
        self.at += 4;
        Ok(unit)
    }

    fn escaped(&mut self) -> Result<char, String> {
        let byte = self.peek();
        self.at += 1;
        Ok(match byte {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\x08',
            Some(b'f') => '\x0c',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let first = self.unit()?;
                let mut units = vec![first];
                if (0xd800..0xdc00).contains(&first) && self.take(b'\\') && self.take(b'u') {
                    units.push(self.unit()?);
                }
                match char::decode_utf16(units).next() {
                    Some(Ok(c)) => c,
                    _ => return Err(self.failure("Invalid unicode code point.")),
                }
            }
            _ => {
                self.at -= 1;
                return Err(self.failure("Invalid escape sequence."));
            }
        })
    }

    fn string(&mut self) -> Result<String, String> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = &self.text[self.at..];
            let Some(n) = rest.find(['"', '\\']) else {
                return Err(self.failure("Closing quote expected in string."));
            };
            out.push_str(&rest[..n]);
            self.at += n + 1;
            if rest.as_bytes()[n] == b'"' {
                return Ok(out);
            }
            out.push(self.escaped()?);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_each_kind_are_read() {
        let text = r#" {"a": [1, -2.5e+3, "xé\u00e9\ud83d\ude00\n", true, null], "b": {}} "#;
        let list = vec![
            Json::Number("1".into()),
            Json::Number("-2.5e+3".into()),
            Json::Text("xéé😀\n".into()),
            Json::Bool(true),
            Json::Null,
        ];
        let expected = Json::Object(vec![("a".into(), Json::List(list)), ("b".into(), Json::Object(vec![]))]);
        assert_eq!(parse(text), Ok(expected));
    }

    #[test]
    fn every_cut_and_every_stray_character_is_an_error() {
        let whole = r#"{"a":[1,"\u00e9",true]}"#;
        for n in 0..whole.len() {
            assert!(parse(&whole[..n]).is_err(), "{}", &whole[..n]);
        }
        for bad in ["01", "1.", "-", "1e", "{a:1}", "[1 2]", "[1,]", "{\"a\"}", "\"\\x\"", "\"\\ud800\"", "1 1", "nul"]
        {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        assert!(parse(&format!("{}{}", "[".repeat(99), "]".repeat(99))).is_ok());
        assert!(parse(&"[".repeat(100_000)).is_err());
    }
}
