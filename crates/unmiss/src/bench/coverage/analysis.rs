//! What is asked of a table without holes: a mean and a coefficient, each with its squared standard error.

use crate::data::{Column, Table, Values};
use crate::error::{Error, Result};
use crate::linalg::LeastSquares;
use crate::pool::Estimate;

/// The two answers of a table, each with the degrees of freedom of complete data.
pub fn answers(table: &Table, rows: &[usize]) -> Result<[(Estimate, f64); 2]> {
    let (x, y) = (numbers(table, "x")?, numbers(table, "y")?);
    let level = |name: &str| -> Result<Vec<f64>> {
        let column = table.column("g")?;
        let Values::Codes { codes, levels } = &column.values else { return Ok(Vec::new()) };
        let place = levels.iter().position(|own| own == name).map(|place| place as u32);
        Ok(codes.iter().map(|code| f64::from(u8::from(Some(*code) == place))).collect())
    };
    let has_category = table.columns().iter().any(|column| column.name == "g");
    let picked = |values: &[f64]| -> Vec<f64> { rows.iter().map(|&row| values[row]).collect() };
    let (measured, predictors) = match has_category {
        true => (level("b")?, vec![level("b")?, level("c")?, x.to_vec()]),
        false => (y.to_vec(), vec![x.to_vec()]),
    };
    let predictors: Vec<Vec<f64>> = predictors.iter().map(|values| picked(values)).collect();
    let n = rows.len() as f64;
    let degrees = n - 1.0 - predictors.len() as f64;
    Ok([(Estimate::mean(&picked(&measured)), n - 1.0), (regression(predictors, &picked(y))?, degrees)])
}

fn numbers<'a>(table: &'a Table, name: &str) -> Result<&'a [f64]> {
    let numbers: Option<&[f64]> = Column::numbers(table.column(name)?);
    numbers.ok_or_else(|| Error::data(format!("`{name}` is not a column of numbers")))
}

/// The coefficient of the first predictor, by least squares with an intercept.
fn regression(predictors: Vec<Vec<f64>>, y: &[f64]) -> Result<Estimate> {
    let mut columns = predictors;
    columns.push(vec![1.0; y.len()]);
    let solved =
        LeastSquares::solve(&columns, y).map_err(|_| Error::data("the predictors repeat each other"))?;
    let variance = solved.squares / (y.len() - columns.len()) as f64 * solved.inverse.at(0, 0);
    Ok(Estimate { value: solved.coefficients[0], variance })
}
