use super::*;

fn rows() -> Cells<'static> {
    Cells {
        rows: 3,
        numbers: vec![0.5, -1.2, 0.3, 0.7, -0.4, 2.0].into(),
        numbers_observed: vec![true, false, true, true, false, false].into(),
        codes: vec![1, 0, 2].into(),
        codes_observed: vec![true, false, true].into(),
    }
}

fn parameters(front: &Front) -> Parameters {
    let mut parameters = Parameters::new();
    let mut stream = Stream::new(1, "front", 0, 0);
    front.add_parameters(&mut parameters, &mut stream);
    // Away from the special first values, so that no gradient is zero by accident.
    for parameter in parameters.iter_mut() {
        parameter.values.iter_mut().for_each(|value| *value += (stream.normal() * 0.3) as f32);
    }
    parameters
}

/// A loss with a different slope at every output: Σ c_i out_i.
fn loss(front: &Front, parameters: &Parameters) -> f64 {
    let mut output = Vec::new();
    front.infer(&rows(), parameters, 0, &mut output);
    output.iter().enumerate().map(|(place, value)| f64::from(*value) * (place as f64 * 0.7).sin()).sum()
}

#[test]
fn gradients_are_those_of_finite_differences() {
    for (normalization, guessed) in [(None, false), (Some(2.0), false), (Some(2.0), true), (None, true)] {
        let front = Arc::new(Front::new(2, &[3], normalization, guessed));
        let parameters = parameters(&front);
        let tensors = parameters.tensors();
        let output = front.forward(rows(), &tensors, 0);
        let slopes: Vec<f32> = (0..3 * front.width()).map(|place| (place as f32 * 0.7).sin()).collect();
        let slopes = burn::tensor::TensorData::new(slopes, [3, front.width()]);
        let slopes = Tensor::<2>::from_data(slopes, &crate::nn::training_device());
        for (index, found) in tensors.gradients((output * slopes).sum()).into_iter().enumerate() {
            let found = found.unwrap();
            for (place, found) in found.iter().enumerate() {
                let moved = |by: f32| {
                    let mut parameters = parameters.clone();
                    parameters[index].values[place] += by;
                    loss(&front, &parameters)
                };
                let expected = (moved(1e-2) - moved(-1e-2)) / 2e-2;
                let error = (f64::from(*found) - expected).abs();
                assert!(error < 0.01 * (1.0 + expected.abs()), "{index} {place}: {found} {expected}");
            }
        }
    }
}

#[test]
fn values_under_the_mask_are_not_read() {
    let front = Front::new(2, &[3], Some(2.0), false);
    let parameters = parameters(&front);
    let (mut clean, mut dirty) = (Vec::new(), Vec::new());
    front.infer(&rows(), &parameters, 0, &mut clean);
    let mut garbage = rows();
    garbage.numbers.to_mut()[1] = f32::NAN;
    garbage.numbers.to_mut()[5] = 1e30;
    garbage.codes.to_mut()[1] = u32::MAX;
    front.infer(&garbage, &parameters, 0, &mut dirty);
    assert_eq!(clean, dirty);
}
