//! What was measured, as comma-separated values: a line per contender and cell, written and read back.

use std::fmt::Write as _;

use crate::NAMES;
use crate::report::{Cell, Row, Spread};

const HEAD: &str = "scene,family,triangles,frames_per_interval,intervals,pairs_per_frame,contender,update_ns,update_p25,update_p75,\
query_ns,query_p25,query_p75,whole_ns,whole_p25,whole_p75,ratio,ratio_p25,ratio_p75,update_ratio,update_ratio_p25,update_ratio_p75,\
setup_ns,setup_per_frame_ns,first_frame_ns,worst_frame_ns,bytes_per_triangle,machine";

/// All cells.
pub fn written(cells: &[Cell]) -> String {
    let mut text = format!("{HEAD}\n");
    for cell in cells {
        let Cell { scene, family, triangles, frames, intervals, pairs_per_frame, machine, rows } = cell;
        for row in rows {
            let _ =
                write!(text, "{scene},{family},{triangles},{frames},{intervals},{pairs_per_frame:.1},\"{}\"", row.name);
            for spread in [row.update, row.query, row.whole] {
                let _ = write!(text, ",{:.0},{:.0},{:.0}", spread.median, spread.low, spread.high);
            }
            for spread in [row.ratio, row.update_ratio] {
                let _ = write!(text, ",{:.4},{:.4},{:.4}", spread.median, spread.low, spread.high);
            }
            for time in [row.setup, row.setup_per_frame, row.first, row.worst] {
                let _ = write!(text, ",{time:.0}");
            }
            let _ = writeln!(text, ",{:.1},\"{machine}\"", row.bytes_per_triangle);
        }
    }
    text
}

/// The fields of a line; commas between quotes belong to a field.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            _ => fields.last_mut().expect("one at least").push(letter),
        }
    }
    fields
}

/// Cells as they were written.
///
/// # Panics
/// If the text is not of this form.
pub fn read(text: &str) -> Vec<Cell> {
    let mut lines = text.lines();
    assert!(lines.next() == Some(HEAD), "rows of another version: remove them");
    let mut cells: Vec<Cell> = Vec::new();
    for line in lines {
        let fields = fields(line);
        let number = |place: usize| fields[place].parse::<f64>().expect("a number");
        let spread = |place: usize| Spread { median: number(place), low: number(place + 1), high: number(place + 2) };
        let Some(name) = NAMES.into_iter().find(|name| *name == fields[6]) else { continue };
        let row = Row {
            name,
            update: spread(7),
            query: spread(10),
            whole: spread(13),
            ratio: spread(16),
            update_ratio: spread(19),
            setup: number(22),
            setup_per_frame: number(23),
            first: number(24),
            worst: number(25),
            bytes_per_triangle: number(26),
        };
        let frames = number(3) as usize;
        match cells.last_mut().filter(|cell| cell.scene == fields[0] && cell.frames == frames) {
            Some(cell) => cell.rows.push(row),
            None => cells.push(Cell {
                scene: fields[0].clone(),
                family: fields[1].clone(),
                triangles: number(2) as usize,
                frames,
                intervals: number(4) as usize,
                pairs_per_frame: number(5),
                machine: fields[27].clone(),
                rows: vec![row],
            }),
        }
    }
    cells
}
