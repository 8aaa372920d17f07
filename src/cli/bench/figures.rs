//! The figures of the kinetic paper, drawn from our rows; its Theorem 2; events by kind; memory.

use super::clock::CLOCK;
use super::contender::Method;
use super::curves::{Along, Quantity, Rows};
use super::row::Row;
use super::scene::SceneName;
use super::svg::{Figure, Panel};
use crate::kinetic::TreeKind;

const TREES: [Method; 2] = [Method::Tree(TreeKind::Aabb), Method::Tree(TreeKind::Box)];
const LISTS: [Method; 2] = [Method::Incremental(TreeKind::Aabb), Method::Incremental(TreeKind::Box)];
/// Whose replaced bounds are counted; those of the incremental method are those of its trees.
const UPDATES: [Method; 3] = [TREES[0], TREES[1], Method::BottomUp];
/// Panels of most figures in a row.
const COLUMNS: usize = 3;

/// A file name and a figure. Panels without at least two points are left out, figures without
/// panels too.
pub(super) fn figures(rows: &[Row], compared_at: usize) -> Vec<(&'static str, Figure)> {
    let all = Rows(rows);
    let by_size = Along::Triangles(compared_at);
    let cases = [papers(&all, by_size), more(&all, by_size)].concat();
    let leaf_size = rows.first().map_or(1, |row| row.leaf_size);
    let caption = vec![
        format!(
            "Means over whole runs; {compared_at} frames per key interval where triangles run along the axis, the \
             smallest mesh where frames do."
        ),
        format!(
            "Leaves of {leaf_size}; those of the default world are its own. Times: {CLOCK}, median of repeated runs."
        ),
        "Made by kinetree bench; the rows are in bench.csv beside this file.".into(),
    ];
    let drawn = cases.into_iter().map(|Case { file, title, columns, panels }| {
        let panels: Vec<Panel> = panels.into_iter().flatten().collect();
        (file, Figure { title: title.into(), caption: caption.clone(), columns, panels })
    });
    drawn.filter(|(_, figure)| !figure.panels.is_empty()).collect()
}

/// A figure that is drawn if any panel has points.
#[derive(Clone)]
struct Case {
    file: &'static str,
    title: &'static str,
    columns: usize,
    panels: Vec<Option<Panel>>,
}

/// The paper's figures 18, 19, 21 and 22.
fn papers(rows: &Rows<'_>, by_size: Along) -> Vec<Case> {
    use SceneName::{Dress, Shirt, Spheres, Tablecloth};
    let case = |file, title, panels| Case { file, title, columns: COLUMNS, panels };
    let replaced = Quantity { label: "bounds replaced per frame", of: |row| Some(row.per_frame(row.updates)) };
    let whole = Quantity { label: "total time per frame, ms", of: |row| Some(row.total_ms_per_frame) };
    let total = |title, scene, along| rows.panel(title, scene, along, whole, &Method::ALL);
    vec![
        case(
            "figure_18.svg",
            "As figure 18 of Zachmann and Weller 2006: the falling tablecloth",
            vec![
                rows.events("left: events and updates", Tablecloth, by_size),
                rows.panel("middle: updates", Tablecloth, by_size, replaced, &UPDATES),
                rows.update_time("right: update time", Tablecloth, by_size),
            ],
        ),
        case(
            "figure_19.svg",
            "As figure 19 of Zachmann and Weller 2006: spheres with flightplan updates, and the dress",
            vec![
                rows.update_time("left: update time, spheres", Spheres, by_size),
                rows.events("middle: events and updates, dress", Dress, by_size),
                rows.update_time("right: update time, dress", Dress, by_size),
            ],
        ),
        case(
            "figure_21.svg",
            "As figure 21 of Zachmann and Weller 2006: the walking figure in a shirt",
            vec![
                rows.update_time("left: update time", Shirt, Along::Frames),
                rows.update_time("middle: update time", Shirt, by_size),
                total("right: update and check", Shirt, by_size),
            ],
        ),
        case(
            "figure_22.svg",
            "As figure 22 of Zachmann and Weller 2006: update and collision check together",
            vec![
                total("left: dress", Dress, by_size),
                total("middle: dress", Dress, Along::Frames),
                total("right: tablecloth", Tablecloth, by_size),
            ],
        ),
    ]
}

/// Theorem 2, events by kind, memory and lists.
fn more(rows: &Rows<'_>, by_size: Along) -> Vec<Case> {
    let bytes = Quantity { label: "bytes per triangle", of: |row| Some(row.bytes as f64 / row.triangles as f64) };
    let listed = Quantity { label: "pairs per triangle", of: |row| Some(row.listed as f64 / row.triangles as f64) };
    let held = SceneName::ALL.into_iter().flat_map(|scene| {
        let title = |what: &str| format!("{}: {what}", scene.name());
        [
            rows.panel(&title("memory"), scene, by_size, bytes, &Method::ALL),
            rows.panel(&title("separation list"), scene, by_size, listed, &LISTS),
        ]
    });
    let kinds = SceneName::ALL.into_iter().flat_map(|scene| LISTS.map(|list| rows.kinds(scene, list, by_size)));
    vec![
        Case {
            file: "events_vs_triangles.svg",
            title: "Theorem 2 of Zachmann and Weller 2006: events against triangles",
            columns: COLUMNS,
            panels: vec![rows.growth(TREES[0]), rows.growth(TREES[1]), rows.ratio()],
        },
        Case {
            file: "events_by_kind.svg",
            title: "Events of the incremental method by kind",
            columns: 2,
            panels: kinds.collect(),
        },
        Case {
            file: "memory_and_lists.svg",
            title: "Memory without meshes and keys, and members of the separation list",
            columns: 2,
            panels: held.collect(),
        },
    ]
}
