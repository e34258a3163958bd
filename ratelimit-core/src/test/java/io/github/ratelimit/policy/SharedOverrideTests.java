package io.github.ratelimit.policy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.ratelimit.CalendarWindow;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrideException;
import io.github.ratelimit.RateLimitOverrideException.Reason;
import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.RateLimitPlan;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.store.SharedOverrides;
import io.github.ratelimit.test.ManualClock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Overrides that instances of one application share, each with a clock of its own, and
 * what they make of a store that fails, and of what they cannot read or put in force.
 */
@ExtendWith(OutputCaptureExtension.class)
class SharedOverrideTests extends LocalPolicies {

	private static final Duration TWO_HOURS = Duration.ofHours(2);

	private static final RateLimitOverride.Target ALL = new RateLimitOverride.Target("api", null, null);

	private static final String SHADOW = "2026-01-01T00%3A00%3A00Z SHADOW ~ ~ ~";

	private static final int MAXIMUM = 4;

	private final ManualClock serverClock = ManualClock.atMidnight();

	private final FakeSharedOverrides shared = new FakeSharedOverrides(this.serverClock);

	private final List<Instance> instances = new ArrayList<>();

	@AfterEach
	void stop() {
		this.instances.forEach(Instance::stop);
	}

	private Instance start() {
		Instance instance = new Instance(this.shared);
		this.instances.add(instance);
		instance.look();
		return instance;
	}

	private void write(String name, String text) {
		this.shared.write(name, text, null, SharedOverrides.ANY_VERSION, Integer.MAX_VALUE);
	}

	private void beforeTheNextWrite(Runnable change) {
		this.shared.beforeWrite = () -> {
			this.shared.beforeWrite = () -> {
			};
			change.run();
		};
	}

	private void afterTheNextWrite(Runnable change) {
		this.shared.afterWrite = () -> {
			this.shared.afterWrite = () -> {
			};
			change.run();
		};
	}

	private static RateLimitOverride.Builder override(long limit) {
		return RateLimitOverride.of("api").limit(window(limit));
	}

	private static RateLimitOverrideException refused(Reason reason, Runnable change) {
		RateLimitOverrideException refused = catchThrowableOfType(RateLimitOverrideException.class, change::run);
		assertThat(refused.reason()).isEqualTo(reason);
		return refused;
	}

	@Test
	void anOverrideOfAPlanThatComesBackIsInForceAgain() {
		Instance one = start();
		one.registry.register(planned("pro", "basic"));
		one.put(RateLimitOverride.of("planned").plan("pro").limit(window(3)));
		one.registry.change(planned("basic")).make();
		one.look();
		one.registry.change(planned("pro", "basic")).make();
		one.look();
		assertThat(one.overrides.find(new RateLimitOverride.Target("planned", "pro", null))).isNotNull();
	}

	private static RateLimitPolicy planned(String... plans) {
		return RateLimitPolicy.builder("planned")
			.limit(window(5))
			.plans(Stream.of(plans).collect(Collectors.toMap((plan) -> plan, (plan) -> RateLimitPlan.of(window(60)))))
			.build();
	}

	@Test
	void allInstancesFollow(CapturedOutput output) {
		Instance one = start();
		Instance two = start();
		RateLimitOverrides.InForce inForce = one.put(override(10).reason("a \"reason\",\n with all: = # ü").who("me"));
		assertThat(one.limit()).isEqualTo(10);
		two.look();
		assertThat(two.limit()).isEqualTo(10);
		assertThat(two.overrides.inForce()).containsExactly(inForce);
		assertThat(two.overrides.areShared()).isTrue();
		assertThat(output).contains("another instance has changed them; in force now: 1");
		two.overrides.remove(ALL);
		assertThat(two.limit()).isEqualTo(100);
		one.look();
		assertThat(one.limit()).isEqualTo(100);
	}

	@Test
	void changesOfThisInstanceAreNotTakenForThoseOfAnother(CapturedOutput output) {
		Instance one = start();
		one.put(override(10).duration(TWO_HOURS));
		one.look();
		one.overrides.remove(ALL);
		one.look();
		assertThat(one.limit()).isEqualTo(100);
		assertThat(output).contains("was overridden").doesNotContain("another instance has changed them");
	}

	@ParameterizedTest
	@CsvSource({ "true,", "false,", "true, k" })
	void policyThatIsDefinedLaterIsOverriddenFromItsStart(boolean registered, @Nullable String key) {
		RateLimitPolicy later = RateLimitPolicy.of("later", window(5));
		Instance one = start();
		one.registry.register(later);
		one.put(RateLimitOverride.of("later").key(key).limit(window(3)));
		Instance two = start();
		if (registered) {
			two.registry.register(later);
		}
		else {
			two.registry.change(later).make();
		}
		assertThat(two.registry.policy("later").effectivePolicy("k").policy().limits()).containsExactly(window(3));
	}

	@Test
	void policyThatIsDefinedLeavesAsItIsWhatThisInstanceHasChangedSinceItLooked() {
		Instance one = start();
		one.put(override(3));
		one.registry.register(RateLimitPolicy.of("second", window(5)));
		assertThat(one.limit()).isEqualTo(3);
		one.look();
		one.overrides.remove(ALL);
		one.registry.register(RateLimitPolicy.of("third", window(5)));
		assertThat(one.limit()).isEqualTo(100);
	}

	@Test
	void instanceThatStartsLaterReadsEveryLimitAndAllElseAsItWasWritten() {
		List<RateLimit> limits = new ArrayList<>();
		for (RateLimitAlgorithm algorithm : RateLimitAlgorithm.values()) {
			limits.add(limit(algorithm).build());
		}
		limits.add(limit(RateLimitAlgorithm.TOKEN_BUCKET).burst(9L).build());
		limits.add(limit(RateLimitAlgorithm.LEAKY_BUCKET).burst(9L).delay(4L).build());
		limits.add(limit(RateLimitAlgorithm.LEAKY_BUCKET).burst(9L).nodelay(true).build());
		limits.add(limit(RateLimitAlgorithm.SLIDING_WINDOW_LOG).countRejected(true).build());
		for (String window : List.of("P1D", "P1W from 3", "P1M from 31", "P1Y from 04-06")) {
			String[] words = window.split(" from ");
			CalendarWindow calendar = CalendarWindow.parse(words[0], "Europe/Berlin",
					(words.length > 1) ? words[1] : null);
			limits.add(limit(RateLimitAlgorithm.FIXED_WINDOW_COUNTER).window(calendar).build());
		}
		RateLimitOverrides.InForce inForce = start().put(RateLimitOverride.of("api")
			.limits(limits)
			.mode(RateLimitMode.SHADOW)
			.duration(TWO_HOURS)
			.reason("bad night")
			.who("me"));
		Instance later = start();
		assertThat(later.overrides.inForce()).containsExactly(inForce);
		assertThat(later.limiter.effectivePolicy("k").policy().mode()).isEqualTo(RateLimitMode.SHADOW);
	}

	private static RateLimit.Builder limit(RateLimitAlgorithm algorithm) {
		return RateLimit.builder(algorithm).limit(7).window(Duration.ofMillis(61_001));
	}

	private static void assertEndsAfter(Instance instance, Duration time) {
		instance.clock.advance(time.minusNanos(1));
		assertThat(instance.limit()).isEqualTo(10);
		instance.clock.advanceNanos(1);
		assertThat(instance.limit()).isEqualTo(100);
	}

	@Test
	void endIsThatOfTheStoresTimeWhateverTheClockOfThisMachineSays() {
		Instance one = start();
		Instance ahead = start();
		ahead.clock.advance(Duration.ofDays(400));
		one.put(override(10).duration(TWO_HOURS));
		ahead.look();
		assertThat(ahead.limit()).isEqualTo(10);
		assertEndsAfter(one, TWO_HOURS);
		assertEndsAfter(ahead, TWO_HOURS);
	}

	@Test
	void endStaysThatOfTheStoresTimeWhenAClockIsSetMeanwhile() {
		Instance one = start();
		one.put(override(10).duration(TWO_HOURS));
		one.clock.advance(Duration.ofHours(3));
		assertThat(one.limit()).isEqualTo(100);
		one.look();
		assertThat(one.limit()).isEqualTo(10);
		one.clock.advanceNanos(-Duration.ofHours(5).toNanos());
		this.serverClock.advance(TWO_HOURS.minusNanos(1));
		one.look();
		assertThat(one.overrides.inForce()).hasSize(1);
		assertEndsAfter(one, Duration.ofNanos(1));
	}

	@Test
	void endThatWasReckonedBeforeTheStoresTimeWasKnownIsTheStoresOnceItIsRead() {
		this.shared.unreadable = true;
		Instance one = start();
		one.clock.advance(Duration.ofHours(1));
		one.put(override(10).duration(TWO_HOURS));
		this.shared.unreadable = false;
		one.look();
		assertThat(one.overrides.inForce()).extracting(RateLimitOverrides.InForce::until)
			.containsExactly(Instant.ofEpochSecond(0, this.serverClock.nanos()).plus(TWO_HOURS));
		assertEndsAfter(one, TWO_HOURS);
	}

	@Test
	void changeIsInForceHereThoughTheStoreIsGoneRightAfterItAndEndsWithoutIt() {
		Instance one = start();
		one.put(override(20));
		one.clock.advance(Duration.ofDays(1));
		one.look();
		afterTheNextWrite(() -> this.shared.gone = true);
		RateLimitOverrides.InForce inForce = one.put(override(10).duration(TWO_HOURS));
		assertThat(inForce.override().limits()).containsExactly(window(10));
		assertThat(inForce.until()).isEqualTo(inForce.since().plus(TWO_HOURS));
		assertThat(one.overrides.inForce()).containsExactly(inForce);
		assertEndsAfter(one, TWO_HOURS);
		assertThat(one.overrides.find(ALL)).isNull();
		assertThat(one.overrides.inForce()).isEmpty();
	}

	/* What is not done within a minute waits for the write. */
	@Test
	void whoReadsDoesNotWaitForAWriteOfTheStore() {
		Instance one = start();
		RateLimitOverrides.InForce before = one.put(override(10));
		CountDownLatch written = new CountDownLatch(1);
		CountDownLatch answered = new CountDownLatch(1);
		afterTheNextWrite(() -> {
			written.countDown();
			await(answered);
		});
		CompletableFuture<RateLimitOverrides.InForce> change = CompletableFuture
			.supplyAsync(() -> one.put(override(20)), (task) -> new Thread(task).start());
		await(written);
		CompletableFuture<List<RateLimitOverrides.InForce>> read = CompletableFuture.supplyAsync(
				() -> List.of(Objects.requireNonNull(one.overrides.find(ALL)), one.overrides.inForce().get(0)),
				(task) -> new Thread(task).start());
		try {
			assertThat(read).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(List.of(before, before));
			assertThat(change).isNotDone();
		}
		finally {
			answered.countDown();
		}
		RateLimitOverrides.InForce after = change.join();
		assertThat(one.overrides.inForce()).containsExactly(after);
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void concurrentChangesOfTwoInstancesConflict() {
		Instance one = start();
		Instance two = start();
		long first = one.put(override(10)).version();
		two.overrides.put(override(20).build(), first);
		RateLimitOverrideException refused = refused(Reason.CONFLICT,
				() -> one.overrides.put(override(30).build(), first));
		assertThat(refused.current()).isEqualTo(one.overrides.find(ALL)).isNotNull();
		assertThat(one.limit()).isEqualTo(20);
		refused(Reason.CONFLICT, () -> one.overrides.remove(ALL, first, null));
		refused(Reason.CONFLICT, () -> one.overrides.put(override(30).build(), 0));
	}

	@Test
	void changeIsToldFromWhatAnotherInstanceHasPutMeanwhile() {
		Instance one = start();
		Instance two = start();
		List<OverrideChange> changes = new ArrayList<>();
		one.registry.observeOverrides(changes::add);
		two.put(override(20));
		one.put(override(30));
		two.put(override(40));
		assertThat(one.overrides.remove(ALL)).isNotNull();
		assertThat(changes).extracting((each) -> each.before().capacity()).containsExactly(20L, 40L);
	}

	@Test
	void whatAnotherInstancePutsRightBeforeItIsTakenBackIsToldToHaveBeenInForce() {
		Instance one = start();
		Instance two = start();
		List<OverrideChange> changes = new ArrayList<>();
		one.registry.observeOverrides(changes::add);
		beforeTheNextWrite(() -> two.put(override(20)));
		RateLimitOverrides.InForce removed = one.overrides.remove(ALL);
		assertThat(removed).isNotNull();
		assertThat(removed.override().limits()).containsExactly(window(20));
		assertThat(changes).extracting((each) -> each.before().capacity()).containsExactly(20L);
		two.look();
		assertThat(two.limit()).isEqualTo(100);
	}

	@Test
	void whatThisInstanceCannotReadIsTakenBackAsWellAndSaidToBe(CapturedOutput output) {
		Instance one = start();
		write("api ~ ~", "nonsense");
		assertThat(one.overrides.remove(ALL)).isNull();
		assertThat(this.shared.read(SharedOverrides.ANY_VERSION).entries()).isEmpty();
		write("api ~ ~", "nonsense");
		assertThat(one.registry.removeOverride(ALL, RateLimitOverrides.ANY_VERSION, "ann")).isTrue();
		assertThat(one.registry.removeOverride(ALL, RateLimitOverrides.ANY_VERSION, "ann")).isFalse();
		assertThat(output).containsOnlyOnce("policy 'api' that this instance had ignored was set back by 'ann'");
	}

	@ParameterizedTest
	@ValueSource(strings = { "\ud800bob", "bob\udc00", "\udc00\ud800", "~", "~0041", "a b ~\n%7E", "\ud83d\ude00" })
	void keysAreTheSameForAllInstancesWhateverTheyAreMadeOf(String key) {
		RateLimitOverride.Target target = new RateLimitOverride.Target("api", null, key);
		Instance one = start();
		Instance two = start();
		one.put(override(10).key(key));
		two.look();
		one.look();
		assertThat(one.overrides.find(target)).isNotNull();
		assertThat(two.overrides.find(target)).isNotNull();
	}

	@Test
	void whatIsChangedElsewhereRightAfterItWasHereIsAsElsewhere() {
		Instance one = start();
		Instance two = start();
		afterTheNextWrite(() -> two.overrides.remove(ALL));
		one.put(override(10));
		one.look();
		assertThat(one.limit()).isEqualTo(100);
		assertThat(one.overrides.inForce()).isEmpty();
		one.put(override(10));
		afterTheNextWrite(() -> two.put(override(20)));
		one.overrides.remove(ALL);
		one.look();
		assertThat(one.limit()).isEqualTo(20);
	}

	@Test
	void keysOfAllInstancesTogetherAreBounded() {
		Instance one = start();
		Instance two = start();
		one.put(override(10));
		for (int i = 0; i < MAXIMUM; i++) {
			((i % 2 == 0) ? one : two).put(override(10).key("k" + i));
		}
		refused(Reason.FULL, () -> one.put(override(10).key("more")));
		refused(Reason.FULL, () -> two.put(override(10).key("more")));
	}

	@Test
	void whileTheStoreIsGoneWhatWasLastKnownStaysInForce(CapturedOutput output) {
		Instance one = start();
		one.put(override(10));
		this.shared.gone = true;
		one.look();
		refused(Reason.UNAVAILABLE, () -> one.put(override(20)));
		refused(Reason.UNAVAILABLE, () -> one.overrides.remove(ALL));
		assertThat(one.limit()).isEqualTo(10);
		assertThat(output).doesNotContain("could not be read");
	}

	@Test
	void startThatCannotReadSaysSoOnceAndReadsWhenItCan(CapturedOutput output) {
		start().put(override(10));
		this.shared.gone = true;
		Instance two = start();
		two.look();
		assertThat(two.limit()).isEqualTo(100);
		this.shared.gone = false;
		two.look();
		assertThat(two.limit()).isEqualTo(10);
		assertThat(output).containsOnlyOnce("could not be read from the store")
			.contains("could be read at last; in force now: 1");
	}

	@Test
	void observerThatFailsKeepsNoOverrideFromBeingInForce(CapturedOutput output) {
		Instance one = start();
		Instance two = start();
		for (Instance each : List.of(one, two)) {
			each.failInShadow(() -> new IllegalStateException("of an observer"));
			each.registry.observeOverrides((change) -> {
				throw new IllegalStateException("of another observer");
			});
		}
		one.put(override(10).mode(RateLimitMode.SHADOW));
		two.look();
		assertThat(one.limit()).isEqualTo(10);
		assertThat(two.limit()).isEqualTo(10);
		assertThat(output).contains("of an observer").contains("of another observer");
	}

	@Test
	void lookThatEndsWithAnErrorIsNotTheLastAndIsSaidOnce(CapturedOutput output) {
		Instance one = start();
		this.shared.failure = new NoClassDefFoundError("for this test");
		one.look();
		one.look();
		assertThat(this.shared.failures).isEqualTo(2);
		this.shared.failure = null;
		write("api ~ ~", SHADOW);
		one.look();
		assertThat(one.limiter.effectivePolicy("k").policy().mode()).isEqualTo(RateLimitMode.SHADOW);
		assertThat(output).containsOnlyOnce("Overrides of rate limits could not be looked for, or not be put in force")
			.contains("NoClassDefFoundError: for this test");
	}

	@Test
	void readsThatGoOnFailingAreSaidOnce(CapturedOutput output) {
		Instance one = start();
		one.put(override(10));
		this.shared.unreadable = true;
		for (int i = 0; i < 9; i++) {
			one.look();
		}
		assertThat(output).doesNotContain("could not be looked for");
		for (int i = 0; i < 20; i++) {
			one.look();
		}
		assertThat(one.limit()).isEqualTo(10);
		assertThat(output).containsOnlyOnce("Overrides of rate limits could not be looked for, or not be put in force")
			.contains("The wire is cut");
	}

	@Test
	void whatCouldNotBePutInForceIsReadAgain(CapturedOutput output) {
		Instance one = start();
		AtomicBoolean failed = new AtomicBoolean();
		one.failInShadow(() -> failed.getAndSet(true) ? null : new NoClassDefFoundError("for this test"));
		write("api ~ ~", SHADOW);
		one.look();
		one.look();
		assertThat(one.limiter.effectivePolicy("k").policy().mode()).isEqualTo(RateLimitMode.SHADOW);
		assertThat(output).containsOnlyOnce("could not be looked for, or not be put in force");
	}

	@Test
	void textsThatAreNotForThisInstanceAreIgnoredAndSaidOnce(CapturedOutput output) {
		write("unknown ~ ~", SHADOW);
		write("api ~ ~", SHADOW + " red");
		write("api ~ bad", "not what we write");
		write("api pro ~", SHADOW);
		write("api/other/pro", SHADOW);
		write("api ~ k", SHADOW);
		Instance one = start();
		assertThat(one.overrides.inForce()).hasSize(1);
		assertThat(one.limiter.effectivePolicy("k").policy().mode()).isEqualTo(RateLimitMode.SHADOW);
		assertThat(one.limiter.effectivePolicy("other").policy().mode()).isEqualTo(RateLimitMode.ENFORCE);
		write("api ~ again", SHADOW);
		one.look();
		assertThat(one.overrides.inForce()).hasSize(2);
		assertThat(output).containsOnlyOnce("'unknown' is ignored by this instance")
			.containsOnlyOnce("has no plan named 'pro'")
			.contains(
					"'api' is ignored by this instance: it is not written as this version of the application writes it")
			.contains("'api/other/pro' is ignored by this instance");
	}

	/**
	 * One instance of the application.
	 */
	private static final class Instance implements RateLimitStore {

		private final ManualClock clock = ManualClock.atMidnight();

		private final LocalRateLimitStore states = new LocalRateLimitStore(this.clock, 1000);

		private final SharedOverrides shared;

		private final StoreRateLimiterRegistry registry;

		private final RateLimitOverrides overrides;

		private final StoreRateLimiter limiter;

		Instance(SharedOverrides shared) {
			this.shared = shared;
			this.registry = new StoreRateLimiterRegistry(this, List.of(), PlanSettings.of(null, this.clock), MAXIMUM,
					(policy) -> null);
			this.overrides = this.registry.overrides();
			this.limiter = this.registry.register(RateLimitPolicy.of("api", window(100)));
		}

		RateLimitOverrides.InForce put(RateLimitOverride.Builder override) {
			return this.overrides.put(override.build());
		}

		long limit() {
			return this.limiter.effectivePolicy("k").policy().capacity();
		}

		/* For what has changed, as it does once a second. */
		void look() {
			this.registry.followOverrides();
		}

		/* Once something is decided in shadow. */
		void failInShadow(Supplier<@Nullable Throwable> failure) {
			this.registry.observe((limiter) -> {
				Throwable thrown = (limiter.shadow() != null) ? failure.get() : null;
				if (thrown != null) {
					ReflectionUtils.rethrowRuntimeException(thrown);
				}
			});
		}

		void stop() {
			this.states.close();
		}

		@Override
		public String name() {
			return "shared";
		}

		@Override
		public PolicyDecider open(RateLimitPolicy policy) {
			return this.states.open(policy);
		}

		@Override
		public SharedOverrides sharedOverrides() {
			return this.shared;
		}

	}

}
