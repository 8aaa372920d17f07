//! What the race found: lines as it goes, a table, rows for programs, and plots.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::rows;
use crate::svg::{Figure, Panel, Series};
use crate::{BAKED, NAMES, SCENES};

/// Median and quartiles, nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    pub low: f64,
    pub median: f64,
    pub high: f64,
}

impl Spread {
    pub fn of(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share).round() as usize];
        Self { low: at(0.25), median: at(0.5), high: at(0.75) }
    }
}

/// One contender in one cell; times in nanoseconds per frame unless said otherwise.
#[derive(Clone, Debug)]
pub struct Row {
    pub name: &'static str,
    pub update: Spread,
    pub query: Spread,
    pub whole: Spread,
    /// How many times cheaper than the best rival, paired by interval.
    pub ratio: Spread,
    /// The update alone, against the refit with one triangle per leaf.
    pub update_ratio: Spread,
    /// Building and baking, nanoseconds.
    pub setup: f64,
    pub setup_per_frame: f64,
    pub first: f64,
    pub worst: f64,
    pub bytes_per_triangle: f64,
}

/// All contenders in one scene at one number of frames per interval.
#[derive(Clone, Debug)]
pub struct Cell {
    pub scene: String,
    pub family: String,
    pub triangles: usize,
    pub frames: usize,
    pub intervals: usize,
    pub pairs_per_frame: f64,
    pub machine: String,
    pub rows: Vec<Row>,
}

/// Who must be beaten: what can be had without this library's kinetic parts. The first names.
pub const RIVALS: &[&str] = NAMES.split_at(7).0;

/// Ours that know nothing before a key arrives.
const STREAMED: [&str; 4] = ["key boxes", "pair windows", "pair intervals", "world"];

impl Cell {
    fn row(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// The one of these with the least median.
    fn best<'a>(&'a self, names: &[&str], by: impl Fn(&Row) -> f64) -> Option<&'a Row> {
        let rows = self.rows.iter().filter(|row| names.contains(&row.name));
        rows.min_by(|x, y| by(x).total_cmp(&by(y)))
    }

    /// For people who watch.
    pub fn text(&self) -> String {
        let mut text = format!(
            "\n{}, {} triangles, l = {}, {} intervals, {:.1} pairs per frame; all found the same\n",
            self.scene, self.triangles, self.frames, self.intervals, self.pairs_per_frame
        );
        let _ = writeln!(
            text,
            "{:>20}  {:>9}  {:>9}  {:>9}  {:>17}  {:>7}  {:>9}  {:>9}  {:>9}  {:>8}",
            "",
            "update us",
            "query us",
            "whole us",
            "quartiles",
            "ratio",
            "setup ms",
            "first ms",
            "worst ms",
            "bytes/tri"
        );
        for row in &self.rows {
            let _ = writeln!(
                text,
                "{:>20}  {:9.1}  {:9.1}  {:9.1}  {:8.1}-{:8.1}  {:7.2}  {:9.1}  {:9.3}  {:9.3}  {:8.1}",
                row.name,
                row.update.median / 1e3,
                row.query.median / 1e3,
                row.whole.median / 1e3,
                row.whole.low / 1e3,
                row.whole.high / 1e3,
                row.ratio.median,
                row.setup / 1e6,
                row.first / 1e6,
                row.worst / 1e6,
                row.bytes_per_triangle,
            );
        }
        text
    }
}

/// Processor, cores, compiler, load.
pub fn machine() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let info = read("/proc/cpuinfo");
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1).map(str::to_owned));
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let compiler = std::process::Command::new("rustc").arg("--version").output().ok();
    let compiler =
        compiler.map_or_else(String::new, |output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let load = read("/proc/loadavg").split(' ').next().unwrap_or("?").to_owned();
    format!(
        "{}, {cores} cores, {compiler}, load {load} at the begin",
        model.unwrap_or_else(|| "unknown processor".into())
    )
}

/// The whole race as Markdown.
pub fn table(cells: &[Cell]) -> String {
    let mut text = String::from(
        "Whole frame, µs, median (quartiles) over intervals; in brackets how many times cheaper than the best rival, paired by \
         interval; after a plus what baking costs, spread over the frames, not in the ratio. Every contender found the same pairs \
         at every frame compared.\n\n| scene | l | pairs | best rival | ",
    );
    let ours = &NAMES[RIVALS.len()..];
    text += &ours.join(" | ");
    text += " |\n|---|---|---|---|";
    text += &"---|".repeat(ours.len());
    text += "\n";
    for cell in cells {
        let Some(rival) = cell.best(RIVALS, |row| row.whole.median) else { continue };
        let spread =
            |row: &Row| format!("{} ({}-{})", micro(row.whole.median), micro(row.whole.low), micro(row.whole.high));
        let _ = write!(
            text,
            "| {} | {} | {:.0} | {}: {} |",
            cell.scene,
            cell.frames,
            cell.pairs_per_frame,
            rival.name,
            spread(rival)
        );
        for name in ours {
            match cell.row(name) {
                Some(row) => {
                    let baking = match *name {
                        BAKED | "baked trees" | "baked frames" => format!(" + {}", micro(row.setup_per_frame)),
                        _ => String::new(),
                    };
                    let _ = write!(text, " {}{baking} [{:.2}] |", spread(row), row.ratio.median);
                }
                None => text += " |",
            }
        }
        text += "\n";
    }
    text += "\nRivals, whole frame, µs (update + query):\n\n| scene | l | ";
    text += &RIVALS.join(" | ");
    text += " |\n|---|---|";
    text += &"---|".repeat(RIVALS.len());
    text += "\n";
    for cell in cells {
        let _ = write!(text, "| {} | {} |", cell.scene, cell.frames);
        for &name in RIVALS {
            let figures = cell.row(name).map(|row| {
                format!(" {} ({} + {})", micro(row.whole.median), micro(row.update.median), micro(row.query.median))
            });
            text += &figures.unwrap_or_default();
            text += " |";
        }
        text += "\n";
    }
    text += "\nUpdate alone, exact boxes: times cheaper than the refit with one triangle per leaf, paired by interval (interpolation charged to the contender that needs it); then first frame and most expensive frame, ms:\n\n";
    text += "| scene | l | refit 8 | baked trees | baked frames | first / most expensive: parry3d | pair windows | pair intervals | world |\n";
    text += "|---|---|---|---|---|---|---|---|---|\n";
    for cell in cells {
        let update = |name: &str| cell.row(name).map(|row| format!("{:.2}", row.update_ratio.median));
        let latency = |name: &str| cell.row(name).map(|row| format!("{:.2} / {:.2}", row.first / 1e6, row.worst / 1e6));
        let entries = [
            update("refit, 8 per leaf"),
            update("baked trees"),
            update("baked frames"),
            latency("parry3d"),
            latency("pair windows"),
            latency("pair intervals"),
            latency("world"),
        ];
        let entries: Vec<String> = entries.into_iter().map(Option::unwrap_or_default).collect();
        let _ = writeln!(text, "| {} | {} | {} |", cell.scene, cell.frames, entries.join(" | "));
    }
    text += "\nBuilding and baking, ms, and bytes held per triangle besides mesh and keys, at the largest number of frames:\n\n| scene | ";
    text += &NAMES.join(" | ");
    text += " |\n|---|";
    text += &"---|".repeat(NAMES.len());
    text += "\n";
    for (name, _) in SCENES {
        let Some(cell) = cells.iter().rfind(|cell| cell.scene == name) else { continue };
        let entry = |name: &&str| {
            cell.row(name)
                .map_or_else(String::new, |row| format!("{:.1}; {:.0}", row.setup / 1e6, row.bytes_per_triangle))
        };
        let _ = writeln!(text, "| {name} | {} |", NAMES.iter().map(entry).collect::<Vec<_>>().join(" | "));
    }
    text += "\nMeasured on:\n\n";
    for cell in cells {
        let _ = writeln!(
            text,
            "- {}, l = {}: {} triangles, {} intervals; {}",
            cell.scene, cell.frames, cell.triangles, cell.intervals, cell.machine
        );
    }
    text
}

fn micro(nanoseconds: f64) -> String {
    match nanoseconds / 1e3 {
        x if x >= 100.0 => format!("{x:.0}"),
        x if x >= 10.0 => format!("{x:.1}"),
        x => format!("{x:.2}"),
    }
}

/// Where results go.
pub fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/race");
    std::fs::create_dir_all(&folder).expect("a folder that can be written");
    folder
}

/// Writes table, rows and plots.
pub fn write(cells: &[Cell]) {
    let folder = folder();
    let put = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("a file that can be written");
    put("table.md", &table(cells));
    put("race.csv", &rows::written(cells));
    put("ratio.svg", &ratios(cells).svg());
    put("time.svg", &times(cells).svg());
    put("update.svg", &updates(cells).svg());
}

/// What earlier runs have kept.
pub fn kept() -> Vec<Cell> {
    std::fs::read_to_string(folder().join("race.csv")).map_or_else(|_| Vec::new(), |text| rows::read(&text))
}

/// A cell takes the place of an older one; cells are in the order of scenes and frames.
pub fn merged(mut cells: Vec<Cell>, cell: &Cell) -> Vec<Cell> {
    cells.retain(|other| (&other.scene, other.frames) != (&cell.scene, cell.frames));
    cells.push(cell.clone());
    let place = |cell: &Cell| (SCENES.iter().position(|(name, _)| *name == cell.scene), cell.frames);
    cells.sort_by_key(place);
    cells
}

const FAMILIES: [(&str, &str); 4] =
    [("A", "A: cloth on a table"), ("B", "B: dress and body"), ("C", "C: two spheres"), ("self", "cloth with itself")];

/// How contenders look in all plots; broken lines are those that were baked.
fn look(name: &str) -> usize {
    let looks = ["pair intervals", "pair windows", "world", "key boxes", BAKED, "parry3d", "obvhs"];
    let others = ["refit, 8 per leaf", "clip tree, refitted", "baked frames", "baked trees"];
    let place = |list: &[&str]| list.iter().position(|other| *other == name);
    // What is left shares the colours of those that are not in the same plot.
    place(&looks).or_else(|| place(&others).map(|place| [3, 4, 2, 1][place])).unwrap_or(0)
}

fn series(names: &[&str], cells: &[&Cell], x: impl Fn(&Cell) -> f64, y: impl Fn(&Row) -> f64) -> Vec<Series> {
    let line = |name: &&str| Series {
        name: (*name).into(),
        points: cells.iter().filter_map(|cell| Some((x(cell), y(cell.row(name)?)))).collect(),
        look: look(name),
        dashed: name.starts_with("baked"),
    };
    names.iter().map(line).filter(|series| !series.points.is_empty()).collect()
}

/// How many times cheaper, against the frames per interval, one panel a family; the scene of most triangles (of cloth with
/// itself: that with more contacts).
fn against_frames(cells: &[Cell], names: &[&str], y_label: &str, y: impl Fn(&Row) -> f64) -> Vec<Panel> {
    let panel = |(family, title): &(&str, &str)| {
        let of_family = || cells.iter().filter(|cell| cell.family == *family);
        let size = |cell: &Cell| if *family == "self" { cell.pairs_per_frame as usize } else { cell.triangles };
        let largest = of_family().max_by_key(|cell| size(cell))?.scene.clone();
        let shown: Vec<&Cell> = of_family().filter(|cell| cell.scene == largest).collect();
        Some(Panel {
            title: format!("{title}, {largest}"),
            x_label: "frames per key interval".into(),
            y_label: y_label.into(),
            x_log: true,
            y_log: true,
            series: series(names, &shown, |cell| cell.frames as f64, &y),
        })
    };
    FAMILIES.iter().filter_map(panel).collect()
}

fn ratios(cells: &[Cell]) -> Figure {
    let names = [&STREAMED[..], &[BAKED, "parry3d", "obvhs"]].concat();
    Figure {
        title: "Whole frames: how many times cheaper than the best rival".into(),
        caption: caption(),
        columns: 4,
        panels: against_frames(cells, &names, "times cheaper than the best rival", |row| row.ratio.median),
    }
}

fn updates(cells: &[Cell]) -> Figure {
    let names = ["baked trees", "baked frames", "refit, 8 per leaf", "parry3d", "obvhs"];
    Figure {
        title:
            "Bringing exact boxes to a frame: how many times cheaper than the tuned refit with one triangle per leaf"
                .into(),
        caption: caption(),
        columns: 4,
        panels: against_frames(cells, &names, "times cheaper than the refit", |row| row.update_ratio.median),
    }
}

/// Whole frame against triangles at l = 10, one panel a family.
fn times(cells: &[Cell]) -> Figure {
    let names = [
        "refit, 8 per leaf",
        "parry3d",
        "obvhs",
        "clip tree, refitted",
        "pair windows",
        "pair intervals",
        "world",
        BAKED,
    ];
    let panel = |(family, title): &(&str, &str)| {
        let mut shown: Vec<&Cell> = cells.iter().filter(|cell| cell.family == *family && cell.frames == 10).collect();
        shown.sort_by_key(|cell| cell.triangles);
        let series = series(&names, &shown, |cell| cell.triangles as f64, |row| row.whole.median / 1e3);
        (!series.is_empty()).then(|| Panel {
            title: format!("{title}, l = 10"),
            x_label: "triangles".into(),
            y_label: "whole frame, µs".into(),
            x_log: true,
            y_log: true,
            series,
        })
    };
    Figure {
        title: "Whole frames against triangles".into(),
        caption: caption(),
        columns: 4,
        panels: FAMILIES[..3].iter().filter_map(panel).collect(),
    }
}

fn caption() -> Vec<String> {
    vec![
        "All intersecting pairs of triangles, exact, at every frame; interpolation, update, traversal and tests charged; baking not.".into(),
        "Processor time of one thread, medians over key intervals. Made by cargo bench --bench versus_peers; rows in race.csv.".into(),
    ]
}
