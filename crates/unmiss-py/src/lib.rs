//! `unmiss._unmiss`: the library for Python. What is here only translates: arrays to tables, events to a listener,
//! errors to exceptions. Names, defaults and scikit-learn's conventions are in `python/unmiss`.

mod align;
mod analyse;
mod audit;
mod compare;
mod errors;
mod export;
mod filler;
mod finding;
mod functions;
mod ids;
mod images;
mod instance_filler;
mod instance_predictor;
mod instances;
mod polars;
mod predictor;
mod recommender;
mod scorer;
mod series;
mod simulate;
mod sparsity;
mod sums;
mod table;
mod work;

use pyo3::prelude::*;

#[pymodule]
fn _unmiss(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<table::Table>()?;
    module.add_class::<predictor::Predictor>()?;
    module.add_class::<filler::Filler>()?;
    module.add_class::<recommender::Recommender>()?;
    module.add_class::<finding::Finding>()?;
    module.add_class::<compare::Comparing>()?;
    module.add_class::<scorer::Scorer>()?;
    module.add_class::<instances::Instances>()?;
    module.add_class::<instance_predictor::InstancePredictor>()?;
    module.add_class::<instance_filler::InstanceFiller>()?;
    module.add_function(wrap_pyfunction!(series::series_of, module)?)?;
    module.add_function(wrap_pyfunction!(images::images_of, module)?)?;
    module.add_function(wrap_pyfunction!(series::describe_series_of, module)?)?;
    module.add_function(wrap_pyfunction!(images::sample_images, module)?)?;
    module.add_function(wrap_pyfunction!(images::hide_images, module)?)?;
    module.add_function(wrap_pyfunction!(images::describe_images_of, module)?)?;
    module.add_function(wrap_pyfunction!(audit::audit_images, module)?)?;
    module.add_function(wrap_pyfunction!(functions::methods_json, module)?)?;
    module.add_function(wrap_pyfunction!(functions::load, module)?)?;
    module.add_function(wrap_pyfunction!(export::export_onnx, module)?)?;
    module.add_function(wrap_pyfunction!(export::input_kinds, module)?)?;
    module.add_function(wrap_pyfunction!(functions::sample_csv, module)?)?;
    module.add_function(wrap_pyfunction!(functions::describe, module)?)?;
    module.add_function(wrap_pyfunction!(functions::hide, module)?)?;
    module.add_function(wrap_pyfunction!(functions::pool, module)?)?;
    module.add_function(wrap_pyfunction!(functions::pool_wald, module)?)?;
    module.add_function(wrap_pyfunction!(analyse::analyse, module)?)?;
    module.add_function(wrap_pyfunction!(audit::audit_model, module)?)?;
    module.add_function(wrap_pyfunction!(audit::audit_function, module)?)?;
    module.add_function(wrap_pyfunction!(simulate::simulate, module)?)?;
    module.add_function(wrap_pyfunction!(sums::fit_parts, module)?)?;
    module.add_function(wrap_pyfunction!(sums::part_answer, module)?)?;
    module.add_function(wrap_pyfunction!(sparsity::mean_known, module)?)?;
    module.add_function(wrap_pyfunction!(sparsity::normalize, module)?)?;
    Ok(())
}
