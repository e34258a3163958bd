package io.github.ratelimit.algorithm;

import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A store may read a state that another thread is changing, as long as it checks
 * afterwards: reading ends, and fails nowhere, whatever mixture of words it meets.
 */
class UnprotectedReadTests {

	private static final int AT = 1;

	private static final long EPOCH = 1_772_668_800_000_000_000L;

	@ParameterizedTest
	@EnumSource
	void readingAStateThatIsBeingChangedReturns(RateLimitAlgorithm algorithm) {
		RandomCases.check(20, (random) -> {
			RateLimit limit = RandomLimits.any(random, algorithm);
			checkReads(random, limit, Algorithm.of(limit, Tick.NANOSECOND, false));
		});
	}

	@ParameterizedTest
	@EnumSource(names = { "SLIDING_WINDOW_LOG", "SLIDING_WINDOW_COUNTER" })
	void readingAStateInWhichPermitsAreBeingReservedReturns(RateLimitAlgorithm algorithm) {
		RandomCases.check(20, (random) -> {
			RateLimit limit = RandomLimits.any(random, algorithm);
			checkReads(random, limit, Algorithm.reserving(limit, Tick.NANOSECOND, limit.window().multipliedBy(2)));
		});
	}

	private static void checkReads(Random random, RateLimit limit, Algorithm subject) {
		long[] state = roomy(subject);
		long window = limit.window().toNanos();
		AtomicBoolean done = new AtomicBoolean();
		CompletableFuture<Void> writer = CompletableFuture
			.runAsync(() -> write(subject, limit, state, new Random(1), done));
		try {
			for (int i = 0; i < 10_000; i++) {
				long now = EPOCH + RandomLimits.upTo(random, 2 * window);
				long permits = RandomLimits.upTo(random, 2 * limit.capacity());
				boolean admits = subject.admits(state, AT, now, permits);
				subject.decision(state, AT, now, permits, admits, null);
				subject.missing(state, AT, now, permits);
				subject.isIdle(state, AT, now);
			}
		}
		finally {
			done.set(true);
		}
		writer.join();
	}

	private static void write(Algorithm subject, RateLimit limit, long[] state, Random random, AtomicBoolean done) {
		long now = EPOCH;
		while (!done.get()) {
			long permits = 1 + RandomLimits.upTo(random, limit.capacity() - 1);
			if (subject.admits(state, AT, now, permits)) {
				subject.take(state, AT, now, permits);
			}
			now = EPOCH + RandomLimits.upTo(random, 3 * limit.window().toNanos());
			if (random.nextInt(8) == 0) {
				long[] fresh = roomy(subject);
				System.arraycopy(fresh, AT, state, AT, Math.min(2, subject.initialSize()));
			}
		}
	}

	private static long[] roomy(Algorithm subject) {
		long[] small = new long[AT + subject.initialSize()];
		subject.initialize(small, AT, EPOCH);
		int more = subject.missing(small, AT, EPOCH, subject.largestSize());
		long[] roomy = new long[small.length + more];
		subject.enlarge(small, AT, roomy, AT, EPOCH, subject.largestSize());
		roomy[0] = -1;
		return roomy;
	}

}
