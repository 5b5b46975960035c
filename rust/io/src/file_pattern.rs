//! Patterns of file names, as `fnmatch` of POSIX reads them: `*`, `?`, `[...]` and `\`.

use crate::file::{SCHEME, failure, path_of};
use ferroflow_tensor::{Bytes, Result};
use std::path::Path;

/// One character of a name; one byte if the name or the pattern is not UTF-8.
type Unit = u32;

const SLASH: Unit = '/' as Unit;

/// Part of a bracket expression.
enum Member {
    /// The characters from the first to the second one, both included.
    Range(Unit, Unit),
    /// The characters of a class such as `[:alpha:]`.
    Class(fn(char) -> bool),
}

/// Part of a pattern.
enum Token {
    One(Unit),
    Any,
    Star,
    /// A bracket expression: its members, and true if it stands for all other characters.
    Bracket(Vec<Member>, bool),
    /// A malformed bracket expression, which matches nothing.
    Nothing,
}

impl Token {
    /// Returns true if the token, which is no star, matches a character other than a slash.
    fn matches(&self, unit: Unit, is_text: bool) -> bool {
        match self {
            Token::One(wanted) => unit == *wanted,
            Token::Any | Token::Star => true,
            Token::Nothing => false,
            Token::Bracket(members, is_negated) => {
                let has = members.iter().any(|member| match member {
                    Member::Range(low, high) => (*low..=*high).contains(&unit),
                    Member::Class(holds) => (is_text || unit < 0x80) && char::from_u32(unit).is_some_and(holds),
                });
                has != *is_negated
            }
        }
    }
}

/// Returns the test of a class's characters; `None` if there is no such class.
fn class_of(name: &[Unit]) -> Option<fn(char) -> bool> {
    let name: String = name.iter().filter_map(|&unit| char::from_u32(unit)).collect();
    Some(match name.as_str() {
        "alnum" => char::is_alphanumeric,
        "alpha" => char::is_alphabetic,
        "blank" => |c| c == ' ' || c == '\t',
        "cntrl" => char::is_control,
        "digit" => |c| c.is_ascii_digit(),
        "graph" => |c| !c.is_control() && !c.is_whitespace(),
        "lower" => char::is_lowercase,
        "print" => |c| !c.is_control(),
        "punct" => |c| !c.is_control() && !c.is_whitespace() && !c.is_alphanumeric(),
        "space" => char::is_whitespace,
        "upper" => char::is_uppercase,
        "xdigit" => |c| c.is_ascii_hexdigit(),
        _ => return None,
    })
}

/// Returns the bracket expression that begins at `rest`, and the number of its characters; `None` if none ends.
fn bracket(rest: &[Unit]) -> Option<(Token, usize)> {
    let is = |place: usize, wanted: char| rest.get(place) == Some(&(wanted as Unit));
    let is_negated = is(1, '!') || is(1, '^');
    let first = 1 + usize::from(is_negated);
    let (mut place, mut members, mut is_known) = (first, Vec::new(), true);
    // Reads one character, which may be escaped or written as `[.a.]` or `[=a=]`.
    let read = |place: usize| -> Option<(Unit, usize)> {
        let unit = *rest.get(place)?;
        if is(place, '\\') {
            return Some((*rest.get(place + 1)?, place + 2));
        }
        for mark in ['.', '='] {
            if is(place, '[') && is(place + 1, mark) && is(place + 3, mark) && is(place + 4, ']') {
                return Some((*rest.get(place + 2)?, place + 5));
            }
        }
        Some((unit, place + 1))
    };
    while place == first || !is(place, ']') {
        if is(place, '[') && is(place + 1, ':') {
            let name = &rest[place + 2..];
            if let Some(length) = name.windows(2).position(|two| two == [':' as Unit, ']' as Unit]) {
                match class_of(&name[..length]) {
                    Some(holds) => members.push(Member::Class(holds)),
                    None => is_known = false,
                }
                place += length + 4;
                continue;
            }
        }
        let (low, after) = read(place)?;
        place = after;
        let mut high = low;
        if is(place, '-') && !is(place + 1, ']') {
            (high, place) = read(place + 1)?;
        }
        members.push(Member::Range(low, high));
    }
    Some((if is_known { Token::Bracket(members, is_negated) } else { Token::Nothing }, place + 1))
}

/// Returns the tokens of a pattern, divided at its slashes. A slash in brackets does not divide.
fn tokens(pattern: &[Unit]) -> Vec<Vec<Token>> {
    let (mut parts, mut place) = (vec![Vec::new()], 0);
    while let Some(&unit) = pattern.get(place) {
        let (token, length) = match char::from_u32(unit) {
            Some('*') => (Token::Star, 1),
            Some('?') => (Token::Any, 1),
            Some('[') => bracket(&pattern[place..]).unwrap_or((Token::One(unit), 1)),
            Some('\\') => pattern.get(place + 1).map_or((Token::Nothing, 1), |&next| (Token::One(next), 2)),
            _ => (Token::One(unit), 1),
        };
        place += length;
        if matches!(token, Token::One(SLASH)) {
            parts.push(Vec::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(token);
        }
    }
    parts
}

/// Returns true if a pattern without slashes matches a whole name. The time is at most the product of their lengths.
fn is_match(pattern: &[Token], name: &[Unit], is_text: bool) -> bool {
    let (mut at, mut place) = (0, 0);
    // The last star, and the end of what it matches.
    let mut star = None;
    while place < name.len() {
        match pattern.get(at) {
            Some(Token::Star) => {
                star = Some((at, place));
                at += 1;
            }
            Some(token) if token.matches(name[place], is_text) => {
                at += 1;
                place += 1;
            }
            _ => {
                let Some((star_at, end)) = star else { return false };
                star = Some((star_at, end + 1));
                (at, place) = (star_at + 1, end + 1);
            }
        }
    }
    pattern[at..].iter().all(|token| matches!(token, Token::Star))
}

fn bytes_of(name: &[u8]) -> Vec<Unit> {
    name.iter().map(|&byte| byte.into()).collect()
}

fn characters_of(name: &[u8]) -> Option<Vec<Unit>> {
    Some(std::str::from_utf8(name).ok()?.chars().map(Unit::from).collect())
}

/// The folders and the file of a pattern, once as characters, and once as bytes.
struct Pattern {
    characters: Option<Vec<Vec<Token>>>,
    bytes: Vec<Vec<Token>>,
}

impl Pattern {
    fn new(pattern: &[u8]) -> Self {
        let characters = characters_of(pattern).map(|units| tokens(&units));
        Pattern { characters, bytes: tokens(&bytes_of(pattern)) }
    }

    /// Adds the matches of all parts from `part` on to `found`: those in `folder`, which names call `named`.
    fn add(&self, part: usize, folder: &Path, named: &[u8], found: &mut Vec<Bytes>) {
        // A folder that cannot be listed has no matches.
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name().into_encoded_bytes()).collect();
        names.sort();
        for name in names {
            let is_found = |parts: &[Vec<Token>], units: &[Unit], is_text| {
                parts.get(part).is_some_and(|tokens| is_match(tokens, units, is_text))
            };
            let as_text = self.characters.as_ref().zip(characters_of(&name));
            // glibc: what does not match as characters may match as bytes.
            if as_text.is_some_and(|(parts, units)| is_found(parts, &units, true))
                || is_found(&self.bytes, &bytes_of(&name), false)
            {
                let whole = [named, &name].concat();
                if part + 1 == self.bytes.len() {
                    found.push(Bytes::from_vec(whole));
                } else {
                    let inner = path_of(&whole);
                    self.add(part + 1, &inner, &[&whole[..], b"/"].concat(), found);
                }
            }
        }
    }
}

/// Returns the files that match a pattern of `*`, `?`, `[...]` and `\`, in the order of their names within each folder.
///
/// Names need not be UTF-8. Names that begin with a point match too, and only a slash matches a slash.
///
/// Errors: `NotFound` or `FailedPrecondition` where the folder before its first wildcard is missing or no folder.
pub fn matching(pattern: &[u8]) -> Result<Vec<Bytes>> {
    let wild = pattern.iter().position(|byte| b"*?[\\".contains(byte)).unwrap_or(pattern.len());
    let slash = pattern[..wild].iter().rposition(|&byte| byte == b'/');
    // TF 1.x: matches in the current folder are named with it.
    let (named, rest) = slash.map_or((&b"./"[..], pattern), |end| pattern.split_at(end + 1));
    let folder = named.strip_prefix(SCHEME.as_bytes()).unwrap_or(named);
    if slash.is_some() {
        let length = named.len() - usize::from(folder.len() > 1);
        let name = || String::from_utf8_lossy(&named[..length]);
        std::fs::read_dir(path_of(folder)).map_err(|e| failure(&name(), &e))?;
    }
    let mut found = Vec::new();
    // TF 1.x: names have single slashes, so that a pattern with two of them matches none.
    if !folder.ends_with(b"//") {
        Pattern::new(rest).add(0, &path_of(folder), named, &mut found);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_tensor::Code;

    fn matches(pattern: &[u8], name: &[u8]) -> bool {
        let made = Pattern::new(pattern);
        let as_text = made.characters.as_ref().zip(characters_of(name));
        as_text.is_some_and(|(parts, units)| is_match(&parts[0], &units, true))
            || is_match(&made.bytes[0], &bytes_of(name), false)
    }

    #[test]
    fn names_match_as_fnmatch_of_glibc_matches_them() {
        type Names<'a> = &'a [&'a [u8]];
        let table: &[(&[u8], Names<'_>, Names<'_>)] = &[
            (b"*", &[b"a", b".a", b"x\xff"], &[]),
            (b"?", &[b"a", b"\xff", "é".as_bytes()], &[b"", b"ab"]),
            (b"??", &[b"ab", b"x\xff", "é".as_bytes()], &[b"a"]),
            (b"*\xff", &[b"x\xff", b"\xff"], &[b"x"]),
            (b"[\xfe-\xff]", &[b"\xff"], &[b"\xfd", b"a"]),
            ("[é]".as_bytes(), &["é".as_bytes()], &[b"e"]),
            (b"[!a]", &[b"b", b"\xe9"], &[b"a", b"bb"]),
            (b"[^a]", &[b"b"], &[b"a"]),
            (b"[]]", &[b"]"], &[b"[]]"]),
            (b"[!]]", &[b"a"], &[b"]"]),
            (b"[a-]", &[b"a", b"-"], &[b"b"]),
            (b"[-a]", &[b"a", b"-"], &[b"b"]),
            (b"[b-a]", &[], &[b"a", b"b", b"-"]),
            (b"[a", &[b"[a"], &[b"a"]),
            (b"[[]a*", &[b"[a", b"[a]"], &[b"a"]),
            (b"[]", &[b"[]"], &[b"]"]),
            (b"a\\*b", &[b"a*b"], &[b"axb"]),
            (b"a\\", &[], &[b"a", b"a\\"]),
            (b"[\\]]", &[b"]"], &[b"\\"]),
            (b"[[:alpha:]]", &[b"a", "é".as_bytes()], &[b"1", b"\xe9"]),
            (b"[![:alpha:]]", &[b"1", b"\xe9"], &[b"a", "é".as_bytes()]),
            (b"[[:none:]]", &[], &[b"n", b":", b"[[:none:]]"]),
            (b"[[.a.]]", &[b"a"], &[b"."]),
            (b"[a/b]", &[b"a", b"b"], &[b"c"]),
            (b"a*b*c", &[b"abc", b"aXbXbXc"], &[b"aXbX", b"ab"]),
            (b"{a,b}", &[b"{a,b}"], &[b"a"]),
        ];
        for (pattern, ours, others) in table {
            let shown = String::from_utf8_lossy(pattern);
            for name in *ours {
                assert!(matches(pattern, name), "{shown} does not match {}", String::from_utf8_lossy(name));
            }
            for name in *others {
                assert!(!matches(pattern, name), "{shown} matches {}", String::from_utf8_lossy(name));
            }
        }
    }

    #[test]
    fn many_stars_take_no_exponential_time() {
        let (pattern, name) = (b"*a".repeat(200), b"a".repeat(5_000));
        assert!(!matches(&[&pattern[..], b"b"].concat(), &name));
    }

    #[test]
    fn the_folder_of_a_pattern_must_exist() {
        let e = matching(b"/nowhere/at/*.txt").unwrap_err();
        assert_eq!((e.code(), e.message()), (Code::NotFound, "/nowhere/at; No such file or directory"));
        let e = matching(b"/dev/null/*").unwrap_err();
        assert_eq!((e.code(), e.message()), (Code::FailedPrecondition, "/dev/null; Not a directory"));
        assert!(matching(b"/nowhere*/at/*").unwrap().is_empty());
        assert!(matching(b"*.nothing").unwrap().is_empty());
        assert!(matching(b"/tmp/").unwrap().is_empty());
    }
}
