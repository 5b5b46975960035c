//! JSON text, as protobuf reads it, as a tree of values.
//!
//! This is more than RFC 8259 allows: strings in single quotes, keys without quotes, and a comma behind the last value. Strings may
//! have control characters, and any character behind a backslash. Parsers of strict JSON refuse these
//! ([decision 14](../../../../docs/decisions/0014-array-loops-and-json.md)).

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
/// Source: RFC 8259; what goes beyond it, protobuf's parser by its results.
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
            Some(b'"' | b'\'') => self.string().map(Json::Text),
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
        loop {
            self.space();
            if self.take(b'}') {
                return Ok(Json::Object(members));
            }
            let key = self.key()?;
            self.expect(b':')?;
            members.push((key, self.value(depth - 1)?));
            self.space();
            if !self.take(b',') && self.peek() != Some(b'}') {
                return Err(self.failure("Expected , or } after key:value pair."));
            }
        }
    }

    fn key(&mut self) -> Result<String, String> {
        if matches!(self.peek(), Some(b'"' | b'\'')) {
            return self.string();
        }
        let rest = &self.text[self.at..];
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let is_word = ["true", "false", "null"].iter().any(|word| rest.starts_with(word));
        if length == 0 || is_word || rest.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(self.failure("Expected an object key or }."));
        }
        self.at += length;
        Ok(rest[..length].to_owned())
    }

    fn list(&mut self, depth: usize) -> Result<Json, String> {
        self.at += 1;
        let mut values = Vec::new();
        loop {
            self.space();
            if self.take(b']') {
                return Ok(Json::List(values));
            }
            values.push(self.value(depth - 1)?);
            self.space();
            if !self.take(b',') && self.peek() != Some(b']') {
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
        let Some(escaped) = self.text[self.at..].chars().next() else {
            return Err(self.failure("Invalid escape sequence."));
        };
        self.at += escaped.len_utf8();
        Ok(match escaped {
            'b' => '\x08',
            'f' => '\x0c',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\x0b',
            'u' => {
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
            other => other,
        })
    }

    /// Reads a string, whose first character is its quote.
    fn string(&mut self) -> Result<String, String> {
        let quote = if self.peek() == Some(b'"') { '"' } else { '\'' };
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = &self.text[self.at..];
            let Some(n) = rest.find([quote, '\\']) else {
                return Err(self.failure("Closing quote expected in string."));
            };
            out.push_str(&rest[..n]);
            self.at += n + 1;
            if rest[n..].starts_with(quote) {
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
        for bad in
            ["01", "1.", "-", "1e", "{a b:1}", "[1 2]", "[,]", "[1,,]", "{,}", "{\"a\"}", "\"\\ud800\"", "1 1", "nul"]
        {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_protobuf_also_reads_is_read() {
        let text = "{'a\"b': 1, k_1$: ['c\nd', \"\\q\\'\"], \"e\": {},}";
        let list = vec![Json::Text("c\nd".into()), Json::Text("q'".into())];
        let members = [("a\"b", Json::Number("1".into())), ("k_1$", Json::List(list)), ("e", Json::Object(vec![]))];
        assert_eq!(parse(text), Ok(Json::Object(members.map(|(key, value)| (key.into(), value)).into())));
        assert_eq!(parse("[1,]"), Ok(Json::List(vec![Json::Number("1".into())])));
        for bad in ["{1a:1}", "{true:1}", "{nulls:1}", "{a-b:1}", "{é:1}", "{'a\":1}", "{a:1,,}", "\u{feff}1"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        assert!(parse(&format!("{}{}", "[".repeat(99), "]".repeat(99))).is_ok());
        assert!(parse(&"[".repeat(100_000)).is_err());
    }
}
