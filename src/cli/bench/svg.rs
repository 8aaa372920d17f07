//! Line charts as SVG: panels in rows, axes linear or logarithmic, one legend. Numbers are
//! rounded to a tenth of a pixel, so equal data give equal files.

use std::fmt::Write;

/// A line through points.
#[derive(Clone, Debug)]
pub(super) struct Series {
    pub(super) name: String,
    /// Ascending in x.
    pub(super) points: Vec<(f64, f64)>,
    /// Which colour and mark; the same number looks the same in all panels.
    pub(super) look: usize,
    pub(super) dashed: bool,
}

/// A chart.
#[derive(Clone, Debug)]
pub(super) struct Panel {
    pub(super) title: String,
    pub(super) x_label: String,
    pub(super) y_label: String,
    pub(super) x_log: bool,
    pub(super) y_log: bool,
    pub(super) series: Vec<Series>,
}

/// Charts in rows under one title, with a caption below.
#[derive(Clone, Debug)]
pub(super) struct Figure {
    pub(super) title: String,
    pub(super) caption: Vec<String>,
    /// Panels in a row, at least 1.
    pub(super) columns: usize,
    pub(super) panels: Vec<Panel>,
}

/// Colours that are distinct in every common kind of colour vision.
const COLOURS: [&str; 8] = ["#0060a8", "#c85000", "#00916a", "#b0558a", "#222222", "#a88600", "#3fa0d8", "#777777"];

const PLOT: [f64; 2] = [300.0, 220.0];
const LEFT: f64 = 74.0;
const RIGHT: f64 = 18.0;
const TOP: f64 = 76.0;
const BOTTOM: f64 = 52.0;
/// From the top of a panel to the top of the one below.
const ROW: f64 = 306.0;
/// Length of the marks at axes.
const TICK: f64 = 4.0;
/// At most this many different numbers are written at a logarithmic axis themselves.
const MOST_OWN_TICKS: usize = 6;
const LEGEND_LINE: f64 = 18.0;
const LEGEND_COLUMN: f64 = 216.0;
const LEAST_WIDTH: f64 = 960.0;
const CAPTION_LINE: f64 = 16.0;

/// Where numbers lie along an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scale {
    low: f64,
    high: f64,
    is_log: bool,
    length: f64,
}

impl Scale {
    fn new(values: impl Iterator<Item = f64>, wants_log: bool, length: f64) -> Self {
        let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if wants_log && least > 0.0 && least <= most {
            // A little beyond the data, and so far that a tick lies between.
            let (low, high) = (least / 1.25, most * 1.25);
            let high = high.max(4.0 * low);
            return Self { low, high, is_log: true, length };
        }
        let high = if most > 0.0 { most * 1.05 } else { 1.0 };
        Self { low: 0.0, high, is_log: false, length }
    }

    fn place(&self, value: f64) -> f64 {
        let share = if self.is_log {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        share.clamp(0.0, 1.0) * self.length
    }

    /// Values to write at the axis: 1, 2 or 5 times powers of ten.
    fn ticks(&self) -> Vec<f64> {
        if !self.is_log {
            let step = nice_step(self.high / 5.0);
            let count = (self.high / step) as u32;
            return (0..=count).map(|i| f64::from(i) * step).collect();
        }
        let decades = (self.high / self.low).log10();
        let digits: &[f64] = if decades < 2.65 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let first = self.low.log10().floor() as i32;
        let all = (first..=first + decades.ceil() as i32 + 1)
            .flat_map(|power| digits.iter().map(move |digit| digit * 10f64.powi(power)));
        all.filter(|&tick| tick >= self.low && tick <= self.high).collect()
    }
}

/// The least of 1, 2, 5, 10 … times a power of ten that is not below `least`.
fn nice_step(least: f64) -> f64 {
    let power = 10f64.powi(least.log10().floor() as i32);
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|digit| digit * power).find(|&step| step >= least).unwrap_or(10.0 * power)
}

/// A tick as a reader writes it: 0.05, 20, 130k, 3M.
fn label(value: f64) -> String {
    let short = |value: f64| {
        let text = format!("{value:.2}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    match value.abs() {
        0.0 => "0".into(),
        size if size >= 1e6 => format!("{}M", short(value / 1e6)),
        size if size >= 1e3 => format!("{}k", short(value / 1e3)),
        size if size >= 0.01 => short(value),
        _ => format!("{value:.0e}"),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

impl Figure {
    /// The whole file.
    pub(super) fn svg(&self) -> String {
        let cell = LEFT + PLOT[0] + RIGHT;
        let legend = self.legend();
        // Wide enough for titles and captions.
        let in_a_row = self.columns.clamp(1, self.panels.len().max(1));
        let width = (cell * in_a_row as f64).max(LEAST_WIDTH);
        let columns = ((width - LEFT) / LEGEND_COLUMN) as usize;
        let legend_height = legend.len().div_ceil(columns) as f64 * LEGEND_LINE;
        let more_rows = self.panels.len().div_ceil(in_a_row).saturating_sub(1);
        let legend_top = TOP + ROW * more_rows as f64 + PLOT[1] + BOTTOM;
        let caption_top = legend_top + legend_height + 8.0;
        let height = caption_top + CAPTION_LINE * self.caption.len() as f64 + 12.0;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222222\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        );
        text(&mut svg, (LEFT, 26.0), "font-size=\"16\" font-weight=\"bold\"", &self.title);
        for (index, panel) in self.panels.iter().enumerate() {
            let (row, column) = (index / in_a_row, index % in_a_row);
            panel.draw(&mut svg, cell * column as f64 + LEFT, ROW * row as f64 + TOP);
        }
        for (index, series) in legend.iter().enumerate() {
            let x = LEFT + (index % columns) as f64 * LEGEND_COLUMN;
            let y = legend_top + (index / columns) as f64 * LEGEND_LINE + 4.0;
            line(&mut svg, &[(x, y), (x + 28.0, y)], series);
            mark(&mut svg, (x + 14.0, y), series);
            text(&mut svg, (x + 36.0, y + 4.0), "", &series.name);
        }
        for (index, caption) in self.caption.iter().enumerate() {
            let y = caption_top + CAPTION_LINE * (index as f64 + 0.8);
            text(&mut svg, (LEFT, y), "font-size=\"11\" fill=\"#555555\"", caption);
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// Every series once, in the order of their first appearance.
    fn legend(&self) -> Vec<&Series> {
        let mut legend: Vec<&Series> = Vec::new();
        for series in self.panels.iter().flat_map(|panel| &panel.series) {
            if legend.iter().all(|known| known.name != series.name) {
                legend.push(series);
            }
        }
        legend
    }
}

impl Panel {
    /// The numbers along a logarithmic x axis, if they are few.
    fn own_ticks(&self) -> Option<Vec<f64>> {
        let mut ticks: Vec<f64> = self.series.iter().flat_map(|series| &series.points).map(|point| point.0).collect();
        ticks.sort_by(f64::total_cmp);
        ticks.dedup();
        (self.x_log && ticks.len() <= MOST_OWN_TICKS).then_some(ticks)
    }

    fn draw(&self, svg: &mut String, left: f64, top: f64) {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let x = Scale::new(points().map(|point| point.0), self.x_log, PLOT[0]);
        let y = Scale::new(points().map(|point| point.1), self.y_log, PLOT[1]);
        let bottom = top + PLOT[1];
        let style = "stroke=\"#dddddd\" stroke-width=\"1\"";
        let axis = "stroke=\"#222222\" stroke-width=\"1\"";
        for tick in self.own_ticks().unwrap_or_else(|| x.ticks()) {
            let at = left + x.place(tick);
            let _ = writeln!(svg, "<path d=\"M{at:.1} {top:.1}V{bottom:.1}\" {style}/>");
            let _ = writeln!(svg, "<path d=\"M{at:.1} {bottom:.1}v{TICK}\" {axis}/>");
            text(svg, (at, bottom + 16.0), "text-anchor=\"middle\" font-size=\"11\"", &label(tick));
        }
        for tick in y.ticks() {
            let at = bottom - y.place(tick);
            let _ = writeln!(svg, "<path d=\"M{left:.1} {at:.1}H{:.1}\" {style}/>", left + PLOT[0]);
            let _ = writeln!(svg, "<path d=\"M{left:.1} {at:.1}h-{TICK}\" {axis}/>");
            text(svg, (left - 6.0, at + 4.0), "text-anchor=\"end\" font-size=\"11\"", &label(tick));
        }
        let _ = writeln!(
            svg,
            "<path d=\"M{left:.1} {top:.1}V{bottom:.1}H{:.1}\" fill=\"none\" stroke=\"#222222\"/>",
            left + PLOT[0]
        );
        text(svg, (left, top - 12.0), "font-weight=\"bold\"", &self.title);
        let of_scale = |name: &str, is_log| if is_log { format!("{name} (log scale)") } else { name.to_owned() };
        let x_label = of_scale(&self.x_label, x.is_log);
        text(svg, (left + PLOT[0] / 2.0, bottom + 36.0), "text-anchor=\"middle\"", &x_label);
        let (at, middle) = (left - 56.0, top + PLOT[1] / 2.0);
        let turned = format!("text-anchor=\"middle\" transform=\"rotate(-90 {at:.1} {middle:.1})\"");
        text(svg, (at, middle), &turned, &of_scale(&self.y_label, y.is_log));
        for series in &self.series {
            let places: Vec<(f64, f64)> =
                series.points.iter().map(|point| (left + x.place(point.0), bottom - y.place(point.1))).collect();
            line(svg, &places, series);
            places.iter().for_each(|&place| mark(svg, place, series));
        }
    }
}

fn text(svg: &mut String, (x, y): (f64, f64), attributes: &str, content: &str) {
    let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" {attributes}>{}</text>", escaped(content));
}

fn line(svg: &mut String, places: &[(f64, f64)], series: &Series) {
    let points: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let dash = if series.dashed { " stroke-dasharray=\"5 4\"" } else { "" };
    let colour = COLOURS[series.look % COLOURS.len()];
    let _ = writeln!(
        svg,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\"{dash}/>",
        points.join(" ")
    );
}

/// A disc, square, triangle, diamond, inverted triangle or cross; none on dashed lines.
fn mark(svg: &mut String, (x, y): (f64, f64), series: &Series) {
    if series.dashed {
        return;
    }
    let colour = COLOURS[series.look % COLOURS.len()];
    let corners: &[(f64, f64)] = match series.look % 6 {
        0 => &[],
        1 => &[(-3.2, -3.2), (3.2, -3.2), (3.2, 3.2), (-3.2, 3.2)],
        2 => &[(0.0, -4.2), (4.0, 3.0), (-4.0, 3.0)],
        3 => &[(0.0, -4.5), (4.5, 0.0), (0.0, 4.5), (-4.5, 0.0)],
        4 => &[(0.0, 4.2), (-4.0, -3.0), (4.0, -3.0)],
        _ => &[
            (-4.5, -1.4),
            (-1.4, -1.4),
            (-1.4, -4.5),
            (1.4, -4.5),
            (1.4, -1.4),
            (4.5, -1.4),
            (4.5, 1.4),
            (1.4, 1.4),
            (1.4, 4.5),
            (-1.4, 4.5),
            (-1.4, 1.4),
            (-4.5, 1.4),
        ],
    };
    if corners.is_empty() {
        let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.4\" fill=\"{colour}\"/>");
        return;
    }
    let points: Vec<String> = corners.iter().map(|(dx, dy)| format!("{:.1},{:.1}", x + dx, y + dy)).collect();
    let _ = writeln!(svg, "<polygon points=\"{}\" fill=\"{colour}\"/>", points.join(" "));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers_inside_the_axis() {
        let scale = Scale::new([0.0, 17.0].into_iter(), false, 100.0);
        assert_eq!(scale.ticks(), [0.0, 5.0, 10.0, 15.0]);
        let scale = Scale::new([1.0, 300.0].into_iter(), true, 100.0);
        assert_eq!(scale.ticks(), [1.0, 10.0, 100.0]);
        let scale = Scale::new([2_000.0, 16_000.0].into_iter(), true, 100.0);
        assert_eq!(scale.ticks(), [2_000.0, 5_000.0, 10_000.0, 20_000.0]);
        // Nothing, zeros and infinities still give an axis.
        for values in [vec![], vec![0.0], vec![f64::INFINITY, 3.0], vec![0.0, 5.0]] {
            let scale = Scale::new(values.into_iter(), true, 100.0);
            assert!(!scale.ticks().is_empty() && scale.place(1.0).is_finite());
        }
    }

    #[test]
    fn labels_are_short() {
        let labels = [0.0, 0.002, 0.05, 20.0, 2_500.0, 130_000.0, 3e6].map(label);
        assert_eq!(labels, ["0", "2e-3", "0.05", "20", "2.5k", "130k", "3M"]);
    }

    #[test]
    fn text_is_escaped_and_series_are_named_once() {
        let series = |name: &str| Series { name: name.into(), points: vec![(1.0, 2.0)], look: 0, dashed: false };
        let panel = Panel {
            title: "a < b & c".into(),
            x_label: "x".into(),
            y_label: "y".into(),
            x_log: true,
            y_log: false,
            series: vec![series("one"), series("two")],
        };
        let title = "t".to_owned();
        let figure = Figure { title, caption: vec!["c".into()], columns: 2, panels: vec![panel.clone(), panel] };
        let svg = figure.svg();
        assert!(svg.contains("a &lt; b &amp; c") && !svg.contains("a < b"));
        assert_eq!(svg.matches(">one<").count(), 1);
        // The axis that is logarithmic says so.
        assert!(svg.contains(">x (log scale)<") && !svg.contains(">y (log scale)<"));
        // One column is narrower or equal, and higher.
        let height =
            |svg: &str| svg.split("height=\"").nth(1).unwrap().split('"').next().unwrap().parse::<f64>().unwrap();
        let below = Figure { columns: 1, ..figure }.svg();
        assert_eq!(height(&below), height(&svg) + ROW);
    }
}
