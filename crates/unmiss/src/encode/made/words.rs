//! Free text as a few numbers: each word, and each three letters in a row, are counted, with a sign, in one of them,
//! which one and with which sign being told by a hash. Texts that share words get numbers that are alike.

use crate::rng::hash;

/// Letters that are taken together.
const LETTERS: usize = 3;

/// `width` numbers, together of length 1; of a text without a letter all 0.
pub(super) fn counts(text: &str, width: usize) -> Vec<f64> {
    let mut counts = vec![0.0; width];
    let mut count = |piece: &str| {
        // The low bits of the hash are those of the last letters alone: mix them with the others.
        let mixed = hash(piece).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let sign = if mixed & (1 << 40) == 0 { 1.0 } else { -1.0 };
        counts[((mixed >> 41) % width as u64) as usize] += sign;
    };
    let lower = text.to_lowercase();
    for word in lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
        count(word);
        let letters: Vec<char> = [' '].into_iter().chain(word.chars()).chain([' ']).collect();
        for piece in letters.windows(LETTERS) {
            count(&piece.iter().collect::<String>());
        }
    }
    let length = counts.iter().map(|count| count * count).sum::<f64>().sqrt();
    if length > 0.0 {
        counts.iter_mut().for_each(|count| *count /= length);
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_share_words_are_alike() {
        let alike =
            |a: &str, b: &str| -> f64 { counts(a, 32).iter().zip(counts(b, 32)).map(|(a, b)| a * b).sum() };
        assert!((alike("Chest pain", "chest PAIN!") - 1.0).abs() < 1e-12);
        assert!(alike("chest pain, fever", "fever and chest pain") > 0.5);
        assert!(alike("chest pain", "follow-up after surgery").abs() < 0.5);
        assert!(counts("...", 4).iter().all(|count| *count == 0.0));
    }
}
