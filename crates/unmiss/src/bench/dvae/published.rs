//! The published accuracies, line by line in the order of [`CASES`](super::CASES).

/// A line of the tables: its name, and the published accuracy of each case.
pub type Line = (&'static str, [f64; 6]);

/// Pixels .5, .7, .9, then lines .5, .7, .9.
pub const LINES: [Line; 10] = [
    ("MLP", [0.8411, 0.7116, 0.2948, 0.8748, 0.7682, 0.4706]),
    ("VAE+MLP", [0.8599, 0.7134, 0.3435, 0.9229, 0.8303, 0.4903]),
    ("VAE+MLP draws", [0.8590, 0.7148, 0.3430, 0.9232, 0.8298, 0.4890]),
    ("CNN", [0.9766, 0.9336, 0.7152, 0.9755, 0.9382, 0.6638]),
    ("VAE+CNN", [0.8657, 0.7257, 0.3509, 0.9314, 0.8415, 0.5020]),
    ("VAE+CNN draws", [0.8665, 0.7273, 0.3498, 0.9337, 0.8437, 0.5037]),
    ("clean MLP", [0.2919, 0.1878, 0.1377, 0.2823, 0.1767, 0.1270]),
    ("clean MLP, VAE", [0.8394, 0.6882, 0.2853, 0.9192, 0.8159, 0.4158]),
    ("clean CNN", [0.1695, 0.1001, 0.0905, 0.2624, 0.1876, 0.1385]),
    ("clean CNN, VAE", [0.8423, 0.6962, 0.2775, 0.9182, 0.8209, 0.4416]),
];
