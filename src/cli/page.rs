//! `check --report`: the result as one HTML file.

use std::io::Write as _;

use super::args::CheckOptions;
use super::gate::is_over_time;
use super::output::Output;
use super::{Failure, tell};
use crate::check::CheckResult;
use crate::io::{Scene, SceneShape};
use crate::report::html::HtmlReport;

/// Pictures of the worst moments.
const PICTURES: usize = 6;

/// Endings of files that a report is not.
const FOREIGN: [&str; 14] =
    ["csv", "doc", "docx", "gif", "jpeg", "jpg", "json", "md", "odt", "pdf", "png", "svg", "txt", "xml"];

/// Refuses a report under the name of another format, and a report without contacts over time:
/// incidents are found in those.
pub(super) fn refuse_unusable(options: &CheckOptions) -> Result<(), Failure> {
    let ending = options.report.as_deref().and_then(|path| Some(path.extension()?.to_str()?.to_ascii_lowercase()));
    if let (Some(path), Some(ending)) = (&options.report, ending)
        && FOREIGN.contains(&ending.as_str())
    {
        return Err(Failure::Input(format!(
            "--report: {} would be an HTML file; name it .html, and print it in a browser where a .{ending} is needed",
            path.display()
        )));
    }
    if options.report.is_none() || is_over_time(options) {
        return Ok(());
    }
    let reason = "incidents need contacts over time; leave out --engine and --intervals";
    Err(Failure::Input(format!("--report: {reason}")))
}

/// Writes the report.
pub(super) fn write(
    mut output: Output,
    options: &CheckOptions,
    scene: &Scene,
    result: &CheckResult,
) -> Result<(), Failure> {
    for body in scene.bodies.iter().filter(|body| body.shape != SceneShape::Triangles) {
        let text = "is not made of triangles, and the 3D view of the report does not show it; its pictures do";
        tell("note: ", &format!("body '{}' {text}", body.name));
    }
    let report = HtmlReport::new(scene, result).titled(options.source.heading(scene).display().to_string());
    let page = report.with_worst_pictures(PICTURES).and_then(|report| report.build());
    let page = page.map_err(|error| Failure::Output(format!("--report: {error}")))?;
    output.write_all(page.as_bytes()).map_err(|error| output.failed(&error))?;
    output.finish()
}
