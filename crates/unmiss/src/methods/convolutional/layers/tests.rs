use super::*;
use crate::methods::convolutional::Net;
use crate::nn::Plain;
use crate::nn::engine::tests::assert_agree;
use crate::nn::product::tests::random;

const SIZE: Size = Size { channels: 2, height: 6, width: 5 };

/// Two images with holes, the same but for what stands under the mask.
fn view(under: f32) -> View {
    let n = SIZE.cells();
    let observed: Vec<bool> = (0..2 * n).map(|cell| cell % 7 != 3).collect();
    let values = random(2 * n, "images").into_iter().zip(&observed);
    let values = values.map(|(value, known)| if *known { value } else { under }).collect();
    let size = MixtureSize { numbers: n, components: 1, factors: 1 };
    let mixture = Mixture {
        scores: vec![0.0; 2],
        mean: vec![0.3; 2 * n],
        factors: vec![0.1; 2 * n],
        diagonal: vec![0.2; 2 * n],
    };
    View { values, observed, density: Some((mixture, size)) }
}

/// Weights whose last layer is drawn as well.
fn drawn(network: &Network) -> Parameters {
    let mut parameters = network.parameters(1);
    let last = parameters.len() - 2;
    let mut drawn = random(parameters[last].values.len(), "last").into_iter();
    parameters[last].values.fill_with(|| drawn.next().unwrap());
    parameters
}

/// Every way to make images smaller and to place batch norm.
fn forms(missing: Missing) -> Vec<Settings> {
    let norms = [BatchNorm::None, BatchNorm::BeforeRelu, BatchNorm::AfterRelu];
    let form = |norm: BatchNorm| {
        [Down::Stride, Down::MaxPool].map(|down| Settings {
            missing,
            filters: Some(vec![vec![4], vec![3, 5]]),
            hidden: Some(vec![6]),
            down: Some(down),
            batch_norm: Some(norm),
            sn_depth: 3,
            ..Settings::default()
        })
    };
    norms.into_iter().flat_map(form).collect()
}

#[test]
fn layers_that_know_the_mask_never_read_what_is_under_it() {
    for settings in [Missing::PartialConv, Missing::SnConv, Missing::Misconv].into_iter().flat_map(forms) {
        let network = Network::new(&settings, SIZE, 3).unwrap();
        let parameters = drawn(&network);
        let answer = |under| network.forward(&mut Plain::new(&parameters), view(under)).into_values();
        assert_eq!(answer(0.0), answer(77.0), "{settings:?}");
        let scores = answer(0.0);
        assert!(scores.len() == 6 && scores.iter().any(|score| *score != scores[0]), "{settings:?}");
    }
}

#[test]
fn training_and_prediction_give_the_same_numbers_without_a_norm() {
    // With one, training takes the batch's mean and variance and prediction the running ones.
    for missing in [Missing::Zero, Missing::PartialConv, Missing::SnConv, Missing::MaskChannel] {
        let norm_free = |settings: &Settings| settings.batch_norm == Some(BatchNorm::None);
        for settings in forms(missing).into_iter().filter(norm_free) {
            let settings = Settings { dropout: Some(0.0), ..settings };
            let network = Network::new(&settings, SIZE, 3).unwrap();
            assert_agree!(&drawn(&network), 2 * 3, |engine| network.forward(engine, view(0.0)));
        }
    }
}

#[test]
fn vgg_16_has_thirteen_convolutions_and_three_dense_layers() {
    let settings = Settings { net: Net::Vgg16, ..Settings::default() };
    let size = Size { channels: 3, height: 32, width: 32 };
    let network = Network::new(&Settings { missing: Missing::Zero, ..settings.clone() }, size, 10).unwrap();
    assert_eq!((network.convolutions().count(), network.widths.as_slice()), (13, &[512, 512, 512, 10][..]));
    // Weights and biases: 14,714,688 of the convolutions, their norms' four arrays of 4,224, and the dense layers'.
    assert_eq!(network.parameters(1).count(), 14_714_688 + 4 * 4_224 + 2 * 512 * 513 + 10 * 513);
    let small = Network::new(&settings, Size { channels: 1, height: 6, width: 9 }, 2).unwrap();
    assert_eq!(small.widths[0], 2 * 512, "six rows are halved twice, nine columns as often: 1 x 2 are left");
    let digits = Settings { net: Net::MisconvDigits, missing: Missing::Zero, ..Settings::default() };
    let digits = Network::new(&digits, Size { channels: 1, height: 28, width: 28 }, 10).unwrap();
    assert_eq!((digits.convolutions().count(), digits.widths), (4, vec![64 * 14 * 14, 20, 10]));
}

#[test]
fn sparsity_normalization_leaves_sums_alone_where_all_is_active() {
    // Positive weights and images: nothing is 0, and with one convolution of all pixels K is what is divided by.
    let settings = |missing, sn_depth| Settings {
        missing,
        sn_depth,
        filters: Some(vec![vec![3]]),
        hidden: Some(vec![]),
        batch_norm: Some(BatchNorm::None),
        ..Settings::default()
    };
    let plain = Network::new(&settings(Missing::Zero, 1), SIZE, 2).unwrap();
    let normalised = Network::new(&settings(Missing::SnConv, 1), SIZE, 2).unwrap();
    let mut parameters = drawn(&plain);
    parameters[0].values.iter_mut().for_each(|weight| *weight = weight.abs());
    // The last layer looks at one pixel in the middle, whose window has no border in it.
    let pixel = 2 * SIZE.width + 2;
    parameters[2].values.iter_mut().enumerate().for_each(|(at, weight)| {
        *weight = if at / 2 == pixel { 1.0 } else { 0.0 };
    });
    let ones = || View { values: vec![0.5; SIZE.cells()], observed: vec![true; SIZE.cells()], density: None };
    let of = |network: &Network| network.forward(&mut Plain::new(&parameters), ones()).into_values();
    let (plain, normalised) = (of(&plain), of(&normalised));
    assert!(plain[0] > 0.0 && (plain[0] - normalised[0]).abs() < 1e-5 * plain[0], "{plain:?} {normalised:?}");
}

#[test]
fn a_pooled_pixel_is_known_if_one_of_its_four_is() {
    let shape = Shape::new(1, 2, 4);
    let marks = vec![false, false, false, false, false, true, false, false];
    let parameters = Parameters::new();
    let engine = &mut Plain::new(&parameters);
    let known = Some(Observed::new(marks, 1));
    let before = Passed { hidden: engine.input(vec![1.0; 8], 1), known, active: 0.5 };
    let after = pool(engine, before, shape);
    assert_eq!(after.known.unwrap().marks.as_ref(), [true, false]);
    assert_eq!(after.active, 1.0 - 0.5_f32.powi(4));
}

#[test]
fn deeper_layers_are_divided_by_what_a_relu_left_above_zero() {
    let settings = Settings {
        missing: Missing::SnConv,
        sn_depth: 2,
        filters: Some(vec![vec![3, 4]]),
        hidden: Some(vec![]),
        batch_norm: Some(BatchNorm::None),
        ..Settings::default()
    };
    let network = Network::new(&settings, SIZE, 2).unwrap();
    let parameters = drawn(&network);
    let engine = &mut Plain::new(&parameters);
    let (first, view) = (Arc::clone(&network.first), view(0.0));
    let observed = Observed::new(view.observed, SIZE.channels);
    let input = engine.input(view.values, 2);
    let hidden = engine.sparsity_convolution(input, &observed, &first, 0, 18.0, Activation::Relu);
    let above = hidden.values().iter().map(|value| *value > 0.0).collect::<Vec<bool>>();
    assert!(above.contains(&true) && above.contains(&false));
    let second = network.convolutions().nth(1).unwrap();
    // Half of the 27 numbers under a window are expected to be above 0.
    let above = Observed::new(above, 3);
    let hidden = engine.sparsity_convolution(hidden, &above, second, 2, 13.5, Activation::Relu);
    let expected = engine.dense(hidden, 4, Activation::Identity);
    let found = network.forward(&mut Plain::new(&parameters), self::view(0.0));
    assert_eq!(found.values(), expected.values());
}
