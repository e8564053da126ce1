//! The sets of ratings: where they lie, how they are split, and what was published on them.

use std::path::Path;

use crate::bench::folder::find_file;
use crate::data::ratings::{Rating, Ratings, RatingsOptions, read};
use crate::data::{ReadOptions, read as read_table};
use crate::error::{Error, Result};

/// A set of ratings.
pub(super) struct Set {
    pub file: &'static str,
    pub split: Split,
    /// Settings of AutoRec other than its own defaults.
    pub autorec: &'static [(&'static str, &'static str)],
    /// Weight decays to choose from: inputs as they are or of about that size, and inputs of K = 500.
    pub decays: [&'static [f64]; 2],
    /// Its place among the published figures of a line, if it has any.
    pub published: Option<usize>,
    /// What others published or measured, in words.
    pub others: &'static [(&'static str, &'static str)],
    pub others_title: &'static str,
}

/// How a set is split.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Split {
    /// A tenth is the test, drawn anew for every seed.
    Random,
    /// A column `part` says which is which; seeds differ in what is set aside and in the first weights.
    Published,
}

const DECAYS: [&[f64]; 2] = [&[50.0, 100.0, 200.0], &[200.0, 300.0, 500.0]];

pub(super) const SMALL: Set = Set {
    file: "ratings/ml-100k/u.data",
    split: Split::Random,
    autorec: &[],
    decays: DECAYS,
    published: Some(0),
    others: &[
        ("surprise BaselineOnly", ".9266, .9513; 1 s"),
        ("surprise SVD, defaults", ".9130, .9365; 6-9 s"),
        ("surprise SVD, tuned", ".8925, .9134; 18-26 s"),
        ("surprise SVD++", ".9016, .9192; 63-71 s"),
    ],
    others_title: "Another tool on two splits of the same kind, not the seeds above (see benches/ratings.py)",
};

/// Trainings take a minute here: the decays are those that did best in a wider search on the first split.
pub(super) const MIDDLE: Set = Set {
    file: "ratings/ml-1m/ratings.dat",
    split: Split::Random,
    autorec: &[],
    decays: [&[100.0, 200.0], &[200.0, 300.0]],
    published: Some(1),
    others: &[],
    others_title: "",
};

pub(super) const LARGE: Set = Set {
    file: "ratings/ml-10m/ratings.dat",
    split: Split::Random,
    // As published for this set.
    autorec: &[("rate", "0.0001"), ("batch", "1000")],
    decays: DECAYS,
    published: Some(2),
    others: &[],
    others_title: "",
};

/// Graph methods also know features or neighbours of users and items, which nothing here does.
pub(super) const DOUBAN: Set =
    published_split("ratings/douban.csv", &[("sRGCNN", ".801"), ("GC-MC", ".734"), ("GRALS", ".833")]);

pub(super) const FLIXSTER: Set = published_split(
    "ratings/flixster.csv",
    &[("sRGCNN", "1.179, .926"), ("GC-MC", ".941, .917"), ("GRALS", "1.313, 1.245")],
);

pub(super) const YAHOO: Set =
    published_split("ratings/yahoo_music.csv", &[("sRGCNN", "22.4"), ("GC-MC", "20.5"), ("GRALS", "38.0")]);

const fn published_split(file: &'static str, others: &'static [(&'static str, &'static str)]) -> Set {
    Set {
        file,
        split: Split::Published,
        autorec: &[],
        decays: [&[3.0, 10.0, 30.0, 100.0], &[30.0, 100.0, 300.0]],
        published: None,
        others,
        others_title: "Published on the same split (van den Berg, Kipf and Welling 2017, Table 3; these know graphs of \
                       users or items besides)",
    }
}

impl Split {
    /// The share of the ratings that is tested on, drawn anew for every seed.
    pub fn test_share(self) -> f64 {
        match self {
            Self::Random => TEST_SHARE,
            Self::Published => 0.0,
        }
    }
}

/// The share of the ratings that is tested on where that is drawn.
const TEST_SHARE: f64 = 0.1;

/// Ratings with the test of one split, or all from which tests are drawn.
pub(super) struct Data {
    pub ratings: Ratings,
    published: Option<(Ratings, Vec<Rating>)>,
}

impl Set {
    pub fn read(&self, folder: &Path) -> Result<Data> {
        let columns = match self.split {
            Split::Random => "expected are lines with a user, an item, a rating and a time",
            Split::Published => "expected are the columns user, item, rating and part (train or test)",
        };
        let path = find_file(folder, self.file, columns)?;
        let ratings = read(&path, &RatingsOptions::default())?.ratings;
        let published = match self.split {
            Split::Random => None,
            Split::Published => Some(parts(&path, &ratings)?),
        };
        Ok(Data { ratings, published })
    }
}

impl Data {
    /// What is learned from and what is tested on.
    pub fn split(&self, seed: u64) -> (Ratings, Vec<Rating>) {
        self.published.clone().unwrap_or_else(|| self.ratings.split(TEST_SHARE, seed))
    }
}

/// The split that the column `part` tells.
fn parts(path: &Path, ratings: &Ratings) -> Result<(Ratings, Vec<Rating>)> {
    let table = read_table(path, &ReadOptions::default())?.table;
    let [users, items, parts] = ["user", "item", "part"].map(|name| table.column(name));
    let (users, items, parts) = (users?, items?, parts?);
    let unfit = || Error::data(format!("{} has a row without user, item or part", path.display()));
    let (mut learning, mut test) = (Vec::new(), Vec::new());
    for row in 0..table.rows() {
        let cell = |column: &crate::data::Column| column.cell(row).ok_or_else(unfit);
        let user = ratings.users.find(&cell(users)?).ok_or_else(unfit)?;
        let item = ratings.items.find(&cell(items)?).ok_or_else(unfit)?;
        let value = ratings.by_user.get(user, item).ok_or_else(unfit)?;
        let part = if cell(parts)? == "test" { &mut test } else { &mut learning };
        part.push(Rating { user, item, value });
    }
    Ok((ratings.only(learning.into_iter()), test))
}
