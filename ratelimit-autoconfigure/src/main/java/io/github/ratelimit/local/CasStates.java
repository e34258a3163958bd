package io.github.ratelimit.local;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.WordAlgorithm;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitReceipt;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a policy of one limit whose state has one changing word: taking is a single
 * compare-and-set, and rejecting only reads.
 */
final class CasStates extends LocalStates {

	private static final long RETIRED = Long.MIN_VALUE;

	private final WordAlgorithm algorithm;

	private final WordAlgorithm withoutDelays;

	private final long capacity;

	CasStates(WordAlgorithm algorithm, RateLimitClock clock, long maximumSize, MemoryBudget memory) {
		super(clock, maximumSize, memory);
		this.algorithm = algorithm;
		this.withoutDelays = algorithm.withoutDelays();
		this.capacity = algorithm.capacity();
	}

	CasStates(WordAlgorithm algorithm, LocalKeys keys) {
		super(keys);
		this.algorithm = algorithm;
		this.withoutDelays = algorithm.withoutDelays();
		this.capacity = algorithm.capacity();
	}

	@Override
	public RateLimitDecision decide(String key, long permits) {
		return decide(this.algorithm, key, permits);
	}

	@Override
	public RateLimitDecision decideWithoutDelay(String key, long permits) {
		return decide((permits <= this.capacity) ? this.withoutDelays : this.algorithm, key, permits);
	}

	/*
	 * A rejection needs a word that was there before the time was read. Taking may use a
	 * later word, which is read again as close to the compare-and-set as possible: the
	 * longer the time between the two, the more threads fail that want the same key.
	 *
	 * Fields are kept in variables, because after a compare-and-set the compiler would
	 * read them again.
	 */
	private RateLimitDecision decide(WordAlgorithm admitting, String key, long permits) {
		if (permits == 0 || permits > this.capacity) {
			return read(admitting, key, permits);
		}
		WordAlgorithm algorithm = this.algorithm;
		WordState state = own(key);
		while (true) {
			long base = state.base;
			long before = state.word;
			long now = this.clock.nanos();
			long word = state.word;
			for (int failures = 1; word != RETIRED && !algorithm.needsRebase(base, now); failures++) {
				long taken = admitting.take(base, word, now, permits);
				if (taken == WordAlgorithm.REJECTED) {
					break;
				}
				if (state.replace(word, taken)) {
					return algorithm.decision(base, taken, now, permits, true);
				}
				Backoff.pause(failures);
				word = state.word;
			}
			if (word == RETIRED || algorithm.needsRebase(base, now)) {
				state = (WordState) current(key);
			}
			else if (word == before) {
				return (admitting == algorithm) ? algorithm.decision(base, word, now, permits, false)
						: rejection(base, word, now, permits);
			}
		}
	}

	/*
	 * Of a request that cannot wait.
	 */
	private RateLimitDecision rejection(long base, long word, long now, long permits) {
		if (this.algorithm.take(base, word, now, permits) == WordAlgorithm.REJECTED) {
			return this.algorithm.decision(base, word, now, permits, false);
		}
		return RateLimitDecisions.asQueueFull(this.withoutDelays.decision(base, word, now, permits, false),
				this.algorithm.delayNanos(base, word, now, permits));
	}

	private WordState own(String key) {
		return (findOrCreate(key) instanceof WordState state && state.owner == this) ? state : (WordState) current(key);
	}

	/*
	 * Decides on a call that takes nothing: a look, or a request that can never pass. A
	 * thread that retires the state replaces or removes it next.
	 */
	private RateLimitDecision read(WordAlgorithm algorithm, String key, long permits) {
		while (true) {
			WordState state = (WordState) visible(key);
			long word = state.word;
			if (word != RETIRED) {
				return algorithm.decision(state.base, word, this.clock.nanos(), permits, permits == 0);
			}
			Thread.onSpinWait();
		}
	}

	@Override
	Algorithm algorithm() {
		return this.algorithm;
	}

	@Override
	boolean refund(Object found, long permits, RateLimitReceipt given) {
		WordState state = (WordState) found;
		long word = state.word;
		while (word != RETIRED) {
			long seen = state.exchange(word,
					this.algorithm.refund(state.base, word, this.clock.nanos(), permits, given));
			if (seen == word) {
				return true;
			}
			word = seen;
		}
		return false;
	}

	@Override
	boolean charge(String key, Object found, long permits) {
		WordState state = (WordState) found;
		for (int tries = 1;; tries++) {
			long word = state.word;
			long now = this.clock.nanos();
			if (word == RETIRED) {
				return false;
			}
			if (this.algorithm.needsRebase(state.base, now)) {
				current(key);
				return false;
			}
			if (state.replace(word, this.algorithm.charge(state.base, word, now, permits))) {
				return true;
			}
			Backoff.pause(tries);
		}
	}

	@Override
	Object renewed(Object found) {
		WordState state = (WordState) found;
		long now = this.clock.nanos();
		if (!this.algorithm.needsRebase(state.base, now)) {
			return state;
		}
		long word = state.retire();
		return new WordState(this, this.algorithm.base(now), this.algorithm.rebase(state.base, word, now));
	}

	@Override
	Object create() {
		long now = this.clock.nanos();
		return new WordState(this, this.algorithm.base(now), this.algorithm.initialWord(now));
	}

	@Override
	int ownWords() {
		return 0;
	}

	@Override
	Object create(long[] words) {
		return new WordState(this, words[0], words[1]);
	}

	@Override
	long @Nullable [] words(Object found, boolean retire) {
		WordState state = (WordState) found;
		long word = retire ? state.retire() : state.word;
		return (word != RETIRED) ? new long[] { state.base, word } : null;
	}

	@Override
	boolean retire(Object found) {
		WordState state = (WordState) found;
		long now = this.clock.nanos();
		return this.algorithm.isIdle(state.base, state.retire(), now);
	}

	@Override
	boolean retireIfIdle(Object found) {
		WordState state = (WordState) found;
		long word = state.word;
		return this.algorithm.isIdle(state.base, word, this.clock.nanos()) && state.replace(word, RETIRED);
	}

	@Override
	boolean looksIdle(Object found) {
		WordState state = (WordState) found;
		long word = state.word;
		return word != RETIRED && this.algorithm.isIdle(state.base, word, this.clock.nanos());
	}

	/**
	 * The words of one key. As large as an array of the two.
	 */
	private static final class WordState extends VersionedState {

		private static final VarHandle WORD;

		static {
			try {
				WORD = MethodHandles.lookup().findVarHandle(WordState.class, "word", long.class);
			}
			catch (ReflectiveOperationException ex) {
				throw new ExceptionInInitializerError(ex);
			}
		}

		final long base;

		volatile long word;

		WordState(LocalStates owner, long base, long word) {
			super(owner);
			this.base = base;
			this.word = word;
		}

		boolean replace(long word, long by) {
			return WORD.compareAndSet(this, word, by);
		}

		long exchange(long word, long by) {
			return (long) WORD.compareAndExchange(this, word, by);
		}

		long retire() {
			return (long) WORD.getAndSet(this, RETIRED);
		}

		@Override
		long bytes() {
			return KeyWeight.ofWords(2);
		}

	}

}
