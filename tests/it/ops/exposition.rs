//! A strict parser for the Prometheus text format: anything unexpected fails.

use std::collections::{BTreeMap, BTreeSet};

type Labels = BTreeMap<String, String>;

#[derive(Debug)]
pub struct Exposition {
    /// The metrics by name, each with its type.
    pub kinds: BTreeMap<String, String>,
    samples: BTreeMap<(String, Labels), f64>,
}

impl Exposition {
    pub fn read(text: &str) -> Self {
        assert!(text.ends_with('\n'), "the last line ends too");
        let (mut helps, mut kinds, mut samples) = (BTreeSet::new(), BTreeMap::new(), BTreeMap::new());
        let mut under = String::new();
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("# HELP ") {
                let (name, help) = rest.split_once(' ').unwrap_or_else(|| panic!("no help: {line}"));
                assert!(is_name(name) && help.len() > 10, "{line}");
                assert!(helps.insert(name.to_owned()), "told of twice: {line}");
            } else if let Some(rest) = line.strip_prefix("# TYPE ") {
                let (name, kind) = rest.split_once(' ').unwrap_or_else(|| panic!("no type: {line}"));
                assert!(["counter", "gauge", "histogram"].contains(&kind), "{line}");
                assert!(helps.contains(name), "no help before {line}");
                assert!(kinds.insert(name.to_owned(), kind.to_owned()).is_none(), "twice: {line}");
                under = name.to_owned();
            } else {
                let (name, labels, value) = sample(line);
                let of = name.strip_prefix(&under).unwrap_or_else(|| panic!("not under its type: {line}"));
                let endings: &[&str] = match kinds[&under].as_str() {
                    "histogram" => &["_bucket", "_sum", "_count"],
                    _ => &[""],
                };
                assert!(endings.contains(&of), "{line}");
                assert_eq!(labels.contains_key("le"), of == "_bucket", "{line}");
                let before = samples.insert((name, labels), value);
                assert!(before.is_none(), "twice: {line}");
            }
        }
        let read = Self { kinds, samples };
        read.check();
        read
    }

    fn check(&self) {
        for (name, kind) in &self.kinds {
            let units = ["_bytes", "_seconds", "_total", "_info"];
            assert_eq!(kind == "counter", name.ends_with("_total"), "{name} is a {kind}");
            assert!(name.starts_with("endonym_") || name.starts_with("process_"), "{name}");
            assert!(!name.contains("milli") && !name.ends_with("_ms"), "{name}: base units, like {units:?}");
            if kind == "counter" {
                assert!(self.all(name).iter().all(|(_, value)| *value >= 0.0), "{name}");
            }
            if kind == "histogram" {
                self.check_histogram(name);
            }
        }
    }

    /// Buckets are cumulative, the last one contains everything, and the sum is plausible.
    fn check_histogram(&self, name: &str) {
        let mut buckets: BTreeMap<Labels, Vec<(f64, f64)>> = BTreeMap::new();
        for (mut labels, count) in self.all(&format!("{name}_bucket")) {
            let bound = labels.remove("le").unwrap();
            let bound = if bound == "+Inf" { f64::INFINITY } else { bound.parse().unwrap() };
            buckets.entry(labels).or_default().push((bound, count));
        }
        let counts = self.all(&format!("{name}_count"));
        assert_eq!(buckets.len(), counts.len(), "{name}");
        for (labels, count) in counts {
            let mut buckets = buckets[&labels].clone();
            buckets.sort_by(|a, b| a.0.total_cmp(&b.0));
            assert!(buckets.windows(2).all(|two| two[0].1 <= two[1].1), "{name} {labels:?}: {buckets:?}");
            assert_eq!(buckets.last(), Some(&(f64::INFINITY, count)), "{name} {labels:?}");
            let sum = self.samples[&(format!("{name}_sum"), labels.clone())];
            let (mut least, mut before, mut seen) = (0.0, 0.0, 0.0);
            for (bound, so_far) in &buckets {
                least += (so_far - seen) * before;
                (before, seen) = (*bound, *so_far);
            }
            assert!(sum >= least - 1e-9, "{name} {labels:?}: {sum} is less than its buckets say, {least}");
        }
    }

    /// Every sample of this name, with its labels.
    pub fn all(&self, name: &str) -> Vec<(Labels, f64)> {
        let of_name = self.samples.iter().filter(|((its, _), _)| its == name);
        of_name.map(|((_, labels), value)| (labels.clone(), *value)).collect()
    }

    /// The sum of the samples with these labels.
    pub fn sum(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let fits =
            |its: &Labels| labels.iter().all(|(key, value)| its.get(*key).is_some_and(|it| it == value));
        self.all(name).into_iter().filter(|(its, _)| fits(its)).map(|(_, value)| value).sum()
    }

    /// Every value of a label, in all metrics.
    pub fn values(&self, label: &str) -> BTreeSet<String> {
        self.samples.keys().filter_map(|(_, labels)| labels.get(label).cloned()).collect()
    }
}

fn is_name(name: &str) -> bool {
    let first = |c: char| c.is_ascii_lowercase();
    name.starts_with(first) && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// `name{label="value",…} number`
fn sample(line: &str) -> (String, Labels, f64) {
    let (start, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("no value: {line}"));
    let value: f64 = value.parse().unwrap_or_else(|_| panic!("no number: {line}"));
    assert!(!value.is_nan(), "{line}");
    let Some((name, rest)) = start.split_once('{') else {
        assert!(is_name(start), "{line}");
        return (start.to_owned(), Labels::new(), value);
    };
    assert!(is_name(name), "{line}");
    let mut rest = rest.strip_suffix('}').unwrap_or_else(|| panic!("not closed: {line}"));
    let mut labels = Labels::new();
    while !rest.is_empty() {
        let (label, quoted) = rest.split_once("=\"").unwrap_or_else(|| panic!("no value: {line}"));
        assert!(is_name(label), "{line}");
        let end = quoted.find('"').unwrap_or_else(|| panic!("no end: {line}"));
        // Our labels are words and templates, which need no escaping.
        assert!(!quoted[..end].contains('\\'), "{line}");
        assert!(labels.insert(label.to_owned(), quoted[..end].to_owned()).is_none(), "{line}");
        rest = &quoted[end + 1..];
        if let Some(more) = rest.strip_prefix(',') {
            rest = more;
        } else {
            assert!(rest.is_empty(), "{line}");
        }
    }
    (name.to_owned(), labels, value)
}

#[test]
fn the_reader_is_strict() {
    let good = "# HELP endonym_x_total How many there were.\n# TYPE endonym_x_total counter\nendonym_x_total{a=\"b\"} 1\n";
    assert_eq!(Exposition::read(good).sum("endonym_x_total", &[("a", "b")]), 1.0);
    for (part, other) in [
        ("# HELP endonym_x_total How many there were.\n", ""),
        ("counter", "gauge"),
        ("endonym_x_total{", "endonym_y_total{"),
        ("{a=\"b\"}", "{a=\"b}"),
        (" 1\n", " one\n"),
        (" 1\n", " 1"),
        (" 1\n", " -1\n"),
        (" 1\n", " 1\nendonym_x_total{a=\"b\"} 2\n"),
    ] {
        let bad = good.replace(part, other);
        assert!(std::panic::catch_unwind(|| Exposition::read(&bad)).is_err(), "{bad}");
    }
    let histogram = "# HELP endonym_t_seconds How long it took.\n# TYPE endonym_t_seconds histogram\n\
        endonym_t_seconds_bucket{le=\"1\"} 1\nendonym_t_seconds_bucket{le=\"+Inf\"} 2\n\
        endonym_t_seconds_sum 3\nendonym_t_seconds_count 2\n";
    Exposition::read(histogram);
    for (part, other) in [("count 2", "count 3"), ("\"1\"} 1", "\"1\"} 3"), ("sum 3", "sum 0.5")] {
        let bad = histogram.replace(part, other);
        assert!(std::panic::catch_unwind(|| Exposition::read(&bad)).is_err(), "{bad}");
    }
}
