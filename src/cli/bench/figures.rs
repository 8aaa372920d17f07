//! The figures of the kinetic paper, drawn from our rows; and one for its Theorem 2.

use super::clock::CLOCK;
use super::contender::Method;
use super::row::Row;
use super::scene::SceneName;
use super::svg::{Figure, Panel, Series};
use crate::kinetic::TreeKind;

const TREES: [Method; 2] = [Method::Tree(TreeKind::Aabb), Method::Tree(TreeKind::Box)];
const UPDATES: [Method; 3] = [TREES[0], TREES[1], Method::BottomUp];

/// What runs along the x axis.
#[derive(Clone, Copy)]
enum Along {
    /// Runs with this number of frames per key interval.
    Triangles(usize),
    /// Runs over the smallest mesh.
    Frames,
}

/// A file name and a figure. Panels without at least two points are left out, figures without
/// panels too.
pub(super) fn figures(rows: &[Row], compared_at: usize) -> Vec<(&'static str, Figure)> {
    let rows = Rows(rows);
    let by_size = Along::Triangles(compared_at);
    let time = |row: &Row| row.update_ms_per_frame;
    let total = |row: &Row| row.total_ms_per_frame;
    let panel = |title, scene, along, label, methods: &[Method], value: fn(&Row) -> f64| {
        rows.panel(title, scene, along, label, methods, value)
    };
    let (update, whole) = ("update time per frame, ms", "total time per frame, ms");
    let cases = [
        (
            "figure_18.svg",
            "As figure 18 of Zachmann and Weller 2006: the falling tablecloth",
            vec![
                rows.events_panel("left: events and updates per frame", SceneName::Tablecloth, by_size),
                panel("middle: updates per frame", SceneName::Tablecloth, by_size, UPDATED, &UPDATES, updates),
                panel("right: update time", SceneName::Tablecloth, by_size, update, &UPDATES, time),
            ],
        ),
        (
            "figure_19.svg",
            "As figure 19 of Zachmann and Weller 2006: spheres with flightplan updates, and the dress",
            vec![
                panel("left: update time, spheres", SceneName::Spheres, by_size, update, &UPDATES, time),
                rows.events_panel("middle: events and updates, dress", SceneName::Dress, by_size),
                panel("right: update time, dress", SceneName::Dress, by_size, update, &UPDATES, time),
            ],
        ),
        (
            "figure_21.svg",
            "As figure 21 of Zachmann and Weller 2006: the walking figure in a shirt",
            vec![
                panel("left: update time", SceneName::Shirt, Along::Frames, update, &UPDATES, time),
                panel("middle: update time", SceneName::Shirt, by_size, update, &UPDATES, time),
                panel("right: update and check", SceneName::Shirt, by_size, whole, &Method::ALL, total),
            ],
        ),
        (
            "figure_22.svg",
            "As figure 22 of Zachmann and Weller 2006: update and collision check together",
            vec![
                panel("left: dress", SceneName::Dress, by_size, whole, &Method::ALL, total),
                panel("middle: dress", SceneName::Dress, Along::Frames, whole, &Method::ALL, total),
                panel("right: tablecloth", SceneName::Tablecloth, by_size, whole, &Method::ALL, total),
            ],
        ),
        (
            "events_vs_triangles.svg",
            "Theorem 2 of Zachmann and Weller 2006: events against triangles",
            vec![rows.growth(TREES[0]), rows.growth(TREES[1]), rows.ratio()],
        ),
    ];
    let leaf_size = rows.0.first().map_or(1, |row| row.leaf_size);
    let caption = vec![
        format!(
            "Means over whole runs; {compared_at} frames per key interval where triangles run along the axis, the smallest mesh where \
             frames do. Leaves of {leaf_size}."
        ),
        format!(
            "Times: {CLOCK}, median of repeated runs. Made by kinetree bench; the rows are in bench.csv beside this file."
        ),
    ];
    let drawn = cases.into_iter().map(|(file, title, panels)| {
        let panels: Vec<Panel> = panels.into_iter().flatten().collect();
        (file, Figure { title: title.into(), caption: caption.clone(), panels })
    });
    drawn.filter(|(_, figure)| !figure.panels.is_empty()).collect()
}

const UPDATED: &str = "bounds replaced per frame";

fn updates(row: &Row) -> f64 {
    row.per_frame(row.updates)
}

/// n log₂ n for the triangles of a run.
fn n_log_n(row: &Row) -> f64 {
    row.triangles as f64 * (row.triangles as f64).log2()
}

fn events_per_interval(row: &Row) -> f64 {
    row.tree_events as f64 / row.key_intervals as f64
}

struct Rows<'a>(&'a [Row]);

impl<'a> Rows<'a> {
    /// Rows of a method along an axis, ascending.
    fn along(&self, scene: SceneName, method: Method, along: Along) -> Vec<&'a Row> {
        let of_scene = || self.0.iter().filter(move |row| row.scene == scene && row.method == method);
        let least = of_scene().map(|row| row.triangles).min();
        let wanted = |row: &&Row| match along {
            Along::Triangles(compared_at) => row.interpolated == compared_at,
            Along::Frames => Some(row.triangles) == least,
        };
        let mut rows: Vec<&Row> = of_scene().filter(wanted).collect();
        rows.sort_by_key(|row| (row.triangles, row.interpolated));
        rows
    }

    fn series(
        &self,
        name: String,
        look: usize,
        scene: SceneName,
        method: Method,
        along: Along,
        value: impl Fn(&Row) -> f64,
    ) -> Series {
        let place = |row: &Row| match along {
            Along::Triangles(_) => row.triangles as f64,
            Along::Frames => row.interpolated as f64,
        };
        let rows = self.along(scene, method, along);
        Series { name, look, dashed: false, points: rows.iter().map(|row| (place(row), value(row))).collect() }
    }

    fn panel(
        &self,
        title: &str,
        scene: SceneName,
        along: Along,
        label: &str,
        methods: &[Method],
        value: fn(&Row) -> f64,
    ) -> Option<Panel> {
        let series = methods
            .iter()
            .map(|&method| self.series(method.title().into(), look_of(method), scene, method, along, value));
        finish(title, along, label, series.collect())
    }

    /// Events and updates of both kinetic trees.
    fn events_panel(&self, title: &str, scene: SceneName, along: Along) -> Option<Panel> {
        let mut series = Vec::new();
        for method in TREES {
            let events = |row: &Row| row.per_frame(row.tree_events);
            let name = format!("events, {}", method.title());
            series.push(Series { dashed: true, ..self.series(name, look_of(method), scene, method, along, events) });
            series.push(self.series(method.title().into(), look_of(method), scene, method, along, updates));
        }
        finish(title, along, "events and replaced bounds per frame", series)
    }

    /// One run of each size.
    fn sizes(&self, scene: SceneName, method: Method) -> Vec<&'a Row> {
        let mut rows: Vec<&Row> = self.0.iter().filter(|row| row.scene == scene && row.method == method).collect();
        rows.sort_by_key(|row| row.triangles);
        rows.dedup_by_key(|row| row.triangles);
        rows
    }

    /// Events of a tree per key interval in all scenes, beside n log n.
    fn growth(&self, method: Method) -> Option<Panel> {
        let scenes = SCENES.iter().map(|&(scene, look)| {
            let points =
                self.sizes(scene, method).iter().map(|row| (row.triangles as f64, events_per_interval(row))).collect();
            Series { name: scene.name().into(), look, dashed: false, points }
        });
        let mut series: Vec<Series> = scenes.collect();
        let all: Vec<&Row> = SCENES.iter().flat_map(|&(scene, _)| self.sizes(scene, method)).collect();
        let ends = [all.iter().min_by_key(|row| row.triangles)?, all.iter().max_by_key(|row| row.triangles)?];
        let points = ends.map(|row| (row.triangles as f64, 0.1 * n_log_n(row))).to_vec();
        series.push(Series { name: "0.1 n log2 n".into(), look: 7, dashed: true, points });
        let along = Along::Triangles(0);
        let title = format!("events per key interval, {}", method.title());
        finish(&title, along, "events", series).map(|panel| Panel { x_log: true, y_log: true, ..panel })
    }

    /// The same over n log n: flat or falling is the law.
    fn ratio(&self) -> Option<Panel> {
        let method = TREES[0];
        let scenes = SCENES.iter().map(|&(scene, look)| {
            let rows = self.sizes(scene, method);
            let points =
                rows.iter().map(|row| (row.triangles as f64, events_per_interval(row) / n_log_n(row))).collect();
            Series { name: scene.name().into(), look, dashed: false, points }
        });
        let title = format!("the same over n log2 n, {}", method.title());
        let panel = finish(&title, Along::Triangles(0), "events / (n log2 n)", scenes.collect());
        panel.map(|panel| Panel { x_log: true, y_log: false, ..panel })
    }
}

const SCENES: [(SceneName, usize); 4] =
    [(SceneName::Tablecloth, 0), (SceneName::Shirt, 1), (SceneName::Dress, 2), (SceneName::Spheres, 3)];

/// The same method looks the same in all figures.
fn look_of(method: Method) -> usize {
    Method::ALL.iter().position(|&other| other == method).unwrap_or(0)
}

/// A panel of the series that have points, if any has two.
fn finish(title: &str, along: Along, label: &str, mut series: Vec<Series>) -> Option<Panel> {
    series.retain(|series| !series.points.is_empty());
    if series.iter().all(|series| series.points.len() < 2) {
        return None;
    }
    let values = || series.iter().flat_map(|series| series.points.iter().map(|point| point.1));
    let most = values().fold(0.0, f64::max);
    let least = values().fold(f64::INFINITY, f64::min);
    let x_label = match along {
        Along::Triangles(_) => "triangles",
        Along::Frames => "frames per key interval",
    };
    Some(Panel {
        title: title.into(),
        x_label: x_label.into(),
        y_label: label.into(),
        x_log: matches!(along, Along::Frames),
        // A linear axis shows no less than a thirtieth of its length.
        y_log: most > 30.0 * least,
        series,
    })
}
