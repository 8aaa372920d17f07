//! Rates with their intervals, and the survivors.

use std::collections::BTreeMap;
use std::fs;

use crate::Failure;
use crate::build::Paths;
use crate::plan::Mutant;
use crate::run::{Outcome, results};

#[derive(Default, Clone, Copy)]
struct Row {
    population: usize,
    refused: usize,
    ran: usize,
    failed: usize,
    time: usize,
    survived: usize,
    capped: usize,
    unreached: usize,
}

impl Row {
    fn caught(&self) -> usize {
        self.failed + self.time
    }

    fn count(&mut self, outcome: &Outcome) {
        self.ran += 1;
        match outcome.verdict.as_str() {
            "caught" => self.failed += 1,
            "time" => self.time += 1,
            "capped" => self.capped += 1,
            "unreached" => self.unreached += 1,
            _ => self.survived += 1,
        }
    }

    fn line(&self, name: &str) -> String {
        let (low, high) = wilson(self.caught(), self.ran);
        let percent = |x: f64| format!("{:.1}", x * 100.0);
        let rate = if self.ran == 0 { "-".to_owned() } else { percent(self.caught() as f64 / self.ran as f64) };
        format!(
            "| {name} | {} | {} | {} | {} | {} | {} | {} | {rate} | {} to {} |",
            self.population,
            self.refused,
            self.ran,
            self.caught(),
            self.time,
            self.survived + self.capped,
            self.unreached,
            percent(low),
            percent(high)
        )
    }
}

/// Wilson's interval of 95 % for a proportion.
pub fn wilson(hits: usize, of: usize) -> (f64, f64) {
    if of == 0 {
        return (0.0, 1.0);
    }
    let (n, z) = (of as f64, 1.959_963_984_540_054_f64);
    let p = hits as f64 / n;
    let middle = p + z * z / (2.0 * n);
    let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z * z / n;
    ((middle - half) / scale, (middle + half) / scale)
}

/// Prints the table and writes the outcome of every mutant that ran to `outcomes.tsv`.
pub fn print(paths: &Paths, mutants: &[Mutant], seed: u64) -> Result<(), Failure> {
    let results = results(paths);
    let mut rows: BTreeMap<(String, String), Row> = BTreeMap::new();
    let mut strata: BTreeMap<String, Row> = BTreeMap::new();
    let mut outcomes = String::from("number\tstratum\tverdict\truns\ttest\tfile\tline\tkind\toriginal\treplacement\n");
    for m in mutants.iter().filter(|m| m.stratum != "-") {
        let result = results.get(&m.number);
        for row in
            [rows.entry((m.stratum.clone(), m.module())).or_default(), strata.entry(m.stratum.clone()).or_default()]
        {
            row.population += 1;
            row.refused += usize::from(m.state == "dropped");
            if let Some(outcome) = result {
                row.count(outcome);
            }
        }
        if let Some(o) = result {
            outcomes += &format!(
                "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n",
                m.number, m.stratum, o.verdict, o.runs, o.test, m.file, m.line, m.kind, m.original, m.replacement
            );
        }
    }
    fs::write(paths.work.join("outcomes.tsv"), outcomes)?;
    println!("Seed {seed}.\n");
    println!(
        "| module | chosen | do not compile | ran | caught | of these by time | survived | unreached | % | 95 % |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (stratum, total) in &strata {
        for ((_, module), row) in rows.iter().filter(|((s, _), _)| s == stratum) {
            println!("{}", row.line(module));
        }
        println!("{}", total.line(&format!("**{stratum}**")));
    }
    let mut kinds: BTreeMap<&str, Row> = BTreeMap::new();
    for m in mutants.iter().filter(|m| m.stratum != "-") {
        if let Some(outcome) = results.get(&m.number) {
            kinds.entry(&m.kind).or_default().count(outcome);
        }
    }
    println!("\n| kind | ran | caught |\n|---|---|---|");
    for (kind, row) in kinds {
        println!("| {kind} | {} | {} |", row.ran, row.caught());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::wilson;

    #[test]
    fn intervals_are_those_of_the_books() {
        let (low, high) = wilson(81, 263);
        assert!((low - 0.2553).abs() < 1e-4 && (high - 0.3662).abs() < 1e-4, "{low} {high}");
        assert_eq!(wilson(0, 0), (0.0, 1.0));
        assert!(wilson(10, 10).0 > 0.72);
    }
}
