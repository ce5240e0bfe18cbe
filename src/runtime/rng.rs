//! The only chance the machine knows: a seeded splitmix64, so that a run can be replayed.

/// A small deterministic generator. Not for secrets.
#[derive(Debug, Clone)]
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Rng(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from zero up to and including `most`.
    pub(crate) fn up_to(&mut self, most: u64) -> u64 {
        let number = self.next();
        number.checked_rem(most.wrapping_add(1)).unwrap_or(number)
    }
}
