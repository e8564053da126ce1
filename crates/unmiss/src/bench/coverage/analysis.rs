//! What is asked of a table without holes: a mean and a coefficient, each with its squared standard error.

use crate::data::{Column, Table, Values};
use crate::error::{Error, Result};
use crate::linalg::{Square, dot};
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
    let slope = regression(&predictors, &picked(y))?;
    Ok([(mean(&picked(&measured)), n - 1.0), (slope, n - 1.0 - predictors.len() as f64)])
}

fn numbers<'a>(table: &'a Table, name: &str) -> Result<&'a [f64]> {
    let numbers: Option<&[f64]> = Column::numbers(table.column(name)?);
    numbers.ok_or_else(|| Error::data(format!("`{name}` is not a column of numbers")))
}

fn mean(values: &[f64]) -> Estimate {
    let n = values.len() as f64;
    let value = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|own| (own - value).powi(2)).sum::<f64>() / (n - 1.0) / n;
    Estimate { value, variance }
}

/// The coefficient of the first predictor, by least squares with an intercept.
fn regression(predictors: &[Vec<f64>], y: &[f64]) -> Result<Estimate> {
    let (size, n) = (predictors.len() + 1, y.len());
    let ones = vec![1.0; n];
    let columns: Vec<&[f64]> = predictors.iter().map(Vec::as_slice).chain([ones.as_slice()]).collect();
    let cells = (0..size * size).map(|cell| dot(columns[cell / size], columns[cell % size])).collect();
    let lower = Square { size, cells }.cholesky(0.0);
    let lower = lower.map_err(|_| Error::data("the predictors repeat each other"))?;
    let inverse = lower.inverse_of_product();
    let products: Vec<f64> = columns.iter().map(|column| dot(column, y)).collect();
    let weights: Vec<f64> = (0..size).map(|i| dot(inverse.row(i), &products)).collect();
    let left: f64 = (0..n)
        .map(|row| y[row] - columns.iter().zip(&weights).map(|(column, w)| w * column[row]).sum::<f64>())
        .map(|residual| residual * residual)
        .sum();
    let variance = left / (n - size) as f64 * inverse.at(0, 0);
    Ok(Estimate { value: weights[0], variance })
}
