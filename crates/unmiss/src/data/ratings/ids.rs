//! The names of users or items, and their positions.

use std::collections::HashMap;

use crate::error::nearest;

/// Names that are searched for the one meant by a misspelt one.
const MOST_COMPARED: usize = 100_000;

/// Distinct names by position.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ids {
    names: Vec<String>,
    positions: HashMap<String, u32>,
}

impl Ids {
    /// Ids in the given order; a name that occurs again is passed over.
    pub fn new(names: Vec<String>) -> Self {
        let mut ids = Self { names: Vec::with_capacity(names.len()), positions: HashMap::new() };
        for name in names {
            if !ids.positions.contains_key(&name) {
                ids.positions.insert(name.clone(), ids.names.len() as u32);
                ids.names.push(name);
            }
        }
        ids
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The name at a position.
    pub fn name(&self, position: u32) -> &str {
        &self.names[position as usize]
    }

    /// All names, in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The position of a name.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.positions.get(name).copied()
    }

    /// The name nearest to a misspelt one.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        nearest(name, self.names.iter().take(MOST_COMPARED).map(String::as_str))
    }
}
