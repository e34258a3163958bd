package io.github.ratelimit.local;

import java.util.concurrent.atomic.AtomicReference;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.WordAlgorithm;
import io.github.ratelimit.store.LateCharge;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitReceipt;
import org.jspecify.annotations.Nullable;

/**
 * The state of one limit that has one changing word: taking is a single compare-and-set,
 * and rejecting only reads.
 */
@SuppressWarnings("serial")
final class WordState extends LocalState {

	private final long base;

	WordState(LocalDecider limits, long base, long word) {
		super(limits, word);
		this.base = base;
	}

	/*
	 * A rejection needs a word that was there before the time was read. Taking may use a
	 * later word, which is read again as close to the compare-and-set as possible: the
	 * longer the time between the two, the more threads fail that want the same key.
	 */
	@Override
	@Nullable RateLimitDecision decide(LocalDecider limits, Algorithm admitting, String key, long permits) {
		WordAlgorithm algorithm = (WordAlgorithm) limits.algorithm;
		WordAlgorithm taking = (WordAlgorithm) admitting;
		while (true) {
			long before = get();
			long now = limits.clock.nanos();
			if (algorithm.needsRebase(this.base, now)) {
				return null;
			}

			long word = get();
			for (int failures = 1; word != RETIRED; failures++) {
				long taken = taking.take(this.base, word, now, permits);
				if (taken == WordAlgorithm.REJECTED) {
					break;
				}
				if (compareAndSet(word, taken)) {
					return algorithm.decision(this.base, taken, now, permits, true, null);
				}
				Backoff.pause(failures);
				word = get();
			}

			if (word == RETIRED) {
				return null;
			}
			if (word == before && taking == algorithm) {
				return algorithm.decision(this.base, word, now, permits, false, null);
			}
			if (word == before) {
				return rejection(taking, word, now, permits);
			}
		}
	}

	/*
	 * Rejects a request that cannot wait.
	 */
	private RateLimitDecision rejection(WordAlgorithm withoutDelays, long word, long now, long permits) {
		WordAlgorithm algorithm = algorithm();
		if (algorithm.take(this.base, word, now, permits) == WordAlgorithm.REJECTED) {
			return algorithm.decision(this.base, word, now, permits, false, null);
		}
		RateLimitDecision rejection = withoutDelays.decision(this.base, word, now, permits, false, null);
		return RateLimitDecisions.asQueueFull(rejection, rejection.retryAfterNanos());
	}

	@Override
	@Nullable RateLimitDecision read(Algorithm admitting, long permits) {
		long word = get();
		if (word == RETIRED) {
			return null;
		}
		WordAlgorithm algorithm = (WordAlgorithm) admitting;
		return algorithm.decision(this.base, word, this.limits.clock.nanos(), permits, permits == 0, null);
	}

	@Override
	boolean refund(long permits, RateLimitReceipt given) {
		long word = get();
		while (word != RETIRED) {
			long refunded = algorithm().refund(this.base, word, this.limits.clock.nanos(), permits, given, 0);
			long seen = compareAndExchange(word, refunded);
			if (seen == word) {
				return true;
			}
			word = seen;
		}
		return false;
	}

	@Override
	boolean charge(String key, long permits, @Nullable AtomicReference<@Nullable LateCharge> noted) {
		long word = get();
		long now = this.limits.clock.nanos();
		if (word == RETIRED) {
			return false;
		}
		if (algorithm().needsRebase(this.base, now)) {
			this.limits.current(key);
			return false;
		}

		long charged = algorithm().charge(this.base, word, now, permits);
		if (!compareAndSet(word, charged)) {
			return false;
		}
		if (noted != null) {
			noted.set(new LateCharge(look(word, now), look(charged, now)));
		}
		return true;
	}

	private RateLimitDecision look(long word, long now) {
		return algorithm().decision(this.base, word, now, 0, true, null);
	}

	@Override
	boolean isOutdated(long now) {
		return algorithm().needsRebase(this.base, now);
	}

	@Override
	long @Nullable [] words(boolean retire) {
		long word = retire ? retire() : get();
		if (word == RETIRED) {
			return null;
		}
		return new long[] { this.base, word };
	}

	@Override
	public boolean retire(long now, boolean onlyIfIdle) {
		long word = onlyIfIdle ? get() : retire();
		boolean isIdle = algorithm().isIdle(this.base, word, now);
		return isIdle && (!onlyIfIdle || compareAndSet(word, RETIRED));
	}

	private long retire() {
		return getAndSet(RETIRED);
	}

	@Override
	public boolean looksIdle(long now) {
		long word = get();
		return word != RETIRED && algorithm().isIdle(this.base, word, now);
	}

	@Override
	public long bytes() {
		return KeyWeight.bytesOfWords(2);
	}

	private WordAlgorithm algorithm() {
		return (WordAlgorithm) this.limits.algorithm;
	}

}
