//! RegexReplace, RegexFullMatch and their twins with the pattern as an attribute.

use super::each::{to_strings_by, to_values_by};
use super::regex_syntax::translate;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_sync::Mutex;
use ferroflow_tensor::{Bytes, Result, Status, Tensor, bail};
use regex::bytes::{CaptureLocations, Regex};

fn compile(pattern: &[u8], whole: bool) -> Result<Regex> {
    let invalid = |error: String| {
        Status::invalid_argument(format!("Invalid pattern: {}, error: {error}", String::from_utf8_lossy(pattern)))
    };
    let text = std::str::from_utf8(pattern).map_err(|_| invalid("invalid UTF-8".to_owned()))?;
    let text = translate(text);
    let text = if whole { format!(r"\A(?:{text})\z") } else { text };
    Regex::new(&text)
        .map_err(|e| invalid(e.to_string().lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()))
}

/// The last pattern used: mostly it is the same in each step.
#[derive(Default)]
struct Compiled(Mutex<Option<(Bytes, Regex)>>);

impl Compiled {
    fn get(&self, pattern: &Tensor, whole: bool) -> Result<Regex> {
        let pattern = scalar(pattern, "Pattern")?;
        let mut last = self.0.lock();
        if let Some((known, regex)) = last.as_ref()
            && known == pattern
        {
            return Ok(regex.clone());
        }
        let regex = compile(pattern, whole)?;
        *last = Some((pattern.clone(), regex.clone()));
        Ok(regex)
    }
}

fn scalar<'a>(t: &'a Tensor, what: &str) -> Result<&'a Bytes> {
    match (t.rank(), t.strings()?) {
        (0, [one]) => Ok(one),
        _ => bail!(InvalidArgument, "{what} must be scalar, but received {}", t.shape()),
    }
}

/// A piece of a rewrite: text, or what a group matched.
enum Piece {
    Text(Vec<u8>),
    Group(usize),
}

/// The pieces of a rewrite such as `\1-\2`, up to where it is malformed.
struct Rewrite {
    pieces: Vec<Piece>,
    is_whole: bool,
    /// True if it has others than the whole match: they take longer to find.
    has_groups: bool,
}

impl Rewrite {
    fn new(pieces: Vec<Piece>, is_whole: bool) -> Rewrite {
        let has_groups = pieces.iter().any(|piece| matches!(piece, Piece::Group(1..)));
        Rewrite { pieces, is_whole, has_groups }
    }
}

fn parse(rewrite: &[u8]) -> Rewrite {
    let mut out = Vec::new();
    let mut text = Vec::new();
    let mut bytes = rewrite.iter();
    while let Some(&b) = bytes.next() {
        if b != b'\\' {
            text.push(b);
            continue;
        }
        match bytes.next() {
            Some(b'\\') => text.push(b'\\'),
            Some(d) if d.is_ascii_digit() => {
                out.push(Piece::Text(std::mem::take(&mut text)));
                out.push(Piece::Group(usize::from(d - b'0')));
            }
            _ => {
                out.push(Piece::Text(text));
                return Rewrite::new(out, false);
            }
        }
    }
    out.push(Piece::Text(text));
    Rewrite::new(out, true)
}

/// Replaces the matches (or the first one) in `text`. `groups` is room for the places of a match's groups. TF 1.x: a group
/// that the pattern lacks is empty.
fn replace(regex: &Regex, groups: &mut CaptureLocations, text: &[u8], rewrite: &Rewrite, all: bool) -> Bytes {
    let mut out = Vec::new();
    let mut copied = 0;
    for found in regex.find_iter(text).map(|found| found.range()) {
        // An empty match inside a character is none.
        if found.is_empty() && std::str::from_utf8(text).is_ok_and(|s| !s.is_char_boundary(found.start)) {
            continue;
        }
        if out.capacity() == 0 {
            out.reserve(text.len());
        }
        out.extend_from_slice(&text[copied..found.start]);
        copied = found.end;
        if rewrite.has_groups {
            regex.captures_read_at(groups, text, found.start);
        }
        for piece in &rewrite.pieces {
            match piece {
                Piece::Text(t) => out.extend_from_slice(t),
                Piece::Group(0) => out.extend_from_slice(&text[found.clone()]),
                Piece::Group(g) => out.extend_from_slice(groups.get(*g).map_or(&[], |(start, end)| &text[start..end])),
            }
        }
        if !all {
            break;
        }
    }
    if out.is_empty() && copied == 0 {
        return text.into();
    }
    out.extend_from_slice(&text[copied..]);
    out.into()
}

fn replace_all(ctx: &mut KernelContext<'_>, regex: &Regex, rewrite: &[u8], all: bool) -> Result<()> {
    let rewrite = parse(rewrite);
    to_strings_by(ctx, || {
        let (regex, rewrite) = (regex.clone(), &rewrite);
        let mut groups = regex.capture_locations();
        // TF 1.x: where one match is replaced, a malformed rewrite leaves the text as it is; of all, its beginning counts.
        move |text| {
            let replaces = all || rewrite.is_whole;
            Ok(if replaces { replace(&regex, &mut groups, text, rewrite, all) } else { text.into() })
        }
    })
}

fn regex_replace(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let all = init.bool("replace_global")?;
    let compiled = Compiled::default();
    kernel(move |ctx| {
        let regex = compiled.get(ctx.input(1)?, false)?;
        let rewrite = scalar(ctx.input(2)?, "Rewrite")?.clone();
        replace_all(ctx, &regex, &rewrite, all)
    })
}

fn static_regex_replace(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let all = init.bool("replace_global")?;
    let (regex, rewrite) = (compile(&init.bytes("pattern")?, false)?, init.bytes("rewrite")?);
    kernel(move |ctx| replace_all(ctx, &regex, &rewrite, all))
}

/// Sets output 0 to true for each string that `regex` matches. Each block of strings has a clone, whose room for
/// searches no other thread uses.
fn matches(ctx: &mut KernelContext<'_>, regex: &Regex) -> Result<()> {
    to_values_by::<bool, _>(ctx, || {
        let regex = regex.clone();
        move |text| Ok(regex.is_match(text))
    })
}

fn full_match(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let compiled = Compiled::default();
    kernel(move |ctx| {
        let regex = compiled.get(ctx.input(1)?, true)?;
        matches(ctx, &regex)
    })
}

fn static_full_match(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let regex = compile(&init.bytes("pattern")?, true)?;
    kernel(move |ctx| matches(ctx, &regex))
}

fn scalars_besides(c: &mut ShapeContext<'_>) -> Result<()> {
    for i in 1..c.num_inputs() {
        c.input(i)?.with_rank(0)?;
    }
    shape_rules::unchanged(c)
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("RegexReplace")
            .input("input: string")
            .input("pattern: string")
            .input("rewrite: string")
            .output("output: string")
            .attr("replace_global: bool = true")
            .doc(
                "Returns each string with the matches of `pattern` (RE2's syntax) replaced; `\\1` stands for the \
                 first group.",
            )
            .shape(scalars_besides)
            .kernel(regex_replace),
    );
    r.add(
        Op::new("StaticRegexReplace")
            .input("input: string")
            .output("output: string")
            .attr("pattern: string")
            .attr("rewrite: string")
            .attr("replace_global: bool = true")
            .doc("Computes RegexReplace with the pattern and the rewrite as attributes.")
            .shape(shape_rules::unchanged)
            .kernel(static_regex_replace),
    );
    r.add(
        Op::new("RegexFullMatch")
            .input("input: string")
            .input("pattern: string")
            .output("output: bool")
            .doc("Returns true for each string that `pattern` (RE2's syntax) matches as a whole.")
            .shape(scalars_besides)
            .kernel(full_match),
    );
    r.add(
        Op::new("StaticRegexFullMatch")
            .input("input: string")
            .output("output: bool")
            .attr("pattern: string")
            .doc("Computes RegexFullMatch with the pattern as an attribute.")
            .shape(shape_rules::unchanged)
            .kernel(static_full_match),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(pattern: &str, rewrite: &str, text: &str, all: bool) -> String {
        let regex = compile(pattern.as_bytes(), false).unwrap();
        let rewrite = parse(rewrite.as_bytes());
        let mut groups = regex.capture_locations();
        String::from_utf8(replace(&regex, &mut groups, text.as_bytes(), &rewrite, all).into_vec()).unwrap()
    }

    #[test]
    fn matches_are_replaced_by_text_and_groups() {
        assert_eq!(replaced("a.", "x", "ab ac", true), "x x");
        assert_eq!(replaced("a.", "x", "ab ac", false), "x ac");
        assert_eq!(replaced(r"(\w+)@(\w+)", r"\2 of \1 \\ \0", "me@here", true), r"here of me \ me@here");
        assert_eq!(replaced("", "-", "aé", true), "-a-é-");
        assert_eq!(replaced("x*", "-", "axb", true), "-a-b-");
    }

    #[test]
    fn groups_that_are_not_there_are_empty_and_malformed_rewrites_end() {
        assert_eq!(
            (replaced("b", r"<\1>", "abcb", true), replaced("(b)", r"\9", "ab", false)),
            ("a<>c<>".into(), "a".into())
        );
        assert_eq!(
            (replaced("b", r"\q", "abcb", true), replaced("b", "a\\", "abcb", true)),
            ("ac".into(), "aaca".into())
        );
        assert!(!parse(br"\q").is_whole && !parse(b"\\").is_whole && parse(br"\7\\").is_whole);
    }

    #[test]
    fn a_pattern_that_is_none_is_an_error_that_shows_it() {
        let message = compile(b"A[", false).unwrap_err().message().to_owned();
        assert!(message.starts_with("Invalid pattern: A[, error: "), "{message}");
    }

    #[test]
    fn a_full_match_takes_the_whole_string() {
        let regex = compile(b"a|ab", true).unwrap();
        assert!(regex.is_match(b"ab") && !regex.is_match(b"abc") && !regex.is_match(b"a\n"));
    }
}
