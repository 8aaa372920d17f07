//! JUnit XML, as pipelines of Jenkins, GitLab and others read it.
//!
//! A suite is a check. Each incident that fails is a test case with a failure. Each tested pair of
//! bodies without one is a test case that passes, so that a pipeline shows what was tested; it is
//! skipped where the thresholds do not judge all of its incidents. A check that was interrupted is
//! a test case with an error, and no pair passes.

use std::fmt::Write as _;

use super::Gate;
use super::text::{pair_name, sentences, stopped, unjudged, when};

/// The report of a check as JUnit XML, UTF-8.
pub fn junit_xml(gate: &Gate<'_>) -> String {
    let result = gate.result;
    let failures: Vec<_> = gate.failures().collect();
    let stopped = stopped(result);
    let passed: Vec<[u32; 2]> = result
        .tested
        .iter()
        .copied()
        .filter(|pair| stopped.is_none() && failures.iter().all(|(_, incident)| incident.bodies != *pair))
        .collect();
    let (name, failed, errors) = (escaped(gate.scene), failures.len(), usize::from(stopped.is_some()));
    let passed: Vec<([u32; 2], Option<String>)> = passed.into_iter().map(|pair| (pair, unjudged(gate, pair))).collect();
    let skipped = passed.iter().filter(|(_, unjudged)| unjudged.is_some()).count();
    let tests = failed + passed.len() + errors;
    let counts = format!("tests=\"{tests}\" failures=\"{failed}\" errors=\"{errors}\" skipped=\"{skipped}\"");
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(xml, "<testsuites name=\"kinetree check\" {counts}>");
    let _ = writeln!(xml, "  <testsuite name=\"{name}\" {counts}>");
    for (place, incident) in failures {
        let pair = pair_name(incident.bodies, result);
        let when = when(incident, result.fps);
        let case = escaped(&format!("{pair}, incident {}", place + 1));
        let message = escaped(&format!("{pair}: {when}"));
        let kind = escaped(&gate.condition());
        let _ = writeln!(xml, "    <testcase classname=\"{name}\" name=\"{case}\">");
        let _ = write!(xml, "      <failure type=\"{kind}\" message=\"{message}\">");
        let _ = write!(xml, "{}", escaped(&sentences(incident, result.fps).join("\n")));
        xml.push_str("</failure>\n    </testcase>\n");
    }
    if let Some(reason) = stopped {
        let _ = writeln!(xml, "    <testcase classname=\"{name}\" name=\"the whole check\">");
        let _ = writeln!(xml, "      <error type=\"interrupted\" message=\"{}\"/>\n    </testcase>", escaped(&reason));
    }
    for (pair, unjudged) in passed {
        let case = escaped(&pair_name(pair, result));
        let Some(reason) = unjudged else {
            let _ = writeln!(xml, "    <testcase classname=\"{name}\" name=\"{case}\"/>");
            continue;
        };
        let _ = writeln!(xml, "    <testcase classname=\"{name}\" name=\"{case}\">");
        let _ = writeln!(xml, "      <skipped message=\"{}\"/>\n    </testcase>", escaped(&reason));
    }
    xml.push_str("  </testsuite>\n</testsuites>\n");
    xml
}

/// Text as content or attribute of XML 1.0. Characters that XML cannot hold are replaced.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            // In an attribute these would become spaces.
            '\n' | '\r' | '\t' => {
                let _ = write!(escaped, "&#{};", character as u32);
            }
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn names_cannot_end_an_attribute() {
        assert_eq!(escaped("a\"<b>&'c'"), "a&quot;&lt;b&gt;&amp;&apos;c&apos;");
        assert_eq!(escaped("a\u{0}b\u{1b}[1m\nc\u{ffff}é😀"), "a\u{fffd}b\u{fffd}[1m&#10;c\u{fffd}é😀");
    }
}
