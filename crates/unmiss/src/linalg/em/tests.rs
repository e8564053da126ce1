use super::*;
use crate::rng::Stream;

/// z, z + noise, -z + noise, and a column of its own; a third of the cells hidden.
fn data(rows: usize) -> (Vec<f32>, Vec<bool>) {
    let mut stream = Stream::new(2, "normal test", 0, 0);
    let mut values = Vec::new();
    for _ in 0..rows {
        let z = stream.normal();
        let row = [z, z + 0.3 * stream.normal(), 2.0 - z + 0.3 * stream.normal(), stream.normal()];
        values.extend(row.map(|x| x as f32));
    }
    let observed = values.iter().map(|_| stream.uniform() < 0.67).collect();
    (values, observed)
}

const COURSE: Course = Course { ridge: 1e-6, rounds: 200, tolerance: 1e-6 };

#[test]
fn mean_and_covariance_are_found_through_the_holes() {
    let (values, observed) = data(4000);
    let rows: Vec<usize> = (0..4000).collect();
    let holes = Holes { columns: 4, values: &values, observed: &observed };
    let normal = Normal::fit(holes, &rows, COURSE, |_, _| true);
    assert!((normal.covariance.at(0, 2) + 1.0).abs() < 0.08, "{:?}", normal.covariance);
    assert!((normal.covariance.at(1, 1) - 1.09).abs() < 0.08);
    assert!((normal.mean[2] - 2.0).abs() < 0.05 && normal.covariance.at(0, 3).abs() < 0.06);
}

#[test]
fn what_stands_under_the_mask_is_not_read_and_threads_change_nothing() {
    let (mut values, observed) = data(1500);
    let rows: Vec<usize> = (0..1500).collect();
    let fit = |values: &[f32], threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let holes = Holes { columns: 4, values, observed: &observed };
        pool.install(|| Normal::fit(holes, &rows, COURSE, |_, _| true))
    };
    let clean = fit(&values, 1);
    values.iter_mut().zip(&observed).filter(|cell| !cell.1).for_each(|(value, _)| *value = f32::NAN);
    assert_eq!(clean, fit(&values, 2));
}

#[test]
fn a_listener_hears_falling_changes_and_can_end_it() {
    let (values, observed) = data(500);
    let rows: Vec<usize> = (0..500).collect();
    let holes = Holes { columns: 4, values: &values, observed: &observed };
    let mut heard = Vec::new();
    Normal::fit(holes, &rows, COURSE, |_, change| {
        heard.push(change);
        heard.len() < 5
    });
    assert_eq!(heard.len(), 5);
    assert!(heard[4] < heard[0]);
}

/// Rows that are summed up say the same as one by one.
#[test]
fn moments_lead_where_rows_do() {
    let (values, observed) = data(600);
    let rows: Vec<usize> = (0..600).collect();
    let holes = Holes { columns: 4, values: &values, observed: &observed };
    let course = Course { ridge: 0.0, rounds: 500, tolerance: 1e-10 };
    let one_by_one = Normal::fit(holes, &rows, course, |_, _| true);
    let summed: Vec<Moments> = groups(holes, &rows)
        .into_iter()
        .map(|group| {
            let known: Vec<usize> = (0..4).filter(|&column| group.observed[column]).collect();
            let rows: Vec<u32> = group.rows.iter().map(|row| *row as u32).collect();
            Moments::new(known.clone(), 4, &rows, |row, into| {
                let cells = known.iter().map(|column| f64::from(values[row as usize * 4 + column]));
                into.iter_mut().zip(cells).for_each(|(into, cell)| *into = cell);
            })
        })
        .collect();
    let mut rounds = 0;
    let together = Normal::fit_moments(&summed, 4, course, |round, _, _| {
        rounds = round;
        true
    });
    assert!(rounds > 5 && together.distance(&one_by_one) < 1e-8, "{rounds} {together:?}");
}

/// Two columns that only a few rows know together: rounds get short long before the end. The course must not stop
/// there.
#[test]
fn the_end_is_judged_by_what_is_still_ahead() {
    let (values, mut observed) = data(600);
    for (row, marks) in observed.chunks_mut(4).enumerate() {
        (marks[0], marks[1]) = if row % 20 == 0 { (true, true) } else { (row % 2 == 0, row % 2 == 1) };
    }
    let rows: Vec<usize> = (0..600).collect();
    let holes = Holes { columns: 4, values: &values, observed: &observed };
    let fit = |course| {
        let mut rounds = 0;
        let normal = Normal::fit(holes, &rows, course, |round, _| {
            rounds = round;
            true
        });
        (normal, rounds)
    };
    let (end, _) = fit(Course { ridge: 1e-3, rounds: 5000, tolerance: 1e-12 });
    let (near, rounds) = fit(Course { ridge: 1e-3, rounds: 1000, tolerance: 1e-3 });
    assert!(near.distance(&end) < 2e-3 && rounds < 100, "{} after {rounds}", near.distance(&end));
}
