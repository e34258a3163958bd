package io.github.ratelimit.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitReceipt;
import io.github.ratelimit.test.model.Decisions;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import io.github.ratelimit.test.model.ReferenceModel;
import io.github.ratelimit.test.model.ReservationModel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The contract of stores: every decision of the worked examples, and the decisions of
 * plain models for random traces. Extend it to test a store.
 * <p>
 * A store that goes by {@link #clock()} only needs {@link #open}; a store with a clock of
 * its own also overrides how to read and move that. A random trace that fails names its
 * seed, and the system property {@code ratelimit.seed} runs it alone.
 *
 * @since 0.1.0
 */
public abstract class RateLimitStoreContract {

	private static final int STEPS = 40;

	private static final String[] KEYS = { "alice", "bob" };

	private static final int THREADS = 4;

	private final ManualClock clock = ManualClock.atMidnight();

	/**
	 * Opens a policy in a store without any state of it.
	 * @param policy the policy
	 * @return its states
	 */
	protected abstract PolicyDecider open(RateLimitPolicy policy);

	/**
	 * The clock for a store that takes the time from its process.
	 * @return a clock that only this contract moves
	 */
	protected final ManualClock clock() {
		return this.clock;
	}

	/**
	 * Reads the store's time.
	 * @return nanoseconds since the epoch, whole ticks
	 */
	protected long now() {
		return this.clock.nanos();
	}

	/**
	 * Moves the store's time.
	 * @param nanos how far forward, whole ticks
	 */
	protected void advance(long nanos) {
		this.clock.advanceNanos(nanos);
	}

	/**
	 * Sets the clock back that the store goes by.
	 * @param nanos how far, whole ticks
	 */
	protected void stepBack(long nanos) {
		this.clock.advanceNanos(-nanos);
	}

	/**
	 * The store's tick.
	 * @return nanoseconds
	 */
	protected long nanosPerTick() {
		return 1;
	}

	/**
	 * The bits of the numbers in which the store counts units of rate.
	 * @return the number of bits
	 */
	protected int bits() {
		return 61;
	}

	/**
	 * How many random traces to compare.
	 * @return the number
	 */
	protected int traces() {
		return 300;
	}

	/**
	 * Whether a key can have a debt: whether {@link PolicyDecider#settle} takes what a
	 * request has used beyond the permits that are left. By default it does not.
	 * @return {@code true} for a store with a settlement of its own
	 */
	protected boolean hasDebts() {
		return false;
	}

	/**
	 * Whether the store bans keys.
	 * @return {@code true} for a store that follows {@link RateLimitPolicy#ban()}
	 */
	protected boolean hasBans() {
		return false;
	}

	/**
	 * Whether the store reserves permits for requests that may wait.
	 * @return {@code true} for a store that follows {@link RateLimitPolicy#maxWait()}
	 */
	protected boolean reserves() {
		return false;
	}

	@ParameterizedTest
	@MethodSource("io.github.ratelimit.test.WorkedExample#all")
	void workedExamplesHaveTheirOutcomes(WorkedExample example) {
		PolicyDecider states = open(RateLimitPolicy.of("example", example.limit()));
		long begin = nextMidnight();
		List<String> outcomes = new ArrayList<>();
		for (int i = 0; i < example.arrivals().size(); i++) {
			advance(begin + example.nanos(i) - now());
			outcomes.add(example.outcome(i, states.decide("key", example.permits(i))));
		}
		assertThat(outcomes).isEqualTo(example.outcomes());
	}

	private long nextMidnight() {
		long day = 86_400_000_000_000L;
		return (now() / day + 1) * day;
	}

	@Test
	void whatWasRefundedStaysRefundedWhileOtherLimitsGoOn() {
		PolicyDecider states = open(RateLimitPolicy.of("policy",
				RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 10, Duration.ofMinutes(1)),
				RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 20, Duration.ofDays(1))));
		advance(nextMidnight() - now());
		states.decide("key", 1);
		advance(Duration.ofMinutes(2).toNanos());
		RateLimitDecision first = states.decide("key", 1);
		advance(Duration.ofSeconds(10).toNanos());
		RateLimitDecision second = states.decide("key", 1);
		states.refund("key", 1, second);
		states.refund("key", 1, first);
		advance(Duration.ofSeconds(55).toNanos());
		assertThat(states.decide("key", 0).limits()).extracting(LimitStatus::remaining).containsExactly(10L, 19L);
	}

	@Test
	void randomTracesAreDecidedAsTheModelsDecideThem() {
		RandomCases.check(traces(), this::checkTrace);
	}

	private void checkTrace(Random random) {
		RateLimitPolicy policy = RandomLimits.policy(random, nanosPerTick(), bits());
		PolicyDecider states = open(policy);
		ReferenceModel[] models = new ReferenceModel[KEYS.length];
		RateLimitDecision[] last = new RateLimitDecision[KEYS.length];
		for (int i = 0; i < KEYS.length; i++) {
			models[i] = new ReferenceModel(policy, nanosPerTick());
			last[i] = check(states, i, models[i], 0, policy);
		}
		for (int step = 0; step < STEPS; step++) {
			int who = random.nextInt(KEYS.length);
			RateLimit limit = policy.limits().get(random.nextInt(policy.limits().size()));
			advance(RandomLimits.pause(random, last[who], limit) / nanosPerTick() * nanosPerTick());
			long permits = RandomLimits.permits(random, last[who], policy.capacity());
			last[who] = check(states, who, models[who], permits, policy);
			int then = random.nextInt(40);
			if (then == 0) {
				states.reset(KEYS[who]);
				models[who] = new ReferenceModel(policy, nanosPerTick());
			}
			else if (then < 4 && last[who].allowed()) {
				advance(RandomLimits.pause(random, last[who], limit) / nanosPerTick() * nanosPerTick());
				states.refund(KEYS[who], permits, last[who]);
				models[who].forgetLast();
			}
			last[who] = check(states, who, models[who], 0, policy);
		}
	}

	@ParameterizedTest
	@MethodSource("io.github.ratelimit.test.SettlementExample#all")
	void settlementsHaveTheirOutcomes(SettlementExample example) {
		assumeTrue(hasDebts(), "The store has no debts");
		PolicyDecider states = open(example.policy());
		long begin = nextMidnight();
		assertThat(example.run(states, (nanos) -> advance(begin + nanos - now()))).isEqualTo(example.outcomes());
	}

	@Test
	void whoeverUsesNothingIsNeverRejected() {
		PolicyDecider states = open(logins());
		for (int i = 0; i < 1_000; i++) {
			RateLimitDecision given = states.decide("key", 1);
			assertThat(given.allowed()).isTrue();
			states.settle("key", 1, 0, given);
		}
		assertThat(states.decide("key", 0).remaining()).isEqualTo(5);
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, 1 })
	void ofManyAtOnceNoMorePassThanMayWhateverTheyUse(long used) throws Exception {
		PolicyDecider states = open(logins());
		ExecutorService threads = Executors.newFixedThreadPool(THREADS);
		try {
			Callable<RateLimitDecision> arrival = () -> states.decide("key", 1);
			List<RateLimitDecision> given = new ArrayList<>();
			for (Future<RateLimitDecision> each : threads.invokeAll(Collections.nCopies(64, arrival))) {
				if (each.get().allowed()) {
					given.add(each.get());
				}
			}
			assertThat(given).hasSize(5);
			advance(Duration.ofSeconds(1).toNanos());
			Stream<Callable<Void>> settlements = given.stream().map((each) -> () -> {
				states.settle("key", 1, used, each);
				return null;
			});
			for (Future<Void> each : threads.invokeAll(settlements.toList())) {
				each.get();
			}
			assertThat(states.decide("key", 0).remaining()).isEqualTo((used == 0) ? 5 : 0);
		}
		finally {
			threads.shutdown();
		}
	}

	private static RateLimitPolicy logins() {
		return RateLimitPolicy.builder("logins")
			.charge("authenticationFailed")
			.limit(RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 5, Duration.ofMinutes(15)))
			.build();
	}

	@Test
	void aSettledRequestHasTakenWhatItUsed() {
		RandomCases.check(traces(),
				(random) -> new SettledTrace(RandomLimits.chargedPolicy(random, nanosPerTick(), bits()), this::open,
						this::now, this::advance, nanosPerTick())
					.run(random, hasDebts()));
	}

	@Test
	void whatIsUsedBeyondIsTakenAsFarAsItIsLeft() {
		RandomCases.check(traces(), (random) -> {
			RateLimitPolicy policy = RandomLimits.chargedPolicy(random, nanosPerTick(), bits());
			PolicyDecider states = open(policy);
			states.decide("key", RandomLimits.upTo(random, policy.capacity()));
			RateLimitDecision given = states.decide("key", 1);
			if (given.allowed()) {
				long left = states.decide("key", 0).remaining();
				long more = RandomLimits.upTo(random, 3 * policy.capacity());
				states.settle("key", 1, 1 + more, given);
				assertThat(states.decide("key", 0).remaining()).as("%d more of %s", more, policy.limits())
					.isEqualTo(Math.max(0, left - more));
			}
		});
	}

	@ParameterizedTest
	@EnumSource
	void withoutAChargeNoMoreIsTakenThanIsLeft(RateLimitAlgorithm algorithm) {
		RateLimit limit = RateLimit.of(algorithm, 10, Duration.ofMinutes(1));
		PolicyDecider states = open(RateLimitPolicy.of("uncharged", limit));
		states.decide("full", limit.capacity());
		states.settle("key", 1, 1000, states.decide("key", 1));
		assertThat(Decisions.describe(states.decide("key", 0))).isEqualTo(Decisions.describe(states.decide("full", 0)));
	}

	@Test
	void aSettlementThatNobodyWaitsForIsTheSame() throws Exception {
		PolicyDecider states = open(logins());
		RateLimitDecision first = states.decide("key", 3);
		answer(states.settleAsync("key", 3, 1, first));
		assertThat(states.decide("key", 0).remaining()).isEqualTo(4);
		RateLimitDecision second = states.decide("key", 1);
		answer(states.settleAsync("key", 1, 3, second));
		assertThat(states.decide("key", 0).remaining()).isEqualTo(1);
		answer(states.settleAsync("key", 1, 1, second));
		assertThat(states.decide("key", 0).remaining()).isEqualTo(1);
	}

	@ParameterizedTest
	@MethodSource("io.github.ratelimit.test.BanExample#all")
	void bansHaveTheirOutcomes(BanExample example) {
		assumeTrue(hasBans(), "The store has no bans");
		PolicyDecider states = open(BanExample.policy());
		long begin = nextMidnight();
		assertThat(example.run(states, (nanos) -> advance(begin + nanos - now()))).isEqualTo(example.outcomes());
	}

	@Test
	void bansThatFollowEachOtherBecomeLongerUpToTheLongest() {
		assumeTrue(hasBans(), "The store has no bans");
		PolicyDecider states = open(BanExample.policy());
		for (long minutes : new long[] { 5, 10, 20, 40, 80, 160, 320, 640, 1280, 1440, 1440, 1440 }) {
			RateLimitDecision last = states.decide("key", 1);
			for (int i = 0; i < 4 && last.newBan() == 0; i++) {
				last = states.decide("key", 1);
			}
			assertThat(last.retryAfterNanos()).isEqualTo(Duration.ofMinutes(minutes).toNanos());
			advance(last.retryAfterNanos() - nanosPerTick());
			assertThat(states.decide("key", 1).banned()).isTrue();
			advance(nanosPerTick());
		}
	}

	@Test
	void randomTracesAreBannedAsTheModelBansThem() {
		assumeTrue(hasBans(), "The store has no bans");
		RandomCases.check(traces(), (random) -> {
			RateLimitPolicy policy = RandomLimits.banningPolicy(random, nanosPerTick(), bits());
			PolicyDecider states = open(policy);
			ReferenceModel model = new ReferenceModel(policy, nanosPerTick());
			RateLimitDecision last = check(states, 0, model, 0, policy);
			for (int step = 0; step < 2 * STEPS; step++) {
				if (random.nextInt(3) == 0) {
					RateLimit limit = policy.limits().get(random.nextInt(policy.limits().size()));
					advance(RandomLimits.banPause(random, last, policy, limit) / nanosPerTick() * nanosPerTick());
				}
				last = check(states, 0, model, RandomLimits.permits(random, last, policy.capacity()), policy);
				if (random.nextInt(50) == 0) {
					states.reset(KEYS[0]);
					model = new ReferenceModel(policy, nanosPerTick());
				}
			}
		});
	}

	@Test
	void whatIsRejectedForAnotherReasonBansNobody() {
		assumeTrue(hasBans(), "The store has no bans");
		PolicyDecider states = open(RateLimitPolicy.builder("queue")
			.limit(queue())
			.ban(new RateLimitBan(1, Duration.ofDays(1), Duration.ofMinutes(5), 2, Duration.ofDays(1)))
			.build());
		for (int i = 0; i < 3; i++) {
			assertThat(states.decideWithoutDelay("key", 7).banned()).isFalse();
			assertThat(states.decide("key", 0).banned()).isFalse();
		}
		assertThat(states.decide("key", 3).delayNanos()).isPositive();
		assertThat(states.decideWithoutDelay("key", 1).queueFull()).isTrue();
		assertThat(states.decideWithoutDelay("key", 4).newBan()).isEqualTo(1);
		assertThat(states.decideWithoutDelay("key", 1).queueFull()).isFalse();
		assertThat(states.decide("key", 7).banned()).isTrue();
		assertThat(states.decide("another", 1).allowed()).isTrue();
	}

	@Test
	void requestsThatMayWaitPassInTheirOrderWhenTheLimitAllowsThem() {
		assumeTrue(reserves(), "The store reserves nothing");
		RandomCases.check(traces(), (random) -> {
			RateLimitPolicy policy = RandomLimits.waitingPolicy(random, nanosPerTick(), bits());
			RateLimit limit = policy.limits().get(0);
			PolicyDecider states = open(policy);
			ReservationModel model = new ReservationModel(policy, nanosPerTick());
			RateLimitDecision last = checkReserved(states, model, 0, policy);
			for (int step = 0; step < STEPS; step++) {
				advance(RandomLimits.pause(random, last, limit) / nanosPerTick() * nanosPerTick());
				long permits = RandomLimits.permits(random, last, policy.capacity());
				last = checkReserved(states, model, permits, policy);
				if (last.allowed() && permits > 0 && random.nextInt(8) == 0) {
					advance(RandomLimits.upTo(random, last.delayNanos()) / nanosPerTick() * nanosPerTick());
					states.refund("key", permits, last);
					model.forgetLast();
					last = checkReserved(states, model, 0, policy);
				}
				if (random.nextInt(4) == 0) {
					checkWithoutWaiting(states, model, policy);
				}
			}
		});
	}

	private RateLimitDecision checkReserved(PolicyDecider states, ReservationModel model, long permits,
			RateLimitPolicy policy) {
		RateLimitDecision decision = states.decide("key", permits);
		assertThat(Decisions.describe(decision)).as("%d permits of %s", permits, policy)
			.isEqualTo(model.decide(now() / nanosPerTick(), permits));
		return decision;
	}

	private void checkWithoutWaiting(PolicyDecider states, ReservationModel model, RateLimitPolicy policy) {
		long delay = model.delay(now() / nanosPerTick()) * nanosPerTick();
		boolean waits = delay > 0 && delay <= policy.maxWait().toNanos();
		RateLimitDecision decision = states.decideWithoutDelay("key", 1);
		assertThat(decision.queueFull()).as("one permit of %s", policy).isEqualTo(waits);
		if (waits) {
			assertThat(decision.allowed()).isFalse();
			assertThat(decision.retryAfterNanos()).as("%s", policy).isEqualTo(delay);
		}
		else {
			assertThat(Decisions.describe(decision)).as("one permit of %s", policy)
				.isEqualTo(model.decide(now() / nanosPerTick(), 1));
		}
		checkReserved(states, model, 0, policy);
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "LEAKY_BUCKET")
	void ofManyThreadsEachHasAPlaceOfItsOwn(RateLimitAlgorithm algorithm) throws Exception {
		assumeTrue(reserves(), "The store reserves nothing");
		PolicyDecider states = open(RateLimitPolicy.builder("crowd")
			.limit(RateLimit.of(algorithm, 4, Duration.ofMinutes(10)))
			.maxWait(Duration.ofMinutes(30))
			.build());
		ExecutorService threads = Executors.newFixedThreadPool(THREADS);
		try {
			Callable<List<Long>> caller = () -> IntStream.range(0, 10)
				.mapToObj((request) -> states.decide("key", 1))
				.filter(RateLimitDecision::allowed)
				.map((decision) -> RateLimitReceipt.of(decision).decidedAtNanos(0) + decision.delayNanos())
				.toList();
			List<Long> passes = new ArrayList<>();
			for (Future<List<Long>> future : threads.invokeAll(Collections.nCopies(THREADS, caller))) {
				passes.addAll(future.get());
			}
			assertThat(passes.size()).isBetween(12, 17);
			Collections.sort(passes);
			for (int i = 4; i < passes.size(); i++) {
				assertThat(passes.get(i)).isGreaterThan(passes.get(i - 4));
			}
		}
		finally {
			threads.shutdown();
		}
	}

	@Test
	void aClockThatIsSetBackBlocksNobodyAndRefillsNothing() {
		checkFromTheSameMoment((random) -> {
			SteppedTrace trace = steppedTrace(RandomLimits.policy(random, nanosPerTick(), bits()));
			trace.run(random);
			trace.checkIsBlockedNoLongerThanEver(random);
		});
	}

	/*
	 * If a trace began where its predecessor has left the clock, many would set it back
	 * to before the epoch, where no store counts, and a seed alone would give another
	 * case.
	 */
	private void checkFromTheSameMoment(Consumer<Random> property) {
		long begin = now();
		RandomCases.check(traces(), (random) -> {
			move(begin - now());
			property.accept(random);
		});
		move(begin - now());
	}

	private SteppedTrace steppedTrace(RateLimitPolicy policy) {
		return new SteppedTrace(policy, open(policy), this::move, nanosPerTick());
	}

	private void move(long nanos) {
		if (nanos < 0) {
			stepBack(-nanos);
		}
		else {
			advance(nanos);
		}
	}

	@Test
	void whatWasTakenBeforeAStepBackStaysTakenAndIsRefundedAtMostOnce() {
		checkFromTheSameMoment((random) -> {
			RateLimitPolicy policy = RandomLimits.policy(random, nanosPerTick(), bits());
			PolicyDecider states = open(policy);
			long permits = 1 + RandomLimits.upTo(random, policy.capacity() - 1);
			RateLimitDecision given = states.decide("key", permits);
			steppedTrace(policy).stepBack(random);
			boolean looksFirst = random.nextBoolean();
			if (looksFirst) {
				assertThat(states.decide("key", 0).remaining()).as("%d permits of %s", permits, policy.limits())
					.isEqualTo(given.remaining());
			}
			states.refund("key", permits, given);
			assertThat(states.decide("key", 0).remaining()).as("%d permits of %s", permits, policy.limits())
				.isBetween(given.remaining(), policy.capacity());
			long left = states.decide("key", 0).remaining();
			states.refund("key", permits, given);
			assertThat(states.decide("key", 0).remaining()).isBetween(left, policy.capacity());
		});
	}

	@Test
	void answerThatNobodyWaitsForIsTheSame() throws Exception {
		PolicyDecider waiting = open(RateLimitPolicy.of("queue", queue()));
		List<String> expected = new ArrayList<>();
		expected.add(Decisions.describe(waiting.decide("key", 2)));
		RateLimitDecision last = waiting.decide("key", 1);
		waiting.settle("key", 1, 0, last);
		expected.add(Decisions.describe(waiting.decide("key", 0)));
		PolicyDecider free = open(RateLimitPolicy.of("queue", queue()));
		List<String> decided = new ArrayList<>();
		decided.add(Decisions.describe(answer(free.decideAsync("key", 2))));
		RateLimitDecision given = answer(free.decideAsync("key", 1));
		answer(free.settleAsync("key", 1, 0, given));
		decided.add(Decisions.describe(answer(free.decideAsync("key", 0))));
		assertThat(decided).isEqualTo(expected);
		assertThat(Decisions.describe(given)).isEqualTo(Decisions.describe(last));
		assertThat(given.delayNanos()).isPositive();
	}

	private static RateLimit queue() {
		return RateLimit.builder(RateLimitAlgorithm.LEAKY_BUCKET)
			.limit(1)
			.window(Duration.ofSeconds(1))
			.burst(5L)
			.delay(1L)
			.build();
	}

	private static <T> T answer(CompletionStage<T> stage) throws Exception {
		return stage.toCompletableFuture().get(1, TimeUnit.MINUTES);
	}

	@ParameterizedTest
	@EnumSource
	void ofManyThreadsAsManyPassAsMay(RateLimitAlgorithm algorithm) throws Exception {
		PolicyDecider states = open(RateLimitPolicy.of("crowd", RateLimit.of(algorithm, 20, Duration.ofDays(1)),
				RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 20, Duration.ofDays(1))));
		long most = Math.min(20, RateLimit.of(algorithm, 20, Duration.ofDays(1)).capacity());
		ExecutorService threads = Executors.newFixedThreadPool(THREADS);
		try {
			List<Callable<Long>> callers = Collections.nCopies(THREADS, () -> allowed(states));
			long allowed = 0;
			for (Future<Long> caller : threads.invokeAll(callers)) {
				allowed += caller.get();
			}
			assertThat(allowed).isEqualTo(most);
			assertThat(states.decide("key", 0).remaining()).isZero();
		}
		finally {
			threads.shutdown();
		}
	}

	private static long allowed(PolicyDecider states) {
		return IntStream.range(0, 10).filter((request) -> states.decide("key", 1).allowed()).count();
	}

	private RateLimitDecision check(PolicyDecider states, int who, ReferenceModel model, long permits,
			RateLimitPolicy policy) {
		RateLimitDecision decision = states.decide(KEYS[who], permits);
		assertThat(Decisions.describe(decision)).as("%d permits of %s", permits, policy.limits())
			.isEqualTo(model.decide(now() / nanosPerTick(), permits));
		return decision;
	}

}
