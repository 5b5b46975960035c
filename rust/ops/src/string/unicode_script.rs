//! UnicodeScript: the script of each code point, by the number that the ICU library gives it.

use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_sync::OnceLock;
use ferroflow_tensor::{DType, Result, Status, Tensor};
use regex_syntax::hir::{Class, HirKind};

/// The scripts by their names in Unicode, and ICU's numbers for them (`UScriptCode`), which are for ever.
#[rustfmt::skip]
const SCRIPTS: &[(&str, i32)] = &[
    ("Adlam", 167), ("Ahom", 161), ("Anatolian_Hieroglyphs", 156), ("Arabic", 2), ("Armenian", 3), ("Avestan", 117),
    ("Balinese", 62), ("Bamum", 130), ("Bassa_Vah", 134), ("Batak", 63), ("Bengali", 4), ("Bhaiksuki", 168),
    ("Bopomofo", 5), ("Brahmi", 65), ("Braille", 46), ("Buginese", 55), ("Buhid", 44), ("Canadian_Aboriginal", 40),
    ("Carian", 104), ("Caucasian_Albanian", 159), ("Chakma", 118), ("Cham", 66), ("Cherokee", 6), ("Chorasmian", 189),
    ("Common", 0), ("Coptic", 7), ("Cuneiform", 101), ("Cypriot", 47), ("Cyrillic", 8), ("Deseret", 9),
    ("Devanagari", 10), ("Dives_Akuru", 190), ("Dogra", 178), ("Duployan", 135), ("Egyptian_Hieroglyphs", 71),
    ("Elbasan", 136), ("Elymaic", 185), ("Ethiopic", 11), ("Georgian", 12), ("Glagolitic", 56), ("Gothic", 13),
    ("Grantha", 137), ("Greek", 14), ("Gujarati", 15), ("Gunjala_Gondi", 179), ("Gurmukhi", 16), ("Han", 17),
    ("Hangul", 18), ("Hanifi_Rohingya", 182), ("Hanunoo", 43), ("Hatran", 162), ("Hebrew", 19), ("Hiragana", 20),
    ("Imperial_Aramaic", 116), ("Inherited", 1), ("Inscriptional_Pahlavi", 122), ("Inscriptional_Parthian", 125),
    ("Javanese", 78), ("Kaithi", 120), ("Kannada", 21), ("Katakana", 22), ("Kayah_Li", 79), ("Kharoshthi", 57),
    ("Khitan_Small_Script", 191), ("Khmer", 23), ("Khojki", 157), ("Khudawadi", 145), ("Lao", 24), ("Latin", 25),
    ("Lepcha", 82), ("Limbu", 48), ("Linear_A", 83), ("Linear_B", 49), ("Lisu", 131), ("Lycian", 107),
    ("Lydian", 108), ("Mahajani", 160), ("Makasar", 180), ("Malayalam", 26), ("Mandaic", 84), ("Manichaean", 121),
    ("Marchen", 169), ("Masaram_Gondi", 175), ("Medefaidrin", 181), ("Meetei_Mayek", 115), ("Mende_Kikakui", 140),
    ("Meroitic_Cursive", 141), ("Meroitic_Hieroglyphs", 86), ("Miao", 92), ("Modi", 163), ("Mongolian", 27),
    ("Mro", 149), ("Multani", 164), ("Myanmar", 28), ("Nabataean", 143), ("Nandinagari", 187), ("New_Tai_Lue", 59),
    ("Newa", 170), ("Nko", 87), ("Nushu", 150), ("Nyiakeng_Puachue_Hmong", 186), ("Ogham", 29), ("Ol_Chiki", 109),
    ("Old_Hungarian", 76), ("Old_Italic", 30), ("Old_North_Arabian", 142), ("Old_Permic", 89), ("Old_Persian", 61),
    ("Old_Sogdian", 184), ("Old_South_Arabian", 133), ("Old_Turkic", 88), ("Oriya", 31), ("Osage", 171),
    ("Osmanya", 50), ("Pahawh_Hmong", 75), ("Palmyrene", 144), ("Pau_Cin_Hau", 165), ("Phags_Pa", 90),
    ("Phoenician", 91), ("Psalter_Pahlavi", 123), ("Rejang", 110), ("Runic", 32), ("Samaritan", 126),
    ("Saurashtra", 111), ("Sharada", 151), ("Shavian", 51), ("Siddham", 166), ("SignWriting", 112), ("Sinhala", 33),
    ("Sogdian", 183), ("Sora_Sompeng", 152), ("Soyombo", 176), ("Sundanese", 113), ("Syloti_Nagri", 58),
    ("Syriac", 34), ("Tagalog", 42), ("Tagbanwa", 45), ("Tai_Le", 52), ("Tai_Tham", 106), ("Tai_Viet", 127),
    ("Takri", 153), ("Tamil", 35), ("Tangut", 154), ("Telugu", 36), ("Thaana", 37), ("Thai", 38), ("Tibetan", 39),
    ("Tifinagh", 60), ("Tirhuta", 158), ("Ugaritic", 53), ("Vai", 99), ("Wancho", 188), ("Warang_Citi", 146),
    ("Yezidi", 192), ("Yi", 41), ("Zanabazar_Square", 177),
];
/// ICU's number for code points of no script.
const UNKNOWN: i32 = 103;
/// TF 1.x: for what is no code point.
const INVALID: i32 = -1;

/// First and last code points of each script's runs, with its number, in order.
type Runs = Vec<(u32, u32, i32)>;

fn runs() -> Result<&'static Runs> {
    static RUNS: OnceLock<std::result::Result<Runs, String>> = OnceLock::new();
    let made = RUNS.get_or_init(|| {
        let mut runs = Vec::new();
        for &(name, number) in SCRIPTS {
            let class = regex_syntax::parse(&format!(r"\p{{Script={name}}}")).map_err(|e| e.to_string())?;
            let HirKind::Class(Class::Unicode(class)) = class.kind() else {
                return Err(format!("{name} is not a class"));
            };
            runs.extend(class.iter().map(|r| (u32::from(r.start()), u32::from(r.end()), number)));
        }
        runs.sort_unstable();
        Ok(runs)
    });
    made.as_ref().map_err(|e| Status::internal(e.clone()))
}

fn script_of(runs: &Runs, code: i32) -> i32 {
    let Some(code) = u32::try_from(code).ok().filter(|&c| c <= u32::from(char::MAX)) else { return INVALID };
    let after = runs.partition_point(|&(first, ..)| first <= code);
    match runs[..after].last() {
        Some(&(_, last, number)) if code <= last => number,
        _ => UNKNOWN,
    }
}

fn scripts(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let runs = runs()?;
    kernel(move |ctx| {
        let codes = ctx.input(0)?;
        let mut out = Tensor::new(DType::I32, codes.shape().clone())?;
        for (to, &code) in out.slice_mut::<i32>()?.iter_mut().zip(codes.slice::<i32>()?) {
            *to = script_of(runs, code);
        }
        ctx.set_output(0, out);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("UnicodeScript")
            .input("input: int32")
            .output("output: int32")
            .doc("Returns ICU's number of the script of each code point; -1 for other numbers.")
            .shape(shape_rules::unchanged)
            .kernel(scripts),
    );
}

#[cfg(test)]
mod tests {
    use super::{SCRIPTS, runs};
    use crate::testing::run;
    use ferroflow_tensor::Tensor;

    #[test]
    fn scripts_are_those_of_icu() {
        let codes = [0x41, 0x3042, 0x20, 0x378, -1, 0x11_0000, 0x4e00, 0x10_ffff, 0x1_f600, 0x300, 0x416];
        let out = run("UnicodeScript", &[Tensor::from_slice([11], &codes).unwrap()], &[]).unwrap();
        assert_eq!(out[0].slice::<i32>().unwrap(), [25, 20, 0, 103, -1, -1, 17, 103, 0, 1, 8]);
    }

    #[test]
    fn every_script_has_code_points_and_no_two_share_one() {
        let runs = runs().unwrap();
        assert!(SCRIPTS.iter().all(|(_, number)| runs.iter().any(|run| run.2 == *number)));
        assert!(runs.windows(2).all(|pair| pair[0].1 < pair[1].0));
    }
}
