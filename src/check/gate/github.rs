//! Annotations of GitHub workflows: commands that a step prints.

use std::fmt::Write as _;

use super::Gate;
use super::text::{pair_name, sentences, stopped, when};

/// Annotations of one kind that GitHub shows for a step.
const MOST_SHOWN: usize = 10;

/// The failures of a gate as workflow commands, one per line: an error for a check that was
/// interrupted, one for each of the first incidents, the most severe first, and one for all others.
/// Empty without these.
///
/// At most ten, as GitHub shows no more errors of a step. If the scene is a file of the repository,
/// the page of a pull request shows them beside it.
pub fn github_annotations(gate: &Gate<'_>) -> String {
    let result = gate.result;
    let failures: Vec<_> = gate.failures().collect();
    let file = property(gate.scene);
    let (mut text, mut room) = (String::new(), MOST_SHOWN);
    if let Some(reason) = stopped(result) {
        let title = property("the check was interrupted");
        let _ = writeln!(text, "::error file={file},title={title}::{}", data(&reason));
        room -= 1;
    }
    let listed = if failures.len() > room { room - 1 } else { failures.len() };
    for (place, incident) in &failures[..listed] {
        let title = property(&format!("incident {}: {}", place + 1, pair_name(incident.bodies, result)));
        let sentences = sentences(incident, result.fps).join("\n");
        let message = data(&format!("{}\n{sentences}", when(incident, result.fps)));
        let _ = writeln!(text, "::error file={file},title={title}::{message}");
    }
    if failures.len() > listed {
        let more = failures.len() - listed;
        let condition = gate.condition();
        let message = data(&format!("{more} more incidents violate {condition}; --junit and --json list them all"));
        let title = property(&format!("{more} more incidents"));
        let _ = writeln!(text, "::error file={file},title={title}::{message}");
    }
    text
}

/// Text as the message of a workflow command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Text as a property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::{data, property};

    #[test]
    fn names_cannot_end_a_command() {
        assert_eq!(data("100%,\r\n::error::x"), "100%25,%0D%0A::error::x");
        assert_eq!(property("a:b,c%\n"), "a%3Ab%2Cc%25%0A");
    }
}
