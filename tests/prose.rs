//! The language of comments and documents: no words of a dialect (docs/words.txt), comments at most 100 columns wide.
//!
//! The list names phrases that mislead a reader who knows the field, each with what to write instead. It is searched in doc
//! comments (`///`, `//!`) of `src`, in the README, and in Markdown files below `docs`. `.ci/wrap_comments.py` wraps comments.

use std::fs;
use std::path::{Path, PathBuf};

/// Widest comment, columns. Tables, code and lines without a space to break at may be wider.
const WIDTH: usize = 100;

/// Documents that quote old words on purpose.
const QUOTING: [&str; 2] = ["docs/design/renames.md", "docs/words.txt"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files_below(folder: &Path, ending: &str, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files_below(&path, ending, files);
        } else if path.extension().is_some_and(|found| found == ending) {
            files.push(path);
        }
    }
}

fn name_of(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/")
}

/// Phrases to avoid and what to write instead.
fn words() -> Vec<(String, String)> {
    let text = fs::read_to_string(root().join("docs/words.txt")).unwrap();
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let (phrase, instead) = line.split_once('\t').unwrap_or_else(|| panic!("no tab in '{line}'"));
            (phrase.trim().to_lowercase(), instead.trim().to_owned())
        })
        .collect()
}

/// Whether a phrase stands in a line as whole words.
fn has_phrase(line: &str, phrase: &str) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(phrase)
        .any(|(at, _)| !is_word(line[..at].chars().next_back()) && !is_word(line[at + phrase.len()..].chars().next()))
}

/// A line without its pieces of code.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

/// Faults in lines of prose, numbered from 1.
fn faults<'a>(name: &str, lines: impl Iterator<Item = (usize, &'a str)>, words: &[(String, String)]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut in_code = false;
    for (number, line) in lines {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code {
            continue;
        }
        let prose = without_code(line).to_lowercase();
        for (phrase, instead) in words.iter().filter(|(phrase, _)| has_phrase(&prose, phrase)) {
            faults.push(format!("{name}:{number}: '{phrase}'; write: {instead}"));
        }
    }
    faults
}

/// The text of a doc comment; `None` for other lines.
fn doc_comment(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))
}

#[test]
fn doc_comments_and_documents_have_no_words_of_a_dialect() {
    let words = words();
    assert!(words.len() > 10, "the list is short");
    let mut all = Vec::new();
    let mut sources = Vec::new();
    files_below(&root().join("src"), "rs", &mut sources);
    for path in sources {
        let text = fs::read_to_string(&path).unwrap();
        let comments = text.lines().enumerate().filter_map(|(index, line)| Some((index + 1, doc_comment(line)?)));
        all.extend(faults(&name_of(&path), comments, &words));
    }
    let mut documents = vec![root().join("README.md"), root().join("CHANGELOG.md")];
    files_below(&root().join("docs"), "md", &mut documents);
    for path in documents.into_iter().filter(|path| !QUOTING.contains(&name_of(path).as_str())) {
        let text = fs::read_to_string(&path).unwrap();
        all.extend(faults(&name_of(&path), text.lines().enumerate().map(|(index, line)| (index + 1, line)), &words));
    }
    assert!(all.is_empty(), "{} faults:\n{}", all.len(), all.join("\n"));
}

#[test]
fn a_word_of_the_list_is_found() {
    let words = [("anew".to_owned(), "again".to_owned()), ("looks at".to_owned(), "visits".to_owned())];
    let found = |text: &str| faults("x", text.lines().enumerate(), &words).len();
    assert_eq!(found("Built anew."), 1);
    assert_eq!(found("A query looks at\nit"), 1);
    assert_eq!(found("Renewed, and `anew` in code."), 0);
    assert_eq!(found("```\nanew\n```"), 0);
}

#[test]
fn comments_are_at_most_100_columns_wide() {
    let mut sources = Vec::new();
    files_below(&root().join("src"), "rs", &mut sources);
    let mut all = Vec::new();
    for path in sources {
        let text = fs::read_to_string(&path).unwrap();
        let mut in_code = false;
        for (index, line) in text.lines().enumerate() {
            let trimmed = line.trim_start();
            if !trimmed.starts_with("//") {
                in_code = false;
                continue;
            }
            let body = trimmed.trim_start_matches(['/', '!']).trim();
            if body.starts_with("```") {
                in_code = !in_code;
            }
            let may_be_wide = in_code || body.starts_with('|') || body.starts_with('[') || !body.contains(' ');
            if line.chars().count() > WIDTH && !may_be_wide {
                all.push(format!("{}:{}", name_of(&path), index + 1));
            }
        }
    }
    assert!(all.is_empty(), "{} comments are too wide; run .ci/wrap_comments.py:\n{}", all.len(), all.join("\n"));
}
