//! Plain tables for terminals.

/// Rows under headings, columns padded to their widest entry; the first column is aligned left, the
/// others right.
pub(super) fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let entries = rows.iter().map(|row| row[column].chars().count());
        entries.chain([headings[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    let line = |cells: &[&str]| {
        let padded = cells.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        format!("{}\n", padded.collect::<Vec<_>>().join("  ").trim_end())
    };
    let mut text = line(headings);
    for row in rows {
        text += &line(&row.iter().map(String::as_str).collect::<Vec<_>>());
    }
    text
}

/// A count with thin groups of three: 1 234 567.
pub(super) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let first = (digits.len() - 1) % 3 + 1;
    let (head, tail) = digits.split_at(first);
    let groups = tail.as_bytes().chunks(3).map(|group| String::from_utf8_lossy(group).into_owned());
    std::iter::once(head.to_owned()).chain(groups).collect::<Vec<_>>().join(" ")
}

/// A count with its noun: 1 body, 2 bodies.
pub(super) fn counted(count: u64, one: &str, more: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { more })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_three() {
        assert_eq!(
            [0, 7, 999, 1000, 12_345, 1_234_567].map(grouped),
            ["0", "7", "999", "1 000", "12 345", "1 234 567"]
        );
    }

    #[test]
    fn nouns() {
        assert_eq!([0, 1, 1000].map(|n| counted(n, "body", "bodies")), ["0 bodies", "1 body", "1 000 bodies"]);
    }

    #[test]
    fn columns_line_up() {
        let rows = [vec!["cloth - ball".into(), "5".into()], vec!["a".into(), "none".into()]];
        assert_eq!(table(&["pair", "n"], &rows), "pair             n\ncloth - ball     5\na             none\n");
    }
}
