//! Curves of figures from rows.

use super::contender::Method;
use super::row::Row;
use super::scene::SceneName;
use super::svg::{Panel, Series};
use crate::kinetic::TreeKind;

const TREES: [Method; 2] = [Method::Tree(TreeKind::Aabb), Method::Tree(TreeKind::Box)];

/// What runs along the x axis.
#[derive(Clone, Copy)]
pub(super) enum Along {
    /// Runs with this number of frames per key interval.
    Triangles(usize),
    /// Runs over the smallest mesh.
    Frames,
}

/// What runs along the y axis.
#[derive(Clone, Copy)]
pub(super) struct Quantity {
    pub(super) label: &'static str,
    /// `None` where a method has no such quantity.
    pub(super) of: fn(&Row) -> Option<f64>,
}

/// The name of a kind of events, and how many a run had.
type Kind = (&'static str, fn(&Row) -> u64);

/// Kinds of events, as series of figures.
const KINDS: [Kind; 6] = [
    ("tree: leaf events", |row| row.leaf_events),
    ("tree: inner events", |row| row.tree_events - row.leaf_events),
    ("list: boxes met", |row| row.met),
    ("list: leaves parted", |row| row.leaves_parted),
    ("list: parents parted", |row| row.parents_parted),
    ("list: directions replaced", |row| row.witnesses),
];

pub(super) struct Rows<'a>(pub(super) &'a [Row]);

impl<'a> Rows<'a> {
    /// Rows of a method along an axis, ascending.
    fn along(&self, scene: SceneName, method: Method, along: Along) -> Vec<&'a Row> {
        let of_scene = || self.0.iter().filter(move |row| row.scene == scene && row.method == method);
        let least = self.0.iter().filter(|row| row.scene == scene).map(|row| row.triangles).min();
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
        scene: SceneName,
        method: Method,
        along: Along,
        value: impl Fn(&Row) -> Option<f64>,
    ) -> Series {
        let place = |row: &Row| match along {
            Along::Triangles(_) => row.triangles as f64,
            Along::Frames => row.interpolated as f64,
        };
        let rows = self.along(scene, method, along);
        let points = rows.iter().filter_map(|row| Some((place(row), value(row)?))).collect();
        Series { name, look: look_of(method), dashed: false, points }
    }

    /// One quantity of several methods.
    pub(super) fn panel(
        &self,
        title: &str,
        scene: SceneName,
        along: Along,
        quantity: Quantity,
        methods: &[Method],
    ) -> Option<Panel> {
        let series =
            methods.iter().map(|&method| self.series(method.title().into(), scene, method, along, quantity.of));
        finish(title, along, quantity.label, series.collect())
    }

    /// Update time of every method; dashed, whole frames of those that do not separate updates from
    /// checks.
    pub(super) fn update_time(&self, title: &str, scene: SceneName, along: Along) -> Option<Panel> {
        let series = Method::ALL.into_iter().map(|method| {
            if method.checks_every_step() {
                let name = format!("{}, with checks", method.title());
                let whole = self.series(name, scene, method, along, |row| Some(row.total_ms_per_frame));
                return Series { dashed: true, ..whole };
            }
            self.series(method.title().into(), scene, method, along, |row| row.update_ms_per_frame)
        });
        finish(title, along, "update time per frame, ms", series.collect())
    }

    /// Events and updates of both kinetic trees, and events of the lists over them.
    pub(super) fn events(&self, title: &str, scene: SceneName, along: Along) -> Option<Panel> {
        let mut series = Vec::new();
        for method in TREES {
            let events = |row: &Row| Some(row.per_frame(row.tree_events));
            let updates = |row: &Row| Some(row.per_frame(row.updates));
            let name = |what| format!("{what}, {}", method.title());
            series.push(Series { dashed: true, ..self.series(name("events"), scene, method, along, events) });
            series.push(self.series(name("updates"), scene, method, along, updates));
        }
        for (kind, over) in [(TreeKind::Aabb, "AABB trees"), (TreeKind::Box, "BoxTrees")] {
            let events = |row: &Row| Some(row.per_frame(row.list_events));
            let name = format!("events, list of {over}");
            let list = self.series(name, scene, Method::Incremental(kind), along, events);
            series.push(Series { dashed: true, ..list });
        }
        finish(title, along, "events and updates per frame", series)
    }

    /// Events of a method per key interval, by kind. Kinds without events are left out.
    pub(super) fn kinds(&self, scene: SceneName, method: Method, along: Along) -> Option<Panel> {
        let series = KINDS.iter().enumerate().map(|(look, &(name, count))| {
            let value = |row: &Row| (count(row) > 0).then(|| count(row) as f64 / row.key_intervals as f64);
            Series { look, ..self.series(name.into(), scene, method, along, value) }
        });
        let title = format!("{}: {}", scene.name(), method.title());
        finish(&title, along, "events per key interval", series.collect())
    }

    /// One run of each size.
    fn sizes(&self, scene: SceneName, method: Method) -> Vec<&'a Row> {
        let mut rows: Vec<&Row> = self.0.iter().filter(|row| row.scene == scene && row.method == method).collect();
        rows.sort_by_key(|row| row.triangles);
        rows.dedup_by_key(|row| row.triangles);
        rows
    }

    /// A curve for each scene.
    fn scenes(&self, method: Method, value: fn(&Row) -> f64) -> Vec<Series> {
        let series = SceneName::ALL.into_iter().enumerate().map(|(look, scene)| {
            let points = self.sizes(scene, method).iter().map(|row| (row.triangles as f64, value(row))).collect();
            Series { name: scene.name().into(), look, dashed: false, points }
        });
        series.collect()
    }

    /// Events of a tree per key interval in all scenes, beside n log n.
    pub(super) fn growth(&self, method: Method) -> Option<Panel> {
        let mut series = self.scenes(method, events_per_interval);
        let all: Vec<&Row> = SceneName::ALL.into_iter().flat_map(|scene| self.sizes(scene, method)).collect();
        let ends = [all.iter().min_by_key(|row| row.triangles)?, all.iter().max_by_key(|row| row.triangles)?];
        let points = ends.map(|row| (row.triangles as f64, 0.1 * n_log_n(row))).to_vec();
        series.push(Series { name: "0.1 n log2 n".into(), look: 7, dashed: true, points });
        let along = Along::Triangles(0);
        let title = format!("events of a {}", method.title());
        finish(&title, along, "events per key interval", series).map(|panel| Panel {
            x_log: true,
            y_log: true,
            ..panel
        })
    }

    /// The same over n log n: flat or falling is the law.
    pub(super) fn ratio(&self) -> Option<Panel> {
        let series = self.scenes(TREES[0], |row| events_per_interval(row) / n_log_n(row));
        let title = format!("the same over n log2 n, {}", TREES[0].title());
        let panel = finish(&title, Along::Triangles(0), "events / (n log2 n)", series);
        panel.map(|panel| Panel { x_log: true, y_log: false, ..panel })
    }
}

/// n log₂ n for the triangles of a run.
fn n_log_n(row: &Row) -> f64 {
    row.triangles as f64 * (row.triangles as f64).log2()
}

fn events_per_interval(row: &Row) -> f64 {
    row.tree_events as f64 / row.key_intervals as f64
}

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
