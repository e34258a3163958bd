package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.ratelimit.CalendarModel;
import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.model.Decisions;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Both stores give the same answers, whichever of three versions of a policy decides.
 * They may differ in what comes after a decision: where another version has decided
 * since, a settlement is bounded by its own limits in Redis and by the state's locally,
 * and Redis leaves alone what limits of another kind have counted.
 */
class TwinStoresTests extends AloneAndAmongLooks {

	/* The ticks of the two differ. */
	private static final long MAX_NANOS_APART = 20_000;

	private static final int CASES = 60;

	private static final Set<RateLimitAlgorithm> BUCKETS = EnumSet.of(RateLimitAlgorithm.TOKEN_BUCKET,
			RateLimitAlgorithm.LEAKY_BUCKET);

	private static final int[] CAPACITIES = { 6, 24, 120 };

	@ParameterizedTest
	@EnumSource
	void agreeWhileOneLimitChanges(RateLimitAlgorithm algorithm) {
		RandomCases.check(CASES, (random) -> check(random, 1, () -> List.of(limit(random, algorithm))));
	}

	@Test
	void agreeWhileACalendarsWindowChanges() {
		RandomCases.check(CASES, (random) -> check(random, 7200, () -> List.of(calendar(random))));
	}

	private static RateLimit calendar(Random random) {
		String period = List.of("P1D", "P1W", "P1M").get(random.nextInt(3));
		return CalendarModel.limit(CAPACITIES[random.nextInt(CAPACITIES.length)], period, "Europe/Berlin", null);
	}

	@ParameterizedTest
	@EnumSource
	void agreeWhileTwoLimitsChange(RateLimitAlgorithm algorithm) {
		RateLimitAlgorithm[] all = RateLimitAlgorithm.values();
		RandomCases.check(CASES, (random) -> check(random, 1,
				() -> List.of(limit(random, algorithm), limit(random, all[random.nextInt(all.length)]))));
	}

	@ParameterizedTest
	@EnumSource(names = { "SLIDING_WINDOW_LOG", "SLIDING_WINDOW_COUNTER" })
	void agreeWhileTheSlidingWindowThatRequestsWaitForChanges(RateLimitAlgorithm algorithm) {
		RandomCases.check(CASES, (random) -> check(random, 1, true, () -> List.of(limit(random, algorithm))));
	}

	/*
	 * Units of all of these are whole in both ticks. Often the limit, the window or the
	 * burst alone is another.
	 */
	static RateLimit limit(Random random, RateLimitAlgorithm algorithm) {
		RateLimit.Builder limit = RateLimit.builder(algorithm)
			.limit(CAPACITIES[random.nextInt(CAPACITIES.length)])
			.window(Duration.ofSeconds(random.nextBoolean() ? 12 : 24));
		long capacity = CAPACITIES[random.nextInt(CAPACITIES.length)];
		return switch (algorithm) {
			case TOKEN_BUCKET -> limit.burst(random.nextBoolean() ? capacity : null).build();
			case LEAKY_BUCKET -> limit.burst(capacity - 1).nodelay(random.nextBoolean()).build();
			case SLIDING_WINDOW_LOG -> limit.countRejected(random.nextBoolean()).build();
			case FIXED_WINDOW_COUNTER, SLIDING_WINDOW_COUNTER -> limit.build();
		};
	}

	/**
	 * Compares what both stores say of one request.
	 * @param trace all that was asked so far
	 */
	static void assertSame(RateLimitDecision redis, RateLimitDecision local, CharSequence trace) {
		assertThat(redis.allowed()).as("allowed\n%s", trace).isEqualTo(local.allowed());
		assertThat(remaining(redis)).as("remaining\n%s", trace).isEqualTo(remaining(local));
		assertClose("delay", redis.delayNanos(), local.delayNanos(), trace);
		assertClose("retry", redis.retryAfterNanos(), local.retryAfterNanos(), trace);
		assertClose("reset", redis.resetAfterNanos(), local.resetAfterNanos(), trace);
	}

	private static List<Long> remaining(RateLimitDecision decision) {
		return decision.limits().isEmpty() ? List.of(decision.remaining())
				: decision.limits().stream().map(LimitStatus::remaining).toList();
	}

	private static void assertClose(String what, long redis, long local, CharSequence trace) {
		assertThat(redis).as("%s\n%s", what, trace)
			.isBetween(local - MAX_NANOS_APART, Math.max(local, local + MAX_NANOS_APART));
	}

	private static RateLimitPolicy policy(Random random, boolean waits, List<RateLimit> limits) {
		RateLimitPolicy.Builder policy = RateLimitPolicy.builder("policy").limits(limits);
		if (waits && limits.size() == 1 && mayWait(limits.get(0))) {
			return policy.maxWait(Duration.ofSeconds(random.nextBoolean() ? 3 : 30)).build();
		}
		boolean charged = random.nextBoolean() && limits.stream().noneMatch(RateLimit::delays);
		return (charged ? policy.charge("status >= 400") : policy).build();
	}

	private static boolean mayWait(RateLimit limit) {
		return switch (limit.algorithm()) {
			case TOKEN_BUCKET, SLIDING_WINDOW_COUNTER -> true;
			case FIXED_WINDOW_COUNTER -> limit.calendar() == null;
			case SLIDING_WINDOW_LOG -> !limit.countRejected();
			case LEAKY_BUCKET -> false;
		};
	}

	private static void check(Random random, int slower, Supplier<List<RateLimit>> limits) {
		// a window without reservations forgets those that there were, in Redis also at a
		// refund
		check(random, slower, random.nextInt(3) == 0, limits);
	}

	private static void check(Random random, int slower, boolean waits, Supplier<List<RateLimit>> limits) {
		server.redis().call("FLUSHALL");
		server.clock().advance(Duration.ofDays(1));
		try (LocalRateLimitStore store = new LocalRateLimitStore(server.clock(), 100)) {
			Trace trace = new Trace(store,
					Stream.generate(() -> policy(random, waits, limits.get())).distinct().limit(3).toList());
			for (int i = 0; i < 25; i++) {
				int longest = (random.nextInt(6) == 0) ? 12000 : 700;
				server.clock().advanceNanos(1_000_000L * slower * (1 + random.nextInt(longest)));
				trace.step(random, (random.nextInt(4) == 0) ? random.nextInt(3) : Math.min(i / 8, 2));
			}
		}
	}

	/**
	 * What was asked of both stores so far.
	 */
	private static final class Trace {

		private final List<PolicyDecider> local = new ArrayList<>();

		private final List<PolicyDecider> redis = new ArrayList<>();

		private final List<Given> given = new ArrayList<>();

		private final List<RateLimitPolicy> versions;

		private final LocalRateLimitStore store;

		/* Which version decided last on what could pass. */
		private int last;

		private final StringBuilder text = new StringBuilder();

		Trace(LocalRateLimitStore store, List<RateLimitPolicy> versions) {
			this.store = store;
			this.versions = versions;
			for (RateLimitPolicy policy : versions) {
				this.text.append(policy.limits()).append(", charge ").append(policy.charge()).append('\n');
				this.local.add(this.local.isEmpty() ? store.open(policy) : this.local.get(0).under(policy));
				this.redis.add(this.redis.isEmpty() ? server.open(policy) : this.redis.get(0).under(policy));
			}
		}

		void step(Random random, int version) {
			int what = random.nextInt(6);
			if (what > 1 || this.given.isEmpty()) {
				decide(version, (what == 2) ? 0 : 1 + random.nextInt(12));
				return;
			}
			Given request = this.given.remove(random.nextInt(this.given.size()));
			long most = (request.version == this.last) ? 20 : request.permits;
			if (isKnown(this.versions.get(request.version), this.versions.get(this.last))) {
				settle(request, random.nextInt((int) most));
			}
		}

		/*
		 * Whether both stores refund alike, to one version, what another has given. A
		 * bucket of the same rate that holds less refunds nothing locally.
		 */
		private static boolean isKnown(RateLimitPolicy given, RateLimitPolicy last) {
			return given.limits().size() == last.limits().size() && IntStream.range(0, given.limits().size())
				.allMatch((i) -> isKnown(given, given.limits().get(i), last, last.limits().get(i)));
		}

		private static boolean isKnown(RateLimitPolicy given, RateLimit before, RateLimitPolicy last, RateLimit after) {
			// Redis does not know under which limit a window has counted, or an estimate
			// was the last one's to wait for
			boolean reserves = (before.algorithm() == RateLimitAlgorithm.FIXED_WINDOW_COUNTER
					|| before.algorithm() == RateLimitAlgorithm.SLIDING_WINDOW_COUNTER) && !given.maxWait().isZero();
			if (reserves && !before.equals(after)) {
				return false;
			}

			boolean same = before.algorithm() == after.algorithm()
					&& Objects.equals(before.calendar(), after.calendar());
			boolean sameRate = before.limit() == after.limit() && before.window().equals(after.window());
			return same && (!BUCKETS.contains(before.algorithm()) || !sameRate
					|| before.delays() == after.delays() && maxTaken(given, before) <= maxTaken(last, after));
		}

		private static long maxTaken(RateLimitPolicy policy, RateLimit limit) {
			return (policy.charge() != null) ? 2 * limit.capacity() : limit.capacity();
		}

		private void decide(int version, long permits) {
			RateLimitDecision local = this.local.get(version).decide("key", permits);
			RateLimitDecision redis = this.redis.get(version).decide("key", permits);
			note(version, "asks for " + permits + ": " + local.allowed() + ", " + local.remaining() + " left");
			assertSame(redis, local, this.text);
			// what is given in the very instant of the change stays taken locally
			if (local.allowed() && permits > 0 && version == this.last) {
				this.given.add(new Given(version, permits, local, redis));
			}
			if (permits > 0 && permits <= this.versions.get(version).capacity()) {
				this.last = version;
			}
		}

		/*
		 * Redis forgets a key that has everything back, as well as what is less than a
		 * permit.
		 */
		private void settle(Given request, long used) {
			note(request.version, "was given " + request.permits + ", used " + used);
			this.local.get(request.version).settle("key", request.permits, used, request.local);
			this.redis.get(request.version).settle("key", request.permits, used, request.redis);
			if (used < request.permits) {
				this.store.forgetIdle();
			}
		}

		private void note(int version, String what) {
			this.text.append(server.clock().nanos() / 1_000_000 % 100_000_000)
				.append(" ms, version ")
				.append(version)
				.append(": ")
				.append(what)
				.append('\n');
		}

	}

	/**
	 * A request that was allowed, in both stores.
	 */
	private record Given(int version, long permits, RateLimitDecision local, RateLimitDecision redis) {
	}

	@Test
	void aRefundUnderOtherLimitsForgetsNoReservedPermits() {
		server.redis().call("FLUSHALL");
		long day = Duration.ofDays(1).toNanos();
		server.clock().advanceNanos(day - server.clock().nanos() % day + Duration.ofSeconds(11).toNanos());
		PolicyDecider before = server.open(waiting(120, 24));
		PolicyDecider after = before.under(waiting(6, 12));

		RateLimitDecision given = before.decide("key", 1);
		RateLimitDecision reserved = after.decide("key", 6);
		assertThat(reserved.allowed()).isTrue();
		assertThat(reserved.delay()).isEqualTo(Duration.ofSeconds(1));
		server.clock().advance(Duration.ofSeconds(2));
		before.refund("key", 1, given);
		assertThat(after.decide("key", 2).allowed()).isFalse();
	}

	@Test
	void aRejectionUnderALowerLimitReservesNothingInEitherStore() {
		server.redis().call("FLUSHALL");
		long day = Duration.ofDays(1).toNanos();
		server.clock().advanceNanos(day - server.clock().nanos() % day + Duration.ofSeconds(10).toNanos());
		try (LocalRateLimitStore store = new LocalRateLimitStore(server.clock(), 100)) {
			List<PolicyDecider> stores = List.of(store.open(waiting(24, 12)), server.open(waiting(24, 12)));
			for (PolicyDecider states : stores) {
				assertThat(states.decide("key", 24).delay()).isZero();
				assertThat(states.decide("key", 8).delay()).isEqualTo(Duration.ofSeconds(2));
			}
			server.clock().advance(Duration.ofSeconds(2));
			for (PolicyDecider states : stores) {
				assertThat(states.under(waiting(6, 12)).decide("key", 4).allowed()).isFalse();
				assertThat(states.decide("key", 0).remaining()).isEqualTo(16);
			}
		}
	}

	@Test
	void whoCannotReserveIsCountedInTheWindowThatOthersHaveReservedIn() {
		server.redis().call("FLUSHALL");
		long day = Duration.ofDays(1).toNanos();
		server.clock().advanceNanos(day - server.clock().nanos() % day + Duration.ofSeconds(9).toNanos());
		RateLimit limit = RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_COUNTER, 10, Duration.ofSeconds(12));
		RateLimitPolicy waiting = RateLimitPolicy.builder("policy")
			.limit(limit)
			.maxWait(Duration.ofSeconds(12))
			.build();
		RateLimitPolicy plain = RateLimitPolicy.builder("policy").limit(limit).build();
		try (LocalRateLimitStore store = new LocalRateLimitStore(server.clock(), 100)) {
			PolicyDecider here = store.open(waiting);
			PolicyDecider there = server.open(waiting);
			for (PolicyDecider states : List.of(here, there)) {
				assertThat(states.decide("key", 10).delay()).isZero();
				assertThat(states.decide("key", 5).delay()).isPositive();
			}
			for (int second = 0; second < 30; second++) {
				for (int permits = 0; permits <= 2; permits++) {
					RateLimitDecision local = here.under(plain).decide("key", permits);
					assertSame(there.under(plain).decide("key", permits), local, "after " + second + " seconds");
				}
				server.clock().advance(Duration.ofSeconds(1));
			}
		}
	}

	private static RateLimitPolicy waiting(long limit, int seconds) {
		return RateLimitPolicy.builder("policy")
			.limit(RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, limit, Duration.ofSeconds(seconds)))
			.maxWait(Duration.ofSeconds(3))
			.build();
	}

	@Test
	void whatCannotWaitIsDecidedAsLocally() {
		try (LocalRateLimitStore local = new LocalRateLimitStore(server.clock(), 100)) {
			RandomCases.check(300, (random) -> {
				server.redis().call("FLUSHALL");
				RateLimitPolicy policy = policy(random);
				PolicyDecider here = local.open(policy);
				here.reset("key");
				checkSame(random, policy, here, server.open(policy));
			});
		}
	}

	private void checkSame(Random random, RateLimitPolicy policy, PolicyDecider here, PolicyDecider there) {
		RateLimitDecision last = here.decide("key", 0);
		for (int i = 0; i < 20; i++) {
			long permits = RandomLimits.permits(random, last, policy.capacity());
			boolean withoutDelay = random.nextInt(3) > 0;
			last = withoutDelay ? here.decideWithoutDelay("key", permits) : here.decide("key", permits);
			RateLimitDecision decision = withoutDelay ? there.decideWithoutDelay("key", permits)
					: there.decide("key", permits);
			assertThat(Decisions.describe(decision)).as("%d permits of %s", permits, policy.limits())
				.isEqualTo(Decisions.describe(last));
			assertThat(decision.queueFull()).isEqualTo(last.queueFull());
			server.clock().advanceNanos(RandomLimits.pause(random, last, policy.limits().get(0)) / 1000 * 1000);
		}
	}

	/*
	 * Limits of whole microseconds, which both count exactly.
	 */
	private static RateLimitPolicy policy(Random random) {
		List<RateLimit> limits = new ArrayList<>();
		int size = 1 + random.nextInt(3);
		for (int i = 0; i < size; i++) {
			long limit = 1 + random.nextInt(10);
			Duration window = Duration.ofNanos(1000 * limit * (1000 + random.nextInt(1_000_000)));
			RateLimit.Builder builder = RateLimit
				.builder((i == 0) ? RateLimitAlgorithm.LEAKY_BUCKET
						: RateLimitAlgorithm.values()[random.nextInt(RateLimitAlgorithm.values().length)])
				.limit(limit)
				.window(window);
			RateLimit plain = builder.build();
			limits.add(switch (plain.algorithm()) {
				case LEAKY_BUCKET -> {
					long burst = random.nextInt(20);
					yield builder.burst(burst).delay((long) random.nextInt((int) burst + 1)).build();
				}
				case SLIDING_WINDOW_LOG -> builder.countRejected(random.nextBoolean()).build();
				case SLIDING_WINDOW_COUNTER -> RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, limit, window);
				default -> plain;
			});
		}
		return RateLimitPolicy.builder("policy").limits(limits).build();
	}

}
