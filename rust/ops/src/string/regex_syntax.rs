//! RE2's syntax, in which TF's patterns are written, put into that of the `regex` crate.
//!
//! The two agree with these exceptions. RE2's `\d`, `\w`, `\s` and `\b` match ASCII alone; in its classes `[` and `&&`
//! are ordinary. A brace that opens no repetition is ordinary. `\Q...\E` quotes, `\C` is one byte, `\1` is never a
//! digit's escape but `\123` is octal.

use std::fmt::Write;

/// Returns the members of a class named by one letter, and whether it is the complement.
fn named_class(letter: char) -> Option<(&'static str, bool)> {
    let members = match letter.to_ascii_lowercase() {
        'd' => "0-9",
        'w' => "0-9A-Za-z_",
        's' => r"\t\n\x0C\r ",
        _ => return None,
    };
    Some((members, letter.is_ascii_uppercase()))
}

fn push_class(out: &mut String, members: &str, complement: bool) {
    let _ = write!(out, "[{}{members}]", if complement { "^" } else { "" });
}

/// Returns the length of a repetition `{n}`, `{n,}` or `{n,m}` at the start of `rest`.
fn repetition(rest: &str) -> Option<usize> {
    let end = rest.find('}')?;
    let inside = &rest[1..end];
    let (from, to) = inside.split_once(',').unwrap_or((inside, ""));
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    (!from.is_empty() && digits(from) && digits(to)).then_some(end + 1)
}

fn octal(rest: &str) -> Option<(u32, usize)> {
    let length = rest.bytes().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
    let enough = rest.starts_with('0') || length >= 2;
    let digits = rest.get(..length).filter(|_| enough)?;
    Some((u32::from_str_radix(digits, 8).ok()?, length))
}

/// Returns the pattern in the other syntax; what is wrong with it is left for that to find.
pub(super) fn translate(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut rest = pattern;
    let mut class_start: Option<usize> = None;
    while let Some(c) = rest.chars().next() {
        let in_class = class_start.is_some();
        if c == '\\' {
            let Some(e) = rest[1..].chars().next() else {
                out.push('\\');
                break;
            };
            let after = &rest[1 + e.len_utf8()..];
            rest = after;
            if e == 'Q' && !in_class {
                let (quoted, tail) = after.split_once(r"\E").unwrap_or((after, ""));
                out.push_str(&regex::escape(quoted));
                rest = tail;
            } else if let Some((members, complement)) = named_class(e) {
                push_class(&mut out, members, complement);
            } else if matches!(e, 'b' | 'B') && !in_class {
                let _ = write!(out, r"(?-u:\{e})");
            } else if e == 'C' && !in_class {
                out.push_str("(?s-u:.)");
            } else if e.is_ascii_digit()
                && let Some((code, length)) = octal(&pattern[pattern.len() - after.len() - 1..])
            {
                let _ = write!(out, r"\x{{{code:X}}}");
                rest = &pattern[pattern.len() - after.len() - 1 + length..];
            } else if matches!(e, '<' | '>') {
                out.push(e);
            } else {
                out.push('\\');
                out.push(e);
            }
            continue;
        }
        if let Some(start) = class_start {
            // `]` first in a class is a member.
            if c == ']' && out.len() > start {
                class_start = None;
                out.push(c);
            } else if c == ']' || (c == '[' && !rest.starts_with("[:")) || matches!(c, '&' | '~') {
                out.push('\\');
                out.push(c);
            } else if c == '[' {
                let end = rest.find(":]").map_or(rest.len(), |at| at + 2);
                out.push_str(&rest[..end]);
                rest = &rest[end..];
                continue;
            } else if c == '-' && out.ends_with('-') && out.len() > start + 1 {
                out.push_str(r"\-");
            } else {
                out.push(c);
            }
            rest = &rest[c.len_utf8()..];
            continue;
        }
        match c {
            '[' => {
                out.push('[');
                rest = &rest[1..];
                if let Some(tail) = rest.strip_prefix('^') {
                    out.push('^');
                    rest = tail;
                }
                class_start = Some(out.len());
            }
            '{' => match repetition(rest) {
                Some(length) => {
                    out.push_str(&rest[..length]);
                    rest = &rest[length..];
                }
                None => {
                    out.push_str(r"\{");
                    rest = &rest[1..];
                }
            },
            '}' => {
                out.push_str(r"\}");
                rest = &rest[1..];
            }
            _ => {
                out.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::translate;

    #[test]
    fn what_the_two_read_differently_is_rewritten() {
        for (re2, other) in [
            (r"\d+", "[0-9]+"),
            (r"[\w-]", "[[0-9A-Za-z_]-]"),
            (r"\S", r"[^\t\n\x0C\r ]"),
            (r"a{2,3}b{,2}c{x}", r"a{2,3}b\{,2\}c\{x\}"),
            (r"[[]", r"[\[]"),
            ("[]a]", r"[\]a]"),
            ("[^]a]", r"[^\]a]"),
            ("[[:alpha:]&&x]", r"[[:alpha:]\&\&x]"),
            (r"\Qa.b\E.", r"a\.b."),
            (r"\bx", r"(?-u:\b)x"),
            (r"\101", r"\x{41}"),
            ("x{é}", r"x\{é\}"),
        ] {
            assert_eq!(translate(re2), other, "{re2}");
            assert!(regex::bytes::Regex::new(&translate(re2)).is_ok(), "{re2}");
        }
        assert!(regex::bytes::Regex::new(&translate("a(")).is_err());
        assert!(regex::bytes::Regex::new(&translate("[a")).is_err());
        assert!(regex::bytes::Regex::new(&translate("a\\")).is_err());
    }
}
