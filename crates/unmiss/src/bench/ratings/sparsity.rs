//! How many ratings users gave and items got (Figure 1 of the first version of the paper on SN): nothing is trained.

use std::collections::BTreeMap;

use crate::bench::report::Row;
use crate::bench::{Cell, Section};
use crate::data::ratings::Ratings;
use crate::missing::describe_ratings;

/// Its name among the parts.
pub(super) const PART: &str = "sparsity";

/// The histogram, in bins that double, and how much the numbers vary.
pub(super) fn section(ratings: &Ratings) -> Section {
    let found = describe_ratings(ratings);
    // By its first number: the name of a bin, and how many users and items are in it.
    let mut bins: BTreeMap<usize, (String, [usize; 2])> = BTreeMap::new();
    for (side, own) in [&found.user_bins, &found.item_bins].into_iter().enumerate() {
        for bin in own {
            let (_, counts) = bins.entry(bin.fewest).or_insert_with(|| (bin.name(), [0; 2]));
            counts[side] = bin.count;
        }
    }
    let words = |cells: [String; 2]| cells.map(Cell::Words).to_vec();
    let bin = |(name, counts): (String, [usize; 2])| Row {
        name: format!("{name} {}", if name == "1" { "rating" } else { "ratings" }),
        cells: words(counts.map(|count| count.to_string())),
    };
    let mut rows: Vec<Row> = bins.into_values().map(bin).collect();
    let sides = [found.per_user, found.per_item];
    rows.extend([
        Row { name: "mean".into(), cells: words(sides.map(|side| format!("{:.1}", side.mean))) },
        Row { name: "sd / mean".into(), cells: words(sides.map(|side| format!("{:.2}", side.variation))) },
    ]);
    Section {
        title: "How many users gave, and how many items got, so many ratings".into(),
        columns: ["users", "items"].map(str::to_owned).to_vec(),
        digits: 0,
        rows,
    }
}
