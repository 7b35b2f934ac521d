//! What was read from one version of the database, kept in memory until the database changes (ADR 23).

use std::{
    collections::HashMap,
    hash::{BuildHasher, Hash, RandomState},
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::store::DataVersion;

const SHARDS: usize = 16;
/// Roughly what an entry costs besides its texts and files.
const ENTRY_BYTES: usize = 240;

pub struct Kept<K, V> {
    shards: [Mutex<Shard<K, V>>; SHARDS],
    hasher: RandomState,
    max_bytes: usize,
}

struct Shard<K, V> {
    version: Option<DataVersion>,
    entries: HashMap<K, V>,
    bytes: usize,
}

impl<K, V> Shard<K, V> {
    fn clear(&mut self) {
        self.entries.clear();
        self.bytes = 0;
    }
}

impl<K: Hash + Eq, V: Clone> Kept<K, V> {
    /// `max_bytes` is for all entries together.
    pub fn new(max_bytes: usize) -> Self {
        let shard = |_| Mutex::new(Shard { version: None, entries: HashMap::new(), bytes: 0 });
        Self { shards: std::array::from_fn(shard), hasher: RandomState::new(), max_bytes }
    }

    /// What was kept, if nothing was written since it was read.
    pub fn get(&self, version: DataVersion, key: &K) -> Option<V> {
        let mut shard = self.shard(key);
        // What was deleted does not stay in memory.
        if shard.version < Some(version) {
            shard.clear();
            shard.version = Some(version);
        }
        if shard.version == Some(version) { shard.entries.get(key).cloned() } else { None }
    }

    /// `version` was read before the database was. `bytes` are those of the key and the value.
    pub fn keep(&self, version: DataVersion, key: K, value: V, bytes: usize) {
        let bytes = ENTRY_BYTES + bytes;
        let mut shard = self.shard(&key);
        if shard.version > Some(version) {
            return;
        }
        if shard.version < Some(version) || shard.bytes + bytes > self.max_bytes / SHARDS {
            shard.clear();
            shard.version = Some(version);
        }
        // Two requests may have read the same at once.
        if shard.entries.insert(key, value).is_none() {
            shard.bytes += bytes;
        }
    }

    pub fn clear(&self) {
        for shard in &self.shards {
            shard.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
    }

    fn shard(&self, key: &K) -> MutexGuard<'_, Shard<K, V>> {
        // The high bits: the map uses the low ones of its own hash.
        let number = (self.hasher.hash_one(key) >> 32) as usize % SHARDS;
        self.shards[number].lock().unwrap_or_else(PoisonError::into_inner)
    }
}
