//! Putting a batch together takes one thread: the next is made while this one is used.

/// Makes something of each item and uses it, in order; while one is used, the next is made.
pub fn one_ahead<I: Send, T: Send>(
    items: impl IntoIterator<Item = I>,
    make: impl Fn(I) -> T + Sync,
    mut using: impl FnMut(T) + Send,
) {
    let mut items = items.into_iter();
    let mut now = items.next().map(&make);
    while let Some(this) = now {
        let next = items.next();
        now = rayon::join(|| using(this), || next.map(&make)).1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_made_and_used_in_order() {
        for count in [0_usize, 1, 2, 7] {
            let mut used = Vec::new();
            one_ahead(0..count, |item| 2 * item, |made| used.push(made));
            assert_eq!(used, (0..count).map(|item| 2 * item).collect::<Vec<_>>());
        }
    }
}
