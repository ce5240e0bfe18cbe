//! A map kept as two lists in the order of the keys, with the part of `BTreeMap` that the machine uses.
//!
//! Each pair of key and value types makes a copy of `BTreeMap`'s code, five kilobytes of it, and the machine
//! had nine: a third of the file that every page loads. Here the search is shared by all tables of one key
//! type. Inserting moves what lies behind; with the few thousand entries that the caps allow, that is less
//! than the work the entry stands for.

use std::borrow::Borrow;

/// A map whose order is that of its keys.
#[derive(Debug, Clone)]
pub(super) struct Table<K, V> {
    keys: Vec<K>,
    values: Vec<V>,
}

impl<K, V> Default for Table<K, V> {
    fn default() -> Self {
        Table { keys: Vec::new(), values: Vec::new() }
    }
}

/// Where the key is, or where it would go.
#[inline(never)]
fn place<Q: Ord + ?Sized, K: Borrow<Q>>(keys: &[K], key: &Q) -> Result<usize, usize> {
    keys.binary_search_by(|known| known.borrow().cmp(key))
}

impl<K: Ord, V> Table<K, V> {
    pub(super) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.values.get(place(&self.keys, key).ok()?)
    }

    pub(super) fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.values.get_mut(place(&self.keys, key).ok()?)
    }

    pub(super) fn contains<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        place(&self.keys, key).is_ok()
    }

    /// Gives back the value that was there.
    pub(super) fn insert(&mut self, key: K, value: V) -> Option<V> {
        match place(&self.keys, &key) {
            Ok(at) => self.values.get_mut(at).map(|known| std::mem::replace(known, value)),
            Err(at) => {
                self.keys.insert(at, key);
                self.values.insert(at, value);
                None
            }
        }
    }

    pub(super) fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let at = place(&self.keys, key).ok()?;
        self.keys.remove(at);
        Some(self.values.remove(at))
    }

    pub(super) fn clear(&mut self) {
        self.keys.clear();
        self.values.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    pub(super) fn keys(&self) -> &[K] {
        &self.keys
    }

    /// The keys from `first` on that come before `end`.
    pub(super) fn keys_between(&self, first: &K, end: &K) -> &[K] {
        let from = place(&self.keys, first).unwrap_or_else(|at| at);
        let to = place(&self.keys, end).unwrap_or_else(|at| at);
        self.keys.get(from..to).unwrap_or_default()
    }

    /// The values in the order of their keys.
    pub(super) fn values(&self) -> &[V] {
        &self.values
    }

    pub(super) fn values_mut(&mut self) -> &mut [V] {
        &mut self.values
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.keys.iter().zip(&self.values)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::Table;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn a_table_does_what_a_map_does(steps in prop::collection::vec((0..3_u8, 0..12_u8, any::<u16>()), 0..80)) {
            let mut table: Table<u8, u16> = Table::default();
            let mut map: BTreeMap<u8, u16> = BTreeMap::new();
            for (step, key, value) in steps {
                match step {
                    0 => prop_assert_eq!(table.remove(&key), map.remove(&key)),
                    1 => prop_assert_eq!(table.insert(key, value), map.insert(key, value)),
                    _ => prop_assert_eq!(table.get(&key), map.get(&key)),
                }
                prop_assert!(table.iter().eq(map.iter()));
                prop_assert_eq!(table.len(), map.len());
                let (first, end) = (key / 2, key);
                prop_assert!(table.keys_between(&first, &end).iter().eq(map.range(first..end).map(|(key, _)| key)));
            }
        }
    }
}
