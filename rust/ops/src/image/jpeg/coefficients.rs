//! The coefficients of a scan, sequential or progressive.

use super::Options;
use super::entropy::{Bits, Huffman};
use super::header::{Frame, Reader, Scan, ZIGZAG};
use super::inverse_dct::Inverse;
use super::plane::Plane;
use std::sync::Arc;

/// The result of a scan.
pub(super) struct End {
    /// True if the data ended before it.
    pub truncated: bool,
    /// Rows of pixels that are there in full.
    pub complete_rows: usize,
}

/// State that goes from one block to the next.
struct State {
    /// By component of the scan.
    predictions: [i32; 4],
    /// Blocks that have nothing more in this band.
    end_of_band: u32,
}

/// A scan's component, with what its blocks are read by.
struct Part {
    at: usize,
    dc: Option<Arc<Huffman>>,
    ac: Option<Arc<Huffman>>,
}

/// Reads a block; true if it has no coefficient after the first.
fn sequential(bits: &mut Bits<'_>, dc: &Huffman, ac: &Huffman, prediction: &mut i32, block: &mut [i16; 64]) -> bool {
    let length = u32::from(bits.symbol(dc)).min(16);
    *prediction = prediction.wrapping_add(bits.signed(length));
    block[0] = *prediction as i16;
    let mut is_constant = true;
    bits.coefficients(ac, |k, value| {
        block[usize::from(ZIGZAG[k])] = value;
        is_constant = false;
    });
    is_constant
}

fn first_band(bits: &mut Bits<'_>, ac: &Huffman, scan: &Scan, state: &mut State, block: &mut [i16]) {
    if state.end_of_band > 0 {
        state.end_of_band -= 1;
        return;
    }
    let [mut k, last] = scan.band;
    while k <= last {
        let symbol = bits.symbol(ac);
        let (run, length) = (usize::from(symbol >> 4), u32::from(symbol & 15));
        if length > 0 {
            k += run;
            block[usize::from(ZIGZAG[k.min(79)])] = (bits.signed(length) << scan.approximation[1]) as i16;
        } else if run == 15 {
            k += 15;
        } else {
            state.end_of_band = (1 << run) - 1 + bits.take(run as u32);
            break;
        }
        k += 1;
    }
}

/// Reads one more bit of a coefficient that is not 0.
fn refine(bits: &mut Bits<'_>, value: &mut i16, bit: i16) {
    if bits.take(1) == 1 && *value & bit == 0 {
        *value = value.wrapping_add(if *value >= 0 { bit } else { -bit });
    }
}

fn refined_band(bits: &mut Bits<'_>, ac: &Huffman, scan: &Scan, state: &mut State, block: &mut [i16]) {
    let bit = 1i16 << scan.approximation[1];
    let [mut k, last] = scan.band;
    if state.end_of_band == 0 {
        while k <= last {
            let symbol = bits.symbol(ac);
            let mut run = i32::from(symbol >> 4);
            let mut new = 0;
            if symbol & 15 != 0 {
                new = if bits.take(1) == 1 { bit } else { -bit };
            } else if run != 15 {
                state.end_of_band = (1 << run) + bits.take(run as u32);
                break;
            }
            while k <= last {
                let value = &mut block[usize::from(ZIGZAG[k])];
                if *value != 0 {
                    refine(bits, value, bit);
                } else {
                    run -= 1;
                    if run < 0 {
                        break;
                    }
                }
                k += 1;
            }
            if new != 0 && k <= last {
                block[usize::from(ZIGZAG[k])] = new;
            }
            k += 1;
        }
    }
    if state.end_of_band > 0 {
        while k <= last {
            let value = &mut block[usize::from(ZIGZAG[k])];
            if *value != 0 {
                refine(bits, value, bit);
            }
            k += 1;
        }
        state.end_of_band -= 1;
    }
}

/// A block of a component.
struct Place {
    /// The number of the component in its scan.
    component: usize,
    row: usize,
    column: usize,
    /// If True, the data ended before the block's unit.
    missing: bool,
}

/// Reads one block of a component.
fn read_block(
    bits: &mut Bits<'_>,
    part: &Part,
    scan: &Scan,
    state: &mut State,
    plane: &mut Plane,
    place: Place,
) -> Option<()> {
    let Place { component, row, column, missing } = place;
    if plane.coefficients.is_empty() {
        let mut block = [0; 64];
        let mut is_constant = true;
        if !missing {
            let (dc, ac) = (part.dc.as_ref()?, part.ac.as_ref()?);
            is_constant = sequential(bits, dc, ac, &mut state.predictions[component], &mut block);
        }
        plane.put(row, column, &block, is_constant);
        return Some(());
    }
    if missing {
        return Some(());
    }
    let at = (row * plane.blocks_across + column) * 64;
    let block = plane.coefficients.get_mut(at..at + 64)?;
    let low = scan.approximation[1];
    match (scan.band[0] == 0, scan.approximation[0] == 0) {
        (true, true) => {
            let length = u32::from(bits.symbol(part.dc.as_ref()?)).min(16);
            let prediction = &mut state.predictions[component];
            *prediction = prediction.wrapping_add(bits.signed(length));
            block[0] = (*prediction << low) as i16;
        }
        (true, false) => {
            if bits.take(1) == 1 {
                block[0] |= 1 << low;
            }
        }
        (false, true) => first_band(bits, part.ac.as_ref()?, scan, state, block),
        (false, false) => refined_band(bits, part.ac.as_ref()?, scan, state, block),
    }
    Some(())
}

fn is_sound(frame: &Frame, scan: &Scan) -> bool {
    let [first, last] = scan.band;
    if !frame.progressive {
        // libjpeg reads sequential scans in full, whatever their headers state.
        return true;
    }
    let [high, low] = scan.approximation;
    let bands = if first == 0 { last == 0 } else { last >= first && last < 64 && scan.components.len() == 1 };
    bands && low <= 13 && (high == 0 || high - 1 == low)
}

/// Reads a scan that begins where the reader is, and leaves the reader after it.
///
/// `None` where headers or tables do not fit; damaged data gives some coefficients, as in libjpeg.
pub(super) fn read_scan(
    reader: &mut Reader<'_>,
    frame: &Frame,
    scan: &Scan,
    planes: &mut [Plane],
    options: Options,
) -> Option<End> {
    if !is_sound(frame, scan) {
        return None;
    }
    let mut parts = Vec::new();
    for c in &scan.components {
        let plane = planes.get_mut(c.at)?;
        if plane.inverse.is_none() {
            let table = reader.quantization[frame.components[c.at].table].as_ref()?;
            plane.inverse = Some(Arc::new(Inverse::new(table, options.accurate)));
        }
        // Such scans are complete. Another one would only repeat the work, as often as a damaged file repeats it.
        if plane.seen && !frame.progressive {
            return None;
        }
        plane.seen = true;
        parts.push(Part { at: c.at, dc: reader.dc.get(c.dc)?.clone(), ac: reader.ac.get(c.ac)?.clone() });
    }
    let mut bits = Bits::new(reader.data, reader.at);
    let mut state = State { predictions: [0; 4], end_of_band: 0 };
    let alone = parts.len() == 1;
    let units = if alone { frame.components[parts[0].at].blocks } else { frame.units };
    let in_unit: usize =
        scan.components.iter().map(|c| frame.components[c.at].sampling.iter().product::<usize>()).sum();
    if !alone && in_unit > 10 {
        return None;
    }
    let mut complete = None;
    let mut until_restart = reader.restart_interval;
    let mut goes_on = reader.restart_interval > 0;
    'scan: for y in 0..units[1] {
        for x in 0..units[0] {
            if reader.restart_interval > 0 {
                if until_restart == 0 {
                    goes_on = bits.restart();
                    state = State { predictions: [0; 4], end_of_band: 0 };
                    until_restart = reader.restart_interval;
                }
                until_restart -= 1;
            }
            // The unit in which the data ends is completed by zero bits; those after it stay gray.
            let missing = bits.is_missing();
            if missing && !goes_on && frame.progressive {
                break 'scan;
            }
            for (component, part) in parts.iter().enumerate() {
                let plane = &mut planes[part.at];
                if alone {
                    let place = Place { component, row: y, column: x, missing };
                    read_block(&mut bits, part, scan, &mut state, plane, place)?;
                    continue;
                }
                let [h, v] = frame.components[part.at].sampling;
                for row in 0..v {
                    for column in 0..h {
                        let place = Place { component, row: y * v + row, column: x * h + column, missing };
                        read_block(&mut bits, part, scan, &mut state, plane, place)?;
                    }
                }
            }
        }
        if bits.truncated {
            complete.get_or_insert(y);
        }
    }
    reader.at = bits.at;
    let pixels = if alone { 8 * frame.most[1] / frame.components[parts[0].at].sampling[1] } else { 8 * frame.most[1] };
    Some(End { truncated: bits.truncated, complete_rows: complete.map_or(usize::MAX, |y| y * pixels) })
}
