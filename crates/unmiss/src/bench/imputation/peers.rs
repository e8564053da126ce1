//! What other tools were measured to give: training rows and new rows, one seed, cells hidden by their own generator.

/// A tool, and its errors in each column of the table (training rows, new rows), where they are known.
pub struct Peer {
    pub name: &'static str,
    pub errors: [Option<(f64, Option<f64>)>; 10],
}

const fn both(training: f64, new: f64) -> Option<(f64, Option<f64>)> {
    Some((training, Some(new)))
}

const fn training(training: f64) -> Option<(f64, Option<f64>)> {
    Some((training, None))
}

/// scikit-learn 1.9.1, R mice 3.15, miceforest 6.0.5, hyperimpute 0.1.17; the Gaussian EM is a plain NumPy one.
pub const PEERS: [Peer; 8] = [
    Peer {
        name: "mean",
        errors: [
            both(1.00, 0.96),
            both(1.01, 1.00),
            both(1.03, 0.97),
            both(1.04, 1.02),
            both(1.05, 1.07),
            both(1.00, 1.03),
            both(1.02, 0.96),
            both(1.21, 1.14),
            both(1.55, 1.50),
            both(1.69, 1.78),
        ],
    },
    Peer {
        name: "KNNImputer",
        errors: [
            both(0.84, 0.82),
            both(0.99, 0.99),
            both(0.60, 0.51),
            both(0.82, 0.68),
            both(0.64, 0.68),
            both(0.73, 0.77),
            both(0.95, 0.91),
            both(0.95, 0.90),
            both(1.35, 1.36),
            both(1.33, 1.45),
        ],
    },
    Peer {
        name: "IterativeImputer",
        errors: [
            both(0.78, 0.76),
            both(0.88, 0.86),
            both(0.55, 0.40),
            both(0.99, 1.24),
            both(0.41, 0.48),
            both(0.59, 0.62),
            both(0.80, 0.71),
            both(0.81, 0.77),
            both(1.18, 1.18),
            both(1.24, 1.33),
        ],
    },
    Peer {
        name: "with ExtraTrees",
        errors: [
            both(0.79, 0.74),
            both(0.94, 0.90),
            both(0.56, 0.57),
            both(0.83, 0.77),
            None,
            None,
            both(0.74, 0.67),
            both(0.91, 0.87),
            both(1.19, 1.19),
            None,
        ],
    },
    Peer {
        name: "Gaussian EM",
        errors: [
            both(0.69, 0.67),
            both(0.79, 0.79),
            both(0.54, 0.40),
            both(0.80, 0.73),
            both(0.38, 0.42),
            both(0.49, 0.51),
            both(0.77, 0.69),
            both(0.83, 0.78),
            both(1.15, 1.12),
            both(0.98, 1.07),
        ],
    },
    Peer {
        name: "R mice, mean of 5",
        errors: [
            both(0.76, 0.70),
            both(0.87, 0.85),
            both(0.58, 0.50),
            both(0.82, 0.80),
            both(0.43, 0.50),
            both(0.55, 0.56),
            None,
            both(0.89, 0.83),
            both(1.23, 1.20),
            both(1.23, 1.33),
        ],
    },
    Peer {
        name: "miceforest",
        errors: [
            both(0.89, 0.88),
            both(1.00, 1.09),
            both(0.71, 0.82),
            training(0.82),
            None,
            None,
            None,
            training(0.97),
            training(1.28),
            None,
        ],
    },
    Peer {
        name: "GAIN",
        errors: [both(0.86, 0.89), None, both(0.69, 0.50), None, None, None, None, None, None, None],
    },
];
