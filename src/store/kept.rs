//! What was read from one version of the database, kept in memory until the database changes (ADR 23).
//!
//! When the memory is full, what was not asked for lately goes.

use std::{
    collections::HashMap,
    hash::{BuildHasher, Hash, RandomState},
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::DataVersion;

const SHARDS: usize = 16;
/// How many keys a shard remembers that were asked for once.
const ASKED: usize = 4096;
/// Roughly what an entry costs besides its texts and files.
const ENTRY_BYTES: usize = 240;

/// Keys may be asked for in a borrowed form, whose hash is used.
pub struct Kept<K, V> {
    shards: [Mutex<Shard<K, V>>; SHARDS],
    hasher: RandomState,
    /// A shard has two generations.
    generation_bytes: usize,
}

struct Entry<K, V> {
    key: K,
    value: V,
    bytes: usize,
}

/// Entries by the hash of their key.
struct Generation<K, V> {
    entries: HashMap<u64, Entry<K, V>>,
    bytes: usize,
}

impl<K, V> Default for Generation<K, V> {
    fn default() -> Self {
        Self { entries: HashMap::new(), bytes: 0 }
    }
}

struct Shard<K, V> {
    version: Option<DataVersion>,
    /// Kept or asked for lately. When it is full, it becomes `older`.
    recent: Generation<K, V>,
    older: Generation<K, V>,
    /// The hashes of keys, each at its place, whatever the version.
    asked: Vec<u32>,
}

impl<K, V: Clone> Shard<K, V> {
    fn new() -> Self {
        Self { version: None, recent: Generation::default(), older: Generation::default(), asked: Vec::new() }
    }

    fn clear(&mut self) {
        self.recent = Generation::default();
        self.older = Generation::default();
    }

    fn get(&mut self, hash: u64, key: &impl PartialEq<K>, generation_bytes: usize) -> Option<V> {
        if let Some(found) = self.recent.entries.get(&hash) {
            return (*key == found.key).then(|| found.value.clone());
        }
        let found = self.older.entries.remove(&hash)?;
        self.older.bytes -= found.bytes;
        let value = (*key == found.key).then(|| found.value.clone());
        self.insert(hash, found, generation_bytes);
        value
    }

    fn insert(&mut self, hash: u64, entry: Entry<K, V>, generation_bytes: usize) {
        if self.recent.bytes + entry.bytes > generation_bytes {
            self.older = mem::take(&mut self.recent);
        }
        self.recent.bytes += entry.bytes;
        // Two requests may have read the same at once.
        if let Some(before) = self.recent.entries.insert(hash, entry) {
            self.recent.bytes -= before.bytes;
        }
    }

    fn is_asked_again(&mut self, hash: u64) -> bool {
        if self.asked.is_empty() {
            self.asked.resize(ASKED, 0);
        }
        let (place, print) = (hash as usize % ASKED, (hash >> 16) as u32);
        mem::replace(&mut self.asked[place], print) == print
    }
}

impl<K, V: Clone> Kept<K, V> {
    /// `max_bytes` is for all entries together.
    pub fn new(max_bytes: usize) -> Self {
        Self {
            shards: std::array::from_fn(|_| Mutex::new(Shard::new())),
            hasher: RandomState::new(),
            generation_bytes: max_bytes / SHARDS / 2,
        }
    }

    /// What was kept, if nothing was written since it was read.
    pub fn get(&self, version: DataVersion, key: &(impl Hash + PartialEq<K>)) -> Option<V> {
        let hash = self.hasher.hash_one(key);
        let mut shard = self.shard(hash);
        // What was deleted does not stay in memory.
        if shard.version < Some(version) {
            shard.clear();
            shard.version = Some(version);
        }
        if shard.version == Some(version) { shard.get(hash, key, self.generation_bytes) } else { None }
    }

    /// Was the key asked for before, kept or not? If so, it is worth its memory.
    pub fn is_asked_again(&self, key: &impl Hash) -> bool {
        let hash = self.hasher.hash_one(key);
        self.shard(hash).is_asked_again(hash)
    }

    /// `version` was read before the database was. `bytes` are those of the key and the value.
    pub fn keep(&self, version: DataVersion, key: impl Hash + Into<K>, value: V, bytes: usize) {
        let hash = self.hasher.hash_one(&key);
        let entry = Entry { key: key.into(), value, bytes: ENTRY_BYTES + bytes };
        let mut shard = self.shard(hash);
        if shard.version > Some(version) {
            return;
        }
        if shard.version < Some(version) {
            shard.clear();
            shard.version = Some(version);
        }
        shard.insert(hash, entry, self.generation_bytes);
    }

    /// Forgets everything, also what was read before this version and is kept later.
    pub fn clear(&self, version: Option<DataVersion>) {
        for shard in &self.shards {
            let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            shard.clear();
            shard.version = shard.version.max(version);
        }
    }

    fn shard(&self, hash: u64) -> MutexGuard<'_, Shard<K, V>> {
        // The high bits: what a shard uses are the others.
        let number = (hash >> 60) as usize % SHARDS;
        self.shards[number].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX_BYTES: usize = 1 << 20;

    fn versions() -> [DataVersion; 2] {
        DataVersion::examples()
    }

    #[test]
    fn a_key_is_worth_its_memory_when_it_is_asked_for_again() {
        let kept: Kept<String, u8> = Kept::new(MAX_BYTES);
        assert!(!kept.is_asked_again(&"a"));
        assert!(kept.is_asked_again(&"a"));
        assert!(!kept.is_asked_again(&"b"));
    }

    #[test]
    fn an_entry_ends_with_its_version() {
        let kept: Kept<String, u8> = Kept::new(MAX_BYTES);
        let [first, second] = versions();
        kept.keep(first, "a", 1, 1);
        assert_eq!((kept.get(first, &"a"), kept.get(first, &"b")), (Some(1), None));
        assert_eq!(kept.get(second, &"a"), None);
        kept.keep(second, "a", 2, 1);
        assert_eq!(kept.get(first, &"a"), None);
        // Read before the change, and kept too late.
        kept.keep(first, "a", 1, 1);
        assert_eq!(kept.get(second, &"a"), Some(2));
        let cleared: Kept<String, u8> = Kept::new(MAX_BYTES);
        cleared.clear(Some(second));
        cleared.keep(first, "a", 1, 1);
        assert_eq!(cleared.get(first, &"a"), None);
        kept.clear(Some(second));
        assert_eq!(kept.get(second, &"a"), None);
    }

    #[test]
    fn what_is_asked_for_stays_and_memory_is_bounded() {
        let kept: Kept<String, u8> = Kept::new(MAX_BYTES);
        let [version, _] = versions();
        kept.keep(version, "popular", 7, 3_000);
        for number in 0..2_000 {
            kept.keep(version, number.to_string(), 1, 3_000);
            assert_eq!(kept.get(version, &"popular"), Some(7), "after {number}");
        }
        let bytes = |shard: &Mutex<Shard<String, u8>>| {
            let shard = shard.lock().unwrap();
            for generation in [&shard.recent, &shard.older] {
                assert_eq!(
                    generation.entries.values().map(|entry| entry.bytes).sum::<usize>(),
                    generation.bytes
                );
            }
            shard.recent.bytes + shard.older.bytes
        };
        let bytes: usize = kept.shards.iter().map(bytes).sum();
        assert!(bytes <= MAX_BYTES && bytes > MAX_BYTES / 4, "{bytes}");
    }
}
