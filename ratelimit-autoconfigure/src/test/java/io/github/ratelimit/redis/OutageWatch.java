package io.github.ratelimit.redis;

import java.time.Duration;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.PolicyDecider;

import org.springframework.boot.test.system.CapturedOutput;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Looks at what a store does while its server does not decide, and when it does again.
 */
final class OutageWatch {

	private static final Duration INTERVAL = TestStore.IMPATIENT.retryInterval();

	private static final Duration LONGEST = TestStore.IMPATIENT.timeout().plusSeconds(1);

	private final TestStore store;

	private final PolicyDecider states;

	private final CapturedOutput output;

	private final long outages;

	private final int warnings;

	private final int recoveries;

	OutageWatch(TestStore store, PolicyDecider states, CapturedOutput output) {
		this.store = store;
		this.states = states;
		this.output = output;
		this.outages = store.availability().outages();
		this.warnings = count(" cannot decide since ");
		this.recoveries = count(" answers again after ");
	}

	private int count(String line) {
		return this.output.getAll().split(line, -1).length - 1;
	}

	/**
	 * Decides, and checks that no call waits longer than the time-out allows.
	 */
	RateLimitDecision decide(String key, long permits) {
		long begin = RunningTime.nanos();
		RateLimitDecision decision = this.states.decide(key, permits);
		assertThat(RunningTime.since(begin)).isLessThan(LONGEST);
		return decision;
	}

	/**
	 * Checks that an outage is found by the first few who ask, that one asks again in
	 * each retry interval, and that it is logged once.
	 */
	void outage() {
		firstFailures();
		int calls = this.store.calls();
		for (int i = 0; i < 2; i++) {
			this.store.clock().advance(INTERVAL.minusNanos(1));
			askAll(calls + i);
			this.store.clock().advanceNanos(1);
			askAll(calls + i + 1);
		}
		assertThat(this.store.availability().outages()).isEqualTo(this.outages + 1);
		assertThat(count(" cannot decide since ")).isEqualTo(this.warnings + 1);
		assertThat(count(" answers again after ")).isEqualTo(this.recoveries);
	}

	void firstFailure() {
		assertThat(decide("outage", 1).fallback()).isTrue();
	}

	/*
	 * One more than the breaker counts, which tries whether it is an outage.
	 */
	private void firstFailures() {
		for (int i = 0; i <= TestStore.FAILURES; i++) {
			assertThat(this.store.availability().isAvailable()).isEqualTo(i < TestStore.FAILURES);
			assertThat(decide("outage", 1).fallback()).isTrue();
		}
		assertThat(this.store.availability().isAvailable()).isFalse();
		assertThat(this.store.availability().failure()).isNotEmpty();
	}

	private void askAll(int calls) {
		long before = this.states.fallbacks();
		for (int i = 0; i < 50; i++) {
			assertThat(decide("key" + i, 1).fallback()).isTrue();
		}
		assertThat(this.states.fallbacks()).isEqualTo(before + 50);
		assertThat(this.store.calls()).isEqualTo(calls);
	}

	/**
	 * Checks that the server decides again within two retry intervals, and that it is
	 * logged once.
	 */
	void recovery() {
		assertThat(this.store.availability().outages()).isEqualTo(this.outages + 1);
		this.store.clock().advance(INTERVAL);
		if (decide("recovery", 1).fallback()) {
			this.store.clock().advance(INTERVAL);
			assertThat(decide("recovery", 1).fallback()).isFalse();
		}
		recovered();
	}

	/**
	 * Checks that the server decides again as soon as the client has found it. If that
	 * was soon, it was no outage.
	 */
	void recoveryOnceFound() {
		awaitRecovery(this.store, this.states);
		recovered();
	}

	static void awaitRecovery(TestStore store, PolicyDecider states) {
		TestRedis.await(() -> {
			store.clock().advance(INTERVAL);
			return !states.decide("recovery", 1).fallback();
		});
	}

	/**
	 * Checks that the server was well all the time.
	 */
	void noOutage() {
		assertThat(this.store.availability().isAvailable()).isTrue();
		assertThat(this.store.availability().outages()).isEqualTo(this.outages);
		assertThat(count(" cannot decide since ")).isEqualTo(this.warnings);
	}

	private void recovered() {
		for (int i = 0; i < 50; i++) {
			assertThat(decide("recovered" + i, 1).fallback()).isFalse();
		}
		assertThat(this.store.availability().isAvailable()).isTrue();
		assertThat(this.store.availability().failure()).isNull();
		int logged = (int) (this.store.availability().outages() - this.outages);
		assertThat(logged).isBetween(0, 1);
		assertThat(count(" cannot decide since ")).isEqualTo(this.warnings + logged);
		assertThat(count(" answers again after ")).isEqualTo(this.recoveries + logged);
	}

}
