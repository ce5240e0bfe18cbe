//! When to try again: full jitter under an exponential ceiling, never earlier than the server asked.
//!
//! Full jitter, because a restarted engine meets all its clients at once; spreading them over the
//! whole step keeps the herd flat.

use super::config::Config;
use super::ids::Millis;
use super::rng::Rng;

/// The span to wait before try number `failures + 1`.
///
/// `base` is the first step, `asked` what a `Retry-After` header demanded.
pub(super) fn delay(
    config: &Config,
    rng: &mut Rng,
    base: Millis,
    failures: u32,
    asked: Option<Millis>,
) -> Millis {
    let ceiling = base.0.max(1).saturating_mul(1 << failures.min(16)).min(config.backoff_max.0);
    let jittered = Millis(rng.up_to(ceiling));
    match asked {
        // Spread behind the moment the server named, and obey it however long it is.
        Some(floor) => floor.plus(Millis(jittered.0.min(config.backoff_base.0))),
        None => jittered,
    }
}

#[cfg(test)]
mod tests {
    use super::{Config, Millis, Rng, delay};

    #[test]
    fn a_delay_stays_under_its_ceiling_and_the_ceiling_under_the_maximum() {
        let config = Config::default();
        let mut rng = Rng::new(7);
        for failures in 0..40 {
            let ceiling = (1_000u64 << failures.min(16)).min(30_000);
            for _ in 0..50 {
                assert!(delay(&config, &mut rng, Millis(1_000), failures, None).0 <= ceiling);
            }
        }
    }

    #[test]
    fn a_retry_after_is_never_undercut() {
        let mut rng = Rng::new(7);
        for failures in 0..20 {
            let asked = Some(Millis(90_000));
            assert!(delay(&Config::default(), &mut rng, Millis(1_000), failures, asked).0 >= 90_000);
        }
    }

    #[test]
    fn the_first_steps_spread_over_their_whole_range() {
        let mut rng = Rng::new(1);
        let spread: Vec<u64> =
            (0..200).map(|_| delay(&Config::default(), &mut rng, Millis(1_000), 0, None).0).collect();
        assert!(spread.iter().any(|span| *span < 200) && spread.iter().any(|span| *span > 800));
    }
}
