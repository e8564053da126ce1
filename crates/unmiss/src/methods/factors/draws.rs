//! Many solutions: users, items and how far each may stray are drawn in turns from what the others leave likely, and
//! the predictions of many such draws are averaged (Gibbs sampling).
//!
//! ```text
//! r(u, i) ~ N(μ + b_u + b_i + p_u · q_i, 1/τ)
//! (p_u, b_u) ~ N(m, diag(1/λ))     m, λ: of all users; the same for items
//! τ, λ ~ Gamma, m ~ Normal: vague, in units of the ratings' deviation
//! ```

use super::Settings;
use super::fitted::{Draw, Fitted};
use super::rows::{Belief, Side, each_row};
use crate::data::ratings::{Compressed, Ratings};
use crate::error::{Error, Result};
use crate::linalg::sum_over;
use crate::methods::vectors::dot;
use crate::rng::Stream;
use crate::run::{Curve, Event, Run};

/// Every so many rounds a draw is kept: neighbours are much alike.
const BETWEEN: usize = 2;

/// Draws and keeps `settings.draws` of them. Stopped early, it keeps what it has.
pub(super) fn fit(ratings: &Ratings, settings: Settings, run: &Run) -> Result<Fitted> {
    let (mean, users, items) = super::start(ratings, settings.factors, run.seed());
    let deviation = deviation(ratings);
    let vague = Belief::vague(settings.factors, deviation);
    let mut chain = Chain {
        ratings,
        mean,
        deviation,
        user_belief: vague.clone(),
        item_belief: vague,
        noise: deviation.powi(-2),
        users,
        items,
        seed: run.seed(),
    };
    let rounds = settings.burn_in + settings.draws * BETWEEN;
    let (mut kept, mut spreads) = (Kept::default(), Vec::new());
    for round in 0..rounds {
        if run.stopped() {
            break;
        }
        let belief_used = chain.round(round);
        spreads.push(chain.noise.powf(-0.5));
        if round >= settings.burn_in && (round - settings.burn_in) % BETWEEN == BETWEEN - 1 {
            kept.add(&chain, belief_used);
        }
        run.progress(round as u64 + 1, rounds as u64, format!("noise {:.4}", chain.noise.powf(-0.5)));
    }
    run.finished();
    if spreads.is_empty() {
        return Err(Error::Stopped);
    }
    if kept.draws.is_empty() {
        let belief = chain.user_belief.clone();
        kept.add(&chain, belief);
    }
    let rounds = spreads.len();
    run.tell(&Event::Trained(Curve {
        task: run.task().to_owned(),
        step: "round",
        training: spreads,
        validation: Vec::new(),
        best: rounds,
    }));
    let (users, items) = (joined(&kept.users), joined(&kept.items));
    Ok(Fitted::new(settings, mean, users, items, kept.draws, rounds))
}

fn deviation(ratings: &Ratings) -> f64 {
    let mean = ratings.mean();
    let squares: f64 = ratings.by_user.values.iter().map(|value| (f64::from(*value) - mean).powi(2)).sum();
    // Ratings that are all the same leave nothing to draw, and no division by 0.
    (squares / ratings.len().max(1) as f64).sqrt().max(1e-3)
}

/// What was kept of the chain.
#[derive(Default)]
struct Kept {
    users: Vec<Side>,
    items: Vec<Side>,
    draws: Vec<Draw>,
}

impl Kept {
    fn add(&mut self, chain: &Chain, users: Belief) {
        self.users.push(chain.users.clone());
        self.items.push(chain.items.clone());
        self.draws.push(Draw { noise: chain.noise, users });
    }
}

/// Draws side by side: `[rows, draws]` offsets, `[rows, draws x factors]` factors.
fn joined(sides: &[Side]) -> Side {
    let rows = sides[0].offsets.len();
    let offsets = (0..rows).flat_map(|row| sides.iter().map(move |side| side.offsets[row])).collect();
    let factors = (0..rows).flat_map(|row| sides.iter().flat_map(move |side| side.row(row))).copied();
    Side { offsets, factors: factors.collect(), width: sides.iter().map(|side| side.width).sum() }
}

/// Where the chain of draws is.
struct Chain<'a> {
    ratings: &'a Ratings,
    mean: f32,
    /// Of all ratings.
    deviation: f64,
    users: Side,
    items: Side,
    user_belief: Belief,
    item_belief: Belief,
    /// τ: 1 / variance of a rating around its prediction.
    noise: f64,
    seed: u64,
}

impl Chain<'_> {
    /// Draws everything once, each from what the others are; gives the belief that the users were drawn by.
    fn round(&mut self, round: usize) -> Belief {
        self.users = self.side("user draws", round, &self.ratings.by_user, &self.items, &self.user_belief);
        let mut stream = Stream::new(self.seed, "belief draws", round as u64, 0);
        let next = Belief::drawn(&self.users, self.deviation, &mut stream);
        let used = std::mem::replace(&mut self.user_belief, next);
        self.items = self.side("item draws", round, &self.ratings.by_item, &self.users, &self.item_belief);
        self.item_belief = Belief::drawn(&self.items, self.deviation, &mut stream);
        // Gamma(2, variance) before the ratings: worth four of them.
        let shape = 2.0 + self.ratings.len() as f64 / 2.0;
        let rate = self.deviation.powi(2) + self.squares() / 2.0;
        self.noise = stream.gamma(shape) / rate;
        used
    }

    fn side(&self, purpose: &str, round: usize, rows: &Compressed, others: &Side, belief: &Belief) -> Side {
        each_row(rows, self.mean, others, |row, _, sums| {
            let mut stream = Stream::new(self.seed, purpose, row as u64, round as u64);
            sums.drawn(self.noise, belief, || stream.normal())
        })
    }

    /// The sum of squared errors over all ratings.
    fn squares(&self) -> f64 {
        let rows = &self.ratings.by_user;
        let sum = sum_over(rows.rows(), 1, |range, sum| {
            for user in range {
                let (items, values) = rows.row(user as u32);
                let (own, start) = (self.users.row(user), self.mean + self.users.offsets[user]);
                for (item, value) in items.iter().zip(values) {
                    let item = *item as usize;
                    let answer = start + self.items.offsets[item] + dot(own, self.items.row(item));
                    sum[0] += f64::from(value - answer).powi(2);
                }
            }
        });
        sum[0]
    }
}

impl Belief {
    /// Before anything is drawn: offsets and agreements within about half a deviation of 0.
    fn vague(factors: usize, deviation: f64) -> Self {
        let mut precision = vec![5.0 / deviation; factors + 1];
        precision[factors] = 5.0 / deviation.powi(2);
        Self { precision, mean: vec![0.0; factors + 1] }
    }

    /// Means and precisions of all rows, drawn from what the rows leave likely; before the rows are seen, a mean is
    /// worth one row and a precision Gamma(2, 0.2), in units of the deviation (a product of two factors is a rating).
    fn drawn(side: &Side, deviation: f64, stream: &mut Stream) -> Self {
        let count = side.offsets.len() as f64;
        let column = |place: usize| {
            let values = (0..side.offsets.len())
                .map(move |row| if place < side.width { side.row(row)[place] } else { side.offsets[row] });
            values.map(f64::from)
        };
        let (mut precision, mut mean) = (Vec::new(), Vec::new());
        for place in 0..=side.width {
            let centre = column(place).sum::<f64>() / (count + 1.0);
            let squares: f64 = column(place).map(|value| (value - centre).powi(2)).sum();
            let unit = if place < side.width { deviation } else { deviation.powi(2) };
            let own = stream.gamma(2.0 + count / 2.0) / (0.2 * unit + squares / 2.0);
            mean.push(centre + stream.normal() / (own * (count + 1.0)).sqrt());
            precision.push(own);
        }
        Self { precision, mean }
    }
}
