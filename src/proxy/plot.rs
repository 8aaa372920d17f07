//! Line plots over time as small SVG images.

use std::fmt::Write;

use super::quality::QualityReport;

/// The plotted column of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plotted {
    /// Median distance.
    Median,
    /// Largest distance.
    Maximum,
}

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 260.0;
const MARGIN: [f64; 4] = [56.0, 16.0, 34.0, 40.0];
/// Names per row below the plot.
const NAMES: usize = 4;
const COLOURS: [&str; 8] = ["#1f5fa8", "#c1442e", "#2e8b57", "#8a5aa8", "#c98a1b", "#3aa6b0", "#6b6b6b", "#a84a78"];

/// Plots one line per report, with its name below; distances in metres over time or poses, as in
/// the paper's figures 5 and 6.
pub fn plot(title: &str, reports: &[QualityReport], what: Plotted) -> String {
    let value = |row: &(f64, super::Coverage)| match what {
        Plotted::Median => row.1.median,
        Plotted::Maximum => row.1.maximum,
    };
    let [left, right, top, bottom] = MARGIN;
    let rows = || reports.iter().flat_map(|report| &report.rows);
    let first = rows().map(|row| row.0).fold(f64::INFINITY, f64::min);
    let last = rows().map(|row| row.0).fold(f64::NEG_INFINITY, f64::max);
    let highest = rows().map(value).filter(|x| x.is_finite()).fold(0.0, f64::max);
    let (step, ceiling) = ticks(highest);
    let span = if last > first { last - first } else { 1.0 };
    let x = |at: f64| left + (at - first) / span * (WIDTH - left - right);
    let y = |height: f64| HEIGHT - bottom - height / ceiling * (HEIGHT - top - bottom);
    let height = HEIGHT + 16.0 * reports.len().div_ceil(NAMES) as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"white\"/>\n\
         <text x=\"{left}\" y=\"18\" font-size=\"13\">{}</text>\n",
        escaped(title)
    );
    let lines = (ceiling / step).round() as u32;
    for line in 0..=lines {
        let height = step * f64::from(line);
        let _ = writeln!(
            svg,
            "<path d=\"M{left} {0:.1}H{1:.1}\" stroke=\"#ddd\"/><text x=\"{2:.1}\" y=\"{3:.1}\" text-anchor=\"end\">{4}</text>",
            y(height),
            WIDTH - right,
            left - 6.0,
            y(height) + 4.0,
            rounded(height)
        );
    }
    if first.is_finite() {
        for at in [first, 0.5 * (first + last), last] {
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                x(at),
                HEIGHT - bottom + 16.0,
                rounded(at)
            );
        }
    }
    let below = reports.first().map_or("", |report| if report.column == "pose" { "pose" } else { "time, s" });
    let (middle, foot) = (0.5 * (left + WIDTH - right), HEIGHT - 8.0);
    let _ = writeln!(svg, "<text x=\"{middle:.1}\" y=\"{foot:.1}\" text-anchor=\"middle\">{below}</text>");
    let _ = writeln!(svg, "<text x=\"6\" y=\"{:.1}\">m</text>", top - 4.0);
    for (index, report) in reports.iter().enumerate() {
        let mut path = String::new();
        for row in report.rows.iter().filter(|row| value(row).is_finite()) {
            let _ = write!(path, "{}{:.1} {:.1}", if path.is_empty() { "M" } else { "L" }, x(row.0), y(value(row)));
        }
        let colour = COLOURS[index % COLOURS.len()];
        let _ = writeln!(
            svg,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"><title>{}</title></path>",
            escaped(&report.name)
        );
        let column = left + (index % NAMES) as f64 * (WIDTH - left - right) / NAMES as f64;
        let row = HEIGHT + 16.0 * (index / NAMES) as f64 + 8.0;
        let _ = writeln!(
            svg,
            "<path d=\"M{column:.1} {:.1}h16\" stroke=\"{colour}\" stroke-width=\"3\"/><text x=\"{:.1}\" y=\"{row:.1}\">{}</text>",
            row - 4.0,
            column + 20.0,
            escaped(&report.name)
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// Returns a round step (1, 2 or 5 times a power of ten) with four to ten lines up to `highest`,
/// and the line above it.
fn ticks(highest: f64) -> (f64, f64) {
    if !(highest > 0.0) {
        return (1.0, 1.0);
    }
    let mut step = 1.0;
    while step * 10.0 < highest {
        step *= 10.0;
    }
    while step > highest {
        step /= 10.0;
    }
    for finer in [0.1, 0.2, 0.5] {
        if highest / (step * finer) <= 10.0 {
            step *= finer;
            break;
        }
    }
    (step, step * (highest / step).ceil())
}

/// Formats a number for a label: at most six digits after the point, without trailing zeros.
fn rounded(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proxy::Coverage;

    #[test]
    fn a_plot_has_a_line_per_report() {
        let coverage = |maximum| Coverage { median: 0.1, maximum, uncovered: 0.0, gaps: 0, inside: 0 };
        let report = |name: &str, height: f64| QualityReport {
            name: name.into(),
            spheres: 1,
            limit: 0.0,
            column: "time_s",
            rows: vec![(0.0, coverage(height)), (2.0, coverage(0.5 * height))],
        };
        let svg = plot("a < b", &[report("one", 0.3), report("two", 0.07)], Plotted::Maximum);
        assert_eq!(svg.matches("<title>").count(), 2);
        assert!(svg.contains(">one</text>") && svg.contains(">two</text>"));
        assert!(svg.contains("a &lt; b") && svg.ends_with("</svg>\n"));
        // The highest line's first point is at the top, its second halfway down.
        assert!(svg.contains("M56.0 34.0L464.0 127.0"), "{svg}");
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks(0.0), (1.0, 1.0));
        let (step, ceiling) = ticks(0.034);
        assert!((step - 0.005).abs() < 1e-12 && (ceiling - 0.035).abs() < 1e-12, "{step} {ceiling}");
        assert_eq!(rounded(0.25), "0.25");
        assert_eq!(rounded(30.0), "30");
    }
}
