package io.github.ratelimit.policy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.ratelimit.CalendarWindow;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrideException;
import io.github.ratelimit.RateLimitOverrideException.Reason;
import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.RateLimitPolicy;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Overrides that instances share, each with a clock of its own.
 */
@ExtendWith(OutputCaptureExtension.class)
class SharedOverrideTests extends SharingInstances {

	@Test
	void allInstancesFollowAMessage(CapturedOutput output) {
		Instance one = start();
		Instance two = start();
		RateLimitOverrides.InForce inForce = one.overrides()
			.put(override(10).reason("a \"reason\",\n with all: = # ü").who("me").build());
		assertThat(one.limit("k")).isEqualTo(10);
		Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(two.limit("k")).isEqualTo(10));
		assertThat(two.overrides().inForce()).containsExactly(inForce);
		assertThat(two.overrides().areShared()).isTrue();
		Awaitility.await()
			.untilAsserted(() -> assertThat(output).contains("another instance has changed them; in force now: 1"));
		two.overrides().remove(target(null));
		assertThat(two.limit("k")).isEqualTo(100);
		Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(one.limit("k")).isEqualTo(100));
	}

	@Test
	void changesOfThisInstanceAreNotTakenForThoseOfAnother(CapturedOutput output) {
		Instance one = start();
		one.overrides().put(override(10).duration(Duration.ofHours(2)).build());
		one.registry.stop();
		one.registry.start();
		one.overrides().remove(target(null));
		one.registry.stop();
		one.registry.start();
		assertThat(one.limit("k")).isEqualTo(100);
		assertThat(output).contains("was overridden").doesNotContain("another instance has changed them");
	}

	@Test
	void instanceThatStartsLaterKnowsBeforeItsFirstDecision() {
		start().overrides().put(override(10).mode(RateLimitMode.SHADOW).build());
		Instance later = start();
		assertThat(later.limit("k")).isEqualTo(10);
		assertThat(later.limiter.version("k").policy().mode()).isEqualTo(RateLimitMode.SHADOW);
	}

	@ParameterizedTest
	@CsvSource({ "true,", "false,", "true, k" })
	void policyThatIsDefinedLaterIsOverriddenFromItsStart(boolean registered, @Nullable String key) {
		RateLimitPolicy later = RateLimitPolicy.of("later", fixed(5));
		Instance one = start();
		one.registry.register(later);
		one.overrides().put(RateLimitOverride.of("later").key(key).limit(fixed(3)).build());
		Instance two = start();
		if (registered) {
			two.registry.register(later);
		}
		else {
			two.registry.change(later).make();
		}
		assertThat(two.registry.policy("later").version("k").policy().limits()).containsExactly(fixed(3));
	}

	@Test
	void everyLimitAndAllElseIsReadAsItWasWritten() {
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
		RateLimitOverrides.InForce inForce = start().overrides()
			.put(RateLimitOverride.of("api")
				.limits(limits)
				.mode(RateLimitMode.SHADOW)
				.duration(Duration.ofHours(2))
				.reason("bad night")
				.who("me")
				.build());
		assertThat(start().overrides().inForce()).containsExactly(inForce);
	}

	private static RateLimit.Builder limit(RateLimitAlgorithm algorithm) {
		return RateLimit.builder(algorithm).limit(7).window(Duration.ofMillis(61_001));
	}

	@Test
	void endIsThatOfTheStoresTimeWhateverTheClockOfThisMachineSays() {
		Instance one = start();
		Instance ahead = start();
		ahead.clock.advance(Duration.ofDays(400));
		one.overrides().put(override(10).duration(Duration.ofHours(2)).build());
		ahead.registry.stop();
		ahead.registry.start();
		assertThat(ahead.limit("k")).isEqualTo(10);
		for (Instance each : List.of(one, ahead)) {
			each.registry.stop();
			each.clock.advanceNanos(Duration.ofHours(2).toNanos() - 1);
			assertThat(each.limit("k")).isEqualTo(10);
			each.clock.advanceNanos(1);
			assertThat(each.limit("k")).isEqualTo(100);
		}
	}

	@Test
	void endStaysThatOfTheStoresTimeWhenAClockIsSetMeanwhile() {
		Instance one = start();
		Instance two = start();
		one.overrides().put(override(10).duration(Duration.ofHours(2)).build());
		Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(two.limit("k")).isEqualTo(10));
		two.clock.advance(Duration.ofHours(3));
		assertThat(two.limit("k")).isEqualTo(100);
		Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(two.limit("k")).isEqualTo(10));
		two.clock.advanceNanos(-Duration.ofHours(5).toNanos());
		this.serverClock.advance(Duration.ofHours(2).minusNanos(1));
		awaitReads(2);
		assertThat(two.overrides().inForce()).hasSize(1);
		two.registry.stop();
		assertThat(two.limit("k")).isEqualTo(10);
		two.clock.advanceNanos(1);
		assertThat(two.limit("k")).isEqualTo(100);
	}

	private void awaitReads(int more) {
		int reads = this.shared.reads + 2 * more;
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> this.shared.reads > reads);
	}

	private static void setClock(Instance instance, Duration by) {
		instance.registry.stop();
		instance.clock.advance(by);
		instance.registry.start();
		instance.registry.stop();
	}

	private static void assertEndsAfter(Instance instance, Duration time) {
		instance.clock.advance(time.minusNanos(1));
		assertThat(instance.limit("k")).isEqualTo(10);
		instance.clock.advanceNanos(1);
		assertThat(instance.limit("k")).isEqualTo(100);
	}

	@Test
	void nothingLooksForChangesOnceItIsStopped() {
		Set<Thread> before = Thread.getAllStackTraces().keySet();
		Instance one = start();
		List<Thread> looking = Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> !before.contains(thread) && thread.getName().startsWith("ratelimit-overrides"))
			.toList();
		assertThat(looking).isNotEmpty();
		one.registry.stop();
		Awaitility.await().until(() -> looking.stream().noneMatch(Thread::isAlive));
	}

	@Test
	void whatHasEndedIsGoneEverywhere() {
		Instance one = start();
		Instance two = start();
		one.overrides().put(override(10).duration(Duration.ofHours(2)).build());
		Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(two.limit("k")).isEqualTo(10));
		this.serverClock.advance(Duration.ofHours(2));
		Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
			assertThat(one.overrides().inForce()).isEmpty();
			assertThat(two.overrides().inForce()).isEmpty();
			assertThat(two.limit("k")).isEqualTo(100);
		});
	}

	@Test
	void concurrentChangesOfTwoInstancesConflict() {
		Instance one = start();
		Instance two = start();
		long first = one.overrides().put(override(10).build()).version();
		two.overrides().put(override(20).build(), first);
		assertThatExceptionOfType(RateLimitOverrideException.class)
			.isThrownBy(() -> one.overrides().put(override(30).build(), first))
			.returns(Reason.CONFLICT, RateLimitOverrideException::reason)
			.satisfies((ex) -> assertThat(ex.current()).isEqualTo(one.overrides().find(target(null))).isNotNull());
		assertThat(one.limit("k")).isEqualTo(20);
		assertRefused(Reason.CONFLICT, () -> one.overrides().remove(target(null), first, null));
		assertRefused(Reason.CONFLICT, () -> one.overrides().put(override(30).build(), 0));
	}

	@Test
	void changeIsToldFromWhatAnotherInstanceHasPutMeanwhile() {
		Instance one = start();
		Instance two = start();
		one.registry.stop();
		List<OverrideChange> changes = new ArrayList<>();
		one.registry.observeOverrides(changes::add);
		two.overrides().put(override(20).build());
		one.overrides().put(override(30).build());
		two.overrides().put(override(40).build());
		assertThat(one.overrides().remove(target(null))).isNotNull();
		assertThat(changes).extracting((each) -> each.before().capacity()).containsExactly(20L, 40L);
	}

	@Test
	void changeIsInForceHereThoughTheStoreIsGoneRightAfterIt() {
		Instance one = start();
		one.overrides().put(override(20).build());
		setClock(one, Duration.ofDays(1));
		afterTheNextWrite(() -> this.shared.gone = true);
		RateLimitOverrides.InForce inForce = one.overrides().put(override(10).duration(Duration.ofHours(2)).build());
		assertThat(inForce.override().limits()).containsExactly(fixed(10));
		assertThat(inForce.until()).isEqualTo(inForce.since().plus(Duration.ofHours(2)));
		assertThat(one.overrides().inForce()).containsExactly(inForce);
		assertEndsAfter(one, Duration.ofHours(2));
	}

	@Test
	void endThatWasReckonedBeforeTheStoresTimeWasKnownIsTheStoresOnceItIsRead() {
		this.shared.unreadable = true;
		Instance one = start();
		one.registry.stop();
		one.clock.advance(Duration.ofHours(1));
		one.overrides().put(override(10).duration(Duration.ofHours(2)).build());
		this.shared.unreadable = false;
		one.registry.start();
		one.registry.stop();
		assertThat(one.overrides().inForce()).extracting(RateLimitOverrides.InForce::until)
			.containsExactly(Instant.ofEpochSecond(0, this.serverClock.nanos()).plus(Duration.ofHours(2)));
		assertEndsAfter(one, Duration.ofHours(2));
	}

	@Test
	void whatHasEndedWhileTheStoreIsGoneIsNotToldAsInForce() {
		Instance one = start();
		one.overrides().put(override(10).duration(Duration.ofHours(2)).build());
		one.registry.stop();
		this.shared.unreadable = true;
		one.clock.advance(Duration.ofHours(2));
		assertThat(one.overrides().find(target(null))).isNull();
		assertThat(one.overrides().inForce()).isEmpty();
		assertThat(one.overrides().remove(target(null))).isNull();
	}

	@Test
	void overrideThatIsTakenBackElsewhereRightAfterItWasPutHereIsNotInForceHereEither() {
		Instance one = start();
		Instance two = start();
		afterTheNextWrite(() -> two.overrides().remove(target(null)));
		one.overrides().put(override(10).build());
		assertThat(two.limit("k")).isEqualTo(100);
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> one.limit("k") == 100);
		assertThat(one.overrides().inForce()).isEmpty();
	}

	@Test
	void overrideThatIsPutElsewhereRightAfterOneWasTakenBackHereStays() {
		Instance one = start();
		Instance two = start();
		one.overrides().put(override(10).build());
		afterTheNextWrite(() -> two.overrides().put(override(20).build()));
		one.overrides().remove(target(null));
		assertThat(two.limit("k")).isEqualTo(20);
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> one.limit("k") == 20);
	}

	@Test
	void overridesInShadowThatAreReadTogetherAreCountedTogether() {
		Instance one = start();
		one.overrides().put(override(10).key("a").mode(RateLimitMode.SHADOW).build());
		one.overrides().put(override(20).key("b").mode(RateLimitMode.SHADOW).build());
		Instance later = start();
		later.limiter.decide("a", 1);
		later.limiter.decide("b", 1);
		assertThat(later.limiter.shadow()).isNotNull();
		assertThat(later.limiter.shadow().count(RateLimitOutcome.ALLOWED)).isEqualTo(2);
	}

	@Test
	void keysOfAllInstancesTogetherAreBounded() {
		Instance one = start();
		Instance two = start();
		one.overrides().put(override(10).build());
		for (int i = 0; i < Instance.MAXIMUM; i++) {
			((i % 2 == 0) ? one : two).overrides().put(override(10).key("k" + i).build());
		}
		assertRefused(Reason.FULL, () -> one.overrides().put(override(10).key("more").build()));
		assertRefused(Reason.FULL, () -> two.overrides().put(override(10).key("more").build()));
	}

	private void afterTheNextWrite(Runnable change) {
		AtomicBoolean next = new AtomicBoolean(true);
		this.shared.afterWrite = () -> {
			if (next.getAndSet(false)) {
				change.run();
			}
		};
	}

}
