//! Writes files in which every chosen variant of a point can be switched on at run time.

use std::ops::Range;

use crate::points::{Form, Point};

/// Where a woven file holds a mutant: errors of the compiler are traced to it.
pub struct Place {
    pub mutant: u32,
    /// The text of the variant itself.
    pub variant: Range<usize>,
    /// The whole point with all its variants.
    pub point: Range<usize>,
}

/// A point and those of its variants that are woven: number of the mutant and index of the variant.
pub struct Chosen<'a> {
    pub point: &'a Point,
    pub variants: Vec<(u32, usize)>,
}

/// The text of a file with the switches of `points` (in preorder), and where they are.
pub fn weave(source: &str, points: &[Chosen]) -> (String, Vec<Place>) {
    // Insertions by offset. At one offset closing ones come first, the innermost before the others.
    let mut closing: Vec<(usize, usize)> = points
        .iter()
        .enumerate()
        .filter(|(_, c)| c.point.form != Form::Body)
        .map(|(i, c)| (c.point.range.end, i))
        .collect();
    closing.sort_by_key(|&(end, i)| (end, std::cmp::Reverse(i)));
    // Ranges are in preorder: at one offset the outer one comes first.
    let mut opening: Vec<(usize, usize)> = points.iter().enumerate().map(|(i, c)| (c.point.range.start, i)).collect();
    opening.sort_by_key(|&(start, i)| (start, i));

    let mut out = String::with_capacity(source.len() * 2);
    let mut places: Vec<Place> = Vec::new();
    let mut first_place = vec![0..0; points.len()];
    let mut starts = vec![0; points.len()];
    let (mut at, mut next_open, mut next_close) = (0, 0, 0);
    loop {
        let open = opening.get(next_open);
        let close = closing.get(next_close);
        let closes = match (open, close) {
            (None, None) => break,
            (Some(open), Some(close)) => close.0 <= open.0,
            (open, _) => open.is_none(),
        };
        if closes {
            let (offset, i) = closing[next_close];
            next_close += 1;
            out.push_str(&source[at..offset]);
            at = offset;
            out.push_str(if points[i].point.form == Form::Statement { " }" } else { ") })" });
            for place in &mut places[first_place[i].clone()] {
                place.point = starts[i]..out.len();
            }
        } else {
            let (offset, i) = opening[next_open];
            next_open += 1;
            out.push_str(&source[at..offset]);
            at = offset;
            starts[i] = out.len();
            let first = places.len();
            open_point(&mut out, &points[i], &mut places);
            first_place[i] = first..places.len();
        }
    }
    out.push_str(&source[at..]);
    (out, places)
}

fn open_point(out: &mut String, chosen: &Chosen, places: &mut Vec<Place>) {
    let begin = out.len();
    let first = places.len();
    if chosen.point.form == Form::Expression {
        out.push('(');
    }
    for &(mutant, variant) in &chosen.variants {
        let text = &chosen.point.variants[variant].text;
        match chosen.point.form {
            Form::Statement => out.push_str(&format!("if !crate::mutant::is({mutant}) {{ ")),
            Form::Expression | Form::Body => {
                out.push_str(&format!("if crate::mutant::is({mutant}) {{ "));
                let start = out.len();
                out.push_str(text);
                places.push(Place { mutant, variant: start..out.len(), point: begin..out.len() });
                out.push_str(if chosen.point.form == Form::Body { " } " } else { " } else " });
                continue;
            }
        }
        places.push(Place { mutant, variant: out.len()..out.len(), point: begin..out.len() });
    }
    match chosen.point.form {
        Form::Expression => out.push_str("{ ("),
        // All of a switch in front of a body belongs to it.
        Form::Body => places[first..].iter_mut().for_each(|p| p.point = begin..out.len()),
        Form::Statement => {}
    }
}

/// The module of the library that holds the switch.
pub const SWITCH: &str = r#"//! The switch of mutants. `KINETREE_MUTANT` is the number of the one that is on, or `trace`.
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock};

const UNREAD: u32 = u32::MAX;
const TRACE: u32 = u32::MAX - 1;
static ACTIVE: AtomicU32 = AtomicU32::new(UNREAD);
static REACHED: [AtomicBool; COUNT] = [const { AtomicBool::new(false) }; COUNT];
static FILE: OnceLock<Mutex<std::fs::File>> = OnceLock::new();

#[inline(always)]
pub(crate) fn is(mutant: u32) -> bool {
    let active = ACTIVE.load(Relaxed);
    active == mutant || (active >= TRACE && special(active, mutant))
}

#[cold]
#[inline(never)]
fn special(active: u32, mutant: u32) -> bool {
    let active = if active == UNREAD { read() } else { active };
    if active == TRACE && !REACHED[mutant as usize].swap(true, Relaxed) {
        let file = FILE.get_or_init(|| {
            let path = std::env::var_os("KINETREE_MUTANT_TRACE").expect("a file for the trace");
            Mutex::new(std::fs::OpenOptions::new().append(true).create(true).open(path).expect("the trace opens"))
        });
        let mut file = file.lock().unwrap_or_else(|e| e.into_inner());
        file.write_all(format!("{mutant}\n").as_bytes()).expect("the trace is written");
    }
    active == mutant
}

fn read() -> u32 {
    let active = match std::env::var("KINETREE_MUTANT") {
        Err(_) => 0,
        Ok(text) if text == "trace" => TRACE,
        Ok(text) => text.parse().expect("the number of a mutant"),
    };
    ACTIVE.store(active, Relaxed);
    active
}
"#;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points;

    #[test]
    fn points_nest() {
        let source = "fn f(a: i32, b: i32) -> bool { g(); if a + b < 3 { return true; } a.min(b) == 1 && !(a > b) }\nfn g() {}\n";
        let found = points::find(source).unwrap();
        let mut number = 0;
        let chosen: Vec<Chosen> = found
            .points
            .iter()
            .map(|point| Chosen {
                point,
                variants: (0..point.variants.len())
                    .map(|v| {
                        number += 1;
                        (number, v)
                    })
                    .collect(),
            })
            .collect();
        let (text, places) = weave(source, &chosen);
        syn::parse_file(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
        assert_eq!(number, 14, "{text}");
        assert_eq!(places.len(), 14);
        for place in &places {
            assert!(place.point.start <= place.variant.start && place.variant.end <= place.point.end);
        }
        // Without switches, the text is the source.
        assert_eq!(weave(source, &[]).0, source);
    }
}
