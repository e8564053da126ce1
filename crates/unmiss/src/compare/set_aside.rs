//! Rows set aside before anything is learned, to judge the model that is made of the others.

use super::choosing::{Division, latest};
use crate::data::Data;
use crate::encode::ClassWeights;
use crate::error::{Error, Result};
use crate::model::Roles;

/// Parts that rows are dealt into, of which so many are set aside as the share says.
const PARTS: usize = 100;

/// The rows to learn from and those set aside, a share of those whose target is known: by class or size of the target,
/// whole groups, or the latest, as the division says. Rows without a target are left to learn from.
///
/// # Errors
/// When the share leaves nothing on one side, or roles or division don't suit the data.
pub fn set_aside(
    data: &Data,
    roles: &Roles,
    division: &Division,
    share: f64,
    seed: u64,
) -> Result<(Vec<usize>, Vec<usize>)> {
    let found = match division {
        Division::Time(name) => latest(data, name, share)?,
        Division::Free | Division::Group(_) => {
            let ties = division.ties(data, roles)?;
            let labelled = roles.labelled(data)?;
            let target = roles.target_of(&labelled)?;
            let truth = target.encode(&labelled, None, ClassWeights::Equal)?;
            let folds = ties.deal(&truth, PARTS, labelled.rows(), seed);
            let taken = (share * folds.held_out.len() as f64).round() as usize;
            let known = &data.column(&roles.target)?.observed;
            let known: Vec<usize> = (0..data.rows()).filter(|&row| known[row]).collect();
            let mut aside: Vec<usize> =
                folds.held_out[..taken].concat().iter().map(|&row| known[row]).collect();
            aside.sort_unstable();
            let others = (0..data.rows()).filter(|row| aside.binary_search(row).is_err()).collect();
            (others, aside)
        }
    };
    if found.0.is_empty() || found.1.is_empty() {
        let what = format!("{share} of {} rows leave nothing to learn from or to judge on", data.rows());
        return Err(Error::setting("test", what).with_hint("say a share such as --test 0.2"));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Kind, Table};

    fn rows() -> Data {
        let column = |name: &str, of: &dyn Fn(usize) -> f64| {
            Column::from_numbers(name, Kind::Integer, &(0..200).map(of).collect::<Vec<_>>())
        };
        let holed =
            |row: usize| if row % 20 == 7 { f64::NAN } else { f64::from(u8::from(row.is_multiple_of(5))) };
        Table::new(vec![
            column("person", &|row| (row / 4) as f64),
            column("day", &|row| ((row * 7) % 50) as f64),
            column("died", &holed),
        ])
        .unwrap()
        .into()
    }

    #[test]
    fn what_is_set_aside_is_a_share_of_each_class_or_whole_persons_or_the_latest() {
        let (data, roles) = (rows(), Roles::target("died"));
        let died = |rows: &[usize]| rows.iter().filter(|row| row.is_multiple_of(5)).count();
        let (_, aside) = set_aside(&data, &roles, &Division::Free, 0.3, 1).unwrap();
        assert!((52..=62).contains(&aside.len()) && (10..=14).contains(&died(&aside)), "{}", aside.len());
        let (others, aside) = set_aside(&data, &roles, &Division::Group("person".into()), 0.25, 1).unwrap();
        assert!(aside.len() > 30 && others.len() + aside.len() == 200);
        let unknown = |row: &usize| row % 20 == 7;
        let apart = |row: &usize| others.iter().filter(|own| !unknown(own)).all(|own| own / 4 != row / 4);
        assert!(aside.iter().all(apart));
        let (others, aside) = set_aside(&data, &roles, &Division::Time("day".into()), 0.2, 1).unwrap();
        let day = |row: &usize| (row * 7) % 50;
        assert!(
            others.iter().map(day).max() < aside.iter().map(day).min() && (35..=45).contains(&aside.len())
        );
        assert!(set_aside(&data, &roles, &Division::Free, 0.0, 1).is_err());
    }
}
