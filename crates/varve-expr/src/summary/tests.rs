//! Summaries against what is computed of all values, in parts and at once; and bytes that are none.

use proptest::collection::vec;
use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use varve_types::{Column, LogicalType, Value};

use super::{
    Buckets, Counter, Digest, Distinct, Method, Point, Points, Series, Stats, Summary, TimeWeight,
};

fn points(of: &[(i64, i32)]) -> Vec<Point> {
    let mut points = Points::new(0);
    for (time, value) in of {
        points.push(Point {
            time: *time,
            value: f64::from(*value),
        });
    }
    points.in_order().unwrap().into_owned()
}

/// The bytes of a summary of the rows, and of those of its parts put together.
fn whole_and_parted<T>(
    rows: &[T],
    parts: usize,
    summarize: impl Fn(&[T]) -> Summary,
) -> (Summary, Summary) {
    let mut parted: Option<Summary> = None;
    for part in rows.chunks(rows.len().div_ceil(parts)) {
        let part = summarize(part);
        let part = match part.write() {
            Value::Bytea(bytes) => Summary::read(&bytes).unwrap(),
            other => panic!("{other:?}"),
        };
        match &mut parted {
            Some(all) => all.merge(part).unwrap(),
            None => parted = Some(part),
        }
    }
    (summarize(rows), parted.unwrap())
}

fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * (1.0 + a.abs() + b.abs())
}

proptest! {
    #[test]
    fn points_against_a_walk(
        of in vec((0_i64..1000, 0_i32..20), 1..40),
        parts in 1_usize..5,
    ) {
        let points = points(&of);
        let steps: Vec<(Point, Point)> = points.windows(2).map(|p| (p[0], p[1])).collect();
        let counter = |points: &[Point]| Summary::Counter(Counter::of(points, false).unwrap());
        let (whole, parted) = whole_and_parted(&points, parts, counter);
        prop_assert_eq!(whole.write(), parted.write());
        let counter = Counter::of(&points, false).unwrap();
        let grown = |(a, b): &(Point, Point)| match b.value < a.value {
            true => b.value,
            false => b.value - a.value,
        };
        prop_assert!(is_near(counter.delta(), steps.iter().map(grown).sum()));
        let resets = steps.iter().filter(|(a, b)| b.value < a.value).count();
        prop_assert_eq!(counter.resets, resets as u64);
        let changes = steps.iter().filter(|(a, b)| b.value != a.value).count();
        prop_assert_eq!(counter.changes, changes as u64);
        prop_assert_eq!(counter.elements, points.len() as u64);
        if let (Some(first), Some(last)) = (steps.first(), steps.last()) {
            prop_assert_eq!(counter.instant_delta(true), grown(first));
            prop_assert_eq!(counter.instant_delta(false), grown(last));
        }
        for method in [Method::Linear, Method::Locf] {
            let weight = |points: &[Point]| {
                Summary::TimeWeight(TimeWeight::of(points, method).unwrap())
            };
            let (_, parted) = whole_and_parted(&points, parts, weight);
            let area: f64 = steps.iter().map(|(a, b)| {
                let height = match method {
                    Method::Linear => (a.value + b.value) / 2.0,
                    Method::Locf => a.value,
                };
                height * (b.time - a.time) as f64
            }).sum();
            let Summary::TimeWeight(parted) = parted else { unreachable!() };
            prop_assert!(is_near(parted.integral(1.0), area));
            let width = (points[points.len() - 1].time - points[0].time) as f64;
            prop_assert_eq!(parted.average().is_some(), width > 0.0);
            prop_assert!(parted.average().is_none_or(|mean| is_near(mean, area / width)));
        }
    }

    #[test]
    fn charts_keep_both_ends(
        of in vec((0_i64..1000, 0_i32..20), 1..80),
        wanted in 2_usize..50,
        parts in 1_usize..5,
    ) {
        let points = points(&of);
        let series = |points: &[Point]| Summary::Series(Series::of(points).unwrap());
        let (whole, parted) = whole_and_parted(&points, parts, series);
        prop_assert_eq!(whole.write(), parted.write());
        let shape: Vec<Point> = Series::shape(&points, wanted).unwrap().into_points().collect();
        prop_assert_eq!(shape.len(), points.len().min(wanted));
        prop_assert_eq!(shape[0], points[0]);
        prop_assert_eq!(shape[shape.len() - 1], points[points.len() - 1]);
        let mut all = points.iter();
        prop_assert!(shape.iter().all(|kept| all.any(|point| point == kept)));
        let smooth = Series::smooth(&points, wanted).unwrap().unwrap();
        let smooth: Vec<Point> = smooth.into_points().collect();
        prop_assert!(smooth.len() <= points.len() && smooth.len() <= 2 * wanted);
        prop_assert!(smooth.is_sorted_by_key(|point| point.time));
        let (least, most) = points.iter().fold((f64::MAX, f64::MIN), |(least, most), point| {
            (point.value.min(least), point.value.max(most))
        });
        prop_assert!(smooth.iter().all(|p| least - 1e-9 <= p.value && p.value <= most + 1e-9));
    }

    #[test]
    fn moments_against_sums(
        of in vec((-100_i32..100, -100_i32..100), 2..40),
        parts in 1_usize..5,
    ) {
        let stats = |rows: &[(i32, i32)]| {
            let of = |(x, y): &(i32, i32)| Stats::of(f64::from(*x), Some(f64::from(*y)));
            let mut all = of(&rows[0]);
            rows[1..].iter().for_each(|row| all.merge(&of(row)));
            Summary::Stats(all)
        };
        let (whole, parted) = whole_and_parted(&of, parts, stats);
        let n = of.len() as f64;
        let (xs, ys): (Vec<f64>, Vec<f64>) =
            of.iter().map(|(x, y)| (f64::from(*x), f64::from(*y))).unzip();
        let (x, y) = (xs.iter().sum::<f64>() / n, ys.iter().sum::<f64>() / n);
        let moment = |power: i32| xs.iter().map(|value| (value - x).powi(power)).sum::<f64>() / n;
        let products: f64 = xs.iter().zip(&ys).map(|(a, b)| (a - x) * (b - y)).sum();
        for summary in [whole, parted] {
            let Summary::Stats(stats) = summary else { unreachable!() };
            prop_assert!(is_near(stats.average(&stats.x), x));
            prop_assert!(is_near(stats.average(&stats.y), y));
            prop_assert!(is_near(stats.variance(&stats.x, false).unwrap(), moment(2)));
            prop_assert!(is_near(stats.covariance(true).unwrap(), products / (n - 1.0)));
            if moment(2) > 0.0 {
                let skewness = moment(3) / moment(2).powf(1.5);
                prop_assert!(is_near(stats.skewness(&stats.x, false).unwrap(), skewness));
                let kurtosis = moment(4) / moment(2).powi(2);
                prop_assert!(is_near(stats.kurtosis(&stats.x, false).unwrap(), kurtosis));
                prop_assert!(is_near(stats.slope().unwrap(), products / n / moment(2)));
            }
        }
    }

    #[test]
    fn quantiles_within_their_error(
        of in vec(any::<f64>(), 1..300),
        size in 8_i32..60,
        parts in 1_usize..5,
        part in 0.0_f64..=1.0,
    ) {
        let buckets = |rows: &[f64]| {
            let mut all = Buckets::new(size, 0.01).unwrap();
            rows.iter().for_each(|row| all.add(*row));
            Summary::Buckets(all)
        };
        let (whole, parted) = whole_and_parted(&of, parts, buckets);
        let (Summary::Buckets(whole), Summary::Buckets(parted)) = (whole, parted) else {
            unreachable!()
        };
        let mut sorted = of.clone();
        sorted.sort_by(|a, b| a.is_nan().cmp(&b.is_nan()).then(a.total_cmp(b)));
        let exact = sorted[(part * (of.len() - 1) as f64).floor() as usize];
        for buckets in [whole, parted] {
            let found = buckets.percentile(part);
            let bound = buckets.error() * exact.abs() * (1.0 + 1e-9) + f64::MIN_POSITIVE;
            let is_same = found == exact || found.is_nan() && exact.is_nan();
            prop_assert!(is_same || (found - exact).abs() <= bound, "{found} for {exact}");
            prop_assert!((0.0..=1.0).contains(&buckets.rank(exact)));
        }
    }

    #[test]
    fn digests_are_near(
        of in vec(-1000_i32..1000, 1..2000),
        parts in 1_usize..5,
        part in 0.0_f64..=1.0,
    ) {
        let digest = |rows: &[i32]| {
            let mut all = Digest::new(100).unwrap();
            rows.iter().for_each(|row| all.add(f64::from(*row)).unwrap());
            all.compress();
            Summary::Digest(all)
        };
        let (whole, parted) = whole_and_parted(&of, parts, digest);
        let n = of.len() as f64;
        for summary in [whole, parted] {
            let Summary::Digest(digest) = summary else { unreachable!() };
            prop_assert_eq!(digest.num_vals(), Value::Int8(of.len() as i64));
            let ends = (*of.iter().min().unwrap(), *of.iter().max().unwrap());
            prop_assert_eq!(digest.ends(), (f64::from(ends.0), f64::from(ends.1)));
            let found = digest.percentile(part);
            let below = of.iter().filter(|value| f64::from(**value) < found).count() as f64;
            let up_to = of.iter().filter(|value| f64::from(**value) <= found).count() as f64;
            // A mean is of 1/100 of the values about the median, and lies between two values.
            let slack = 0.04 + 1.0 / n;
            prop_assert!(below / n <= part + slack && part <= up_to / n + slack);
            let rank = digest.rank(found);
            prop_assert!(below / n <= rank + slack && rank <= up_to / n + slack);
        }
    }

    #[test]
    fn distinct_values_within_five_errors(
        distinct in 1_i64..5000,
        registers in 6_u32..15,
        parts in 1_usize..5,
    ) {
        let rows: Vec<i64> = (0..distinct).chain(0..distinct / 2).collect();
        let sketch = |rows: &[i64]| {
            let mut all = Distinct::new(1 << registers).unwrap();
            let values: Vec<Value> = rows.iter().map(|row| Value::Int8(*row)).collect();
            let column = Column::from_values(LogicalType::Int8, &values);
            (0..rows.len()).for_each(|row| all.add(&column, row));
            Summary::Distinct(all)
        };
        let (whole, parted) = whole_and_parted(&rows, parts, sketch);
        prop_assert_eq!(whole.write(), parted.write());
        let Summary::Distinct(whole) = whole else { unreachable!() };
        let off = whole.estimate().integer().unwrap() - distinct;
        let bound = 1.0 + 5.0 * whole.stderror() * distinct as f64;
        prop_assert!((off as f64).abs() <= bound, "{off} of {distinct}");
    }

    #[test]
    fn no_bytes_are_too_strange(
        kind in 0_u8..10,
        bytes in vec(any::<u8>(), 0..200),
        place in 0_usize..150,
    ) {
        let _ = Summary::read(&bytes);
        let _ = Summary::read(&[&[0xd7, kind, 1], bytes.as_slice()].concat());
        for summary in samples() {
            let Value::Bytea(written) = summary.write() else { unreachable!() };
            let mut changed = written.to_vec();
            if let (Some(byte), Some(other)) = (changed.get_mut(place), bytes.first()) {
                *byte ^= other;
            }
            if let Ok(mut read) = Summary::read(&changed) {
                let _ = read.clone().merge(read.clone());
                let _ = read.merge(summary);
                let _ = read.write();
                ask(&read);
            }
            changed.truncate(place);
            if let Ok(read) = Summary::read(&changed) {
                ask(&read);
            }
        }
    }
}

fn samples() -> Vec<Summary> {
    let points = points(&[(1, 5), (2, 7), (3, 1), (4, 2)]);
    let mut pair = Stats::of(1.0, Some(2.0));
    pair.merge(&Stats::of(3.0, Some(5.0)));
    let mut buckets = Buckets::new(8, 0.1).unwrap();
    let mut digest = Digest::new(10).unwrap();
    let mut distinct = [16, 1 << 10].map(|registers| Distinct::new(registers).unwrap());
    let column = Column::from_values(LogicalType::Int4, &[1, 2, 3, 4].map(Value::Int4));
    for row in 0..4 {
        buckets.add(row as f64 - 1.5);
        digest.add(row as f64).unwrap();
        distinct
            .iter_mut()
            .for_each(|distinct| distinct.add(&column, row));
    }
    digest.compress();
    let [full, sparse] = distinct;
    vec![
        Summary::TimeWeight(TimeWeight::of(&points, Method::Linear).unwrap()),
        Summary::Counter(Counter::of(&points, false).unwrap()),
        Summary::Counter(Counter::of(&points, true).unwrap()),
        Summary::Stats(Stats::of(1.0, None)),
        Summary::Stats(pair),
        Summary::Buckets(buckets),
        Summary::Digest(digest),
        Summary::Distinct(full),
        Summary::Distinct(sparse),
        Summary::Series(Series::of(&points).unwrap()),
    ]
}

/// What is asked of every kind, for panics.
fn ask(summary: &Summary) {
    match summary {
        Summary::TimeWeight(weight) => {
            let _ = weight.average();
        }
        Summary::Counter(counter) => {
            let _ = (counter.rate(), counter.instant_rate(true));
        }
        Summary::Stats(stats) => {
            let _ = (stats.kurtosis(&stats.x, true), stats.x_intercept());
        }
        Summary::Buckets(buckets) => {
            let _ = (buckets.percentile(0.7), buckets.rank(1e300));
        }
        Summary::Digest(digest) => {
            let _ = (digest.percentile(0.7), digest.rank(1.5));
        }
        Summary::Distinct(distinct) => {
            let _ = distinct.estimate();
        }
        Summary::Series(series) => {
            let _ = series.clone().into_points().count();
        }
    }
}

#[test]
fn what_is_written_is_read_back() {
    for summary in samples() {
        let Value::Bytea(written) = summary.write() else {
            unreachable!()
        };
        assert_eq!(Summary::read(&written).unwrap().write(), summary.write());
    }
}
