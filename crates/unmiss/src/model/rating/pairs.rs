//! Ratings of many pairs at once, of users and items that may be unknown or have rated since.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::Rating;

impl Rating<'_> {
    /// A rating for each pair; of an unknown user or item the average is taken.
    pub fn rate_any(&self, pairs: &[(Option<u32>, Option<u32>)]) -> Vec<f32> {
        let known: Vec<(u32, u32)> = pairs.iter().filter_map(|(user, item)| user.zip(*item)).collect();
        let mut known = self.rate(&known).into_iter();
        let average = |user: Option<u32>, item: Option<u32>| {
            let user = user.map_or(0.0, |user| self.part.biases.users[user as usize]);
            let item = item.map_or(0.0, |item| self.part.biases.items[item as usize]);
            self.within(self.part.biases.mean + user + item)
        };
        let answer = |(user, item): &(Option<u32>, Option<u32>)| {
            user.zip(*item).and_then(|_| known.next()).unwrap_or_else(|| average(*user, *item))
        };
        pairs.iter().map(answer).collect()
    }

    /// A rating for each pair of names. `new` has the ratings (item, value) that users gave after the model was fitted:
    /// such a user is folded in, once for all items asked for.
    pub fn rate_named(
        &self,
        pairs: &[(String, String)],
        new: &BTreeMap<String, Vec<(u32, f32)>>,
    ) -> Vec<f32> {
        let (users, items) = (&self.ratings.users, &self.ratings.items);
        let (mut places, mut plain) = (Vec::new(), Vec::new());
        let mut folded: BTreeMap<&str, (Vec<usize>, Vec<u32>)> = BTreeMap::new();
        for (place, (user, item)) in pairs.iter().enumerate() {
            match items.find(item).filter(|_| new.contains_key(user)) {
                Some(item) => {
                    let (places, items) = folded.entry(user).or_default();
                    places.push(place);
                    items.push(item);
                }
                None => {
                    places.push(place);
                    plain.push((users.find(user), items.find(item)));
                }
            }
        }
        let fold = |(user, (places, items)): (&str, (Vec<usize>, Vec<u32>))| {
            (places, self.rate_for(&self.all_given(user, &new[user]), &items))
        };
        let folded: Vec<_> = folded.into_iter().collect();
        let mut parts: Vec<_> = folded.into_par_iter().map(fold).collect();
        parts.push((places, self.rate_any(&plain)));
        let mut answers = vec![0.0; pairs.len()];
        for (place, answer) in parts.iter().flat_map(|(places, own)| places.iter().zip(own)) {
            answers[*place] = *answer;
        }
        answers
    }

    /// All ratings of a user: those learned from, if the user is known, and new ones, which replace older ones.
    pub fn all_given(&self, user: &str, new: &[(u32, f32)]) -> Vec<(u32, f32)> {
        let known = self.ratings.users.find(user);
        let mut all: BTreeMap<u32, f32> =
            known.into_iter().flat_map(|user| self.ratings.by_user.entries(user)).collect();
        all.extend(new.iter().copied());
        all.into_iter().collect()
    }
}
