package io.github.ratelimit.remote;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.github.ratelimit.remote.StoreCallException.Blame;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A late answer concerns only the request that waited for it. Several in a row open the
 * breaker, and whether they are an outage is tried at once.
 */
@ExtendWith(OutputCaptureExtension.class)
class BreakerTests {

	private static final Duration TIMEOUT = Duration.ofMillis(100);

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	private final ManualClock clock = ManualClock.atMidnight();

	private final Breaker breaker = new Breaker(this.clock, INTERVAL, "Redis");

	private void fail(long askedAt) {
		this.breaker.failed(StoreCallException.noAnswer(TIMEOUT), askedAt);
	}

	private void failAll(int calls) {
		for (int i = 0; i < calls; i++) {
			assertThat(this.breaker.mayCall()).isTrue();
			long askedAt = this.clock.nanos();
			this.clock.advance(TIMEOUT);
			fail(askedAt);
		}
	}

	private long callsOf(int callers) {
		return IntStream.range(0, callers).filter((caller) -> this.breaker.mayCall()).count();
	}

	@Test
	void aLateAnswerHereAndThereStopsNobody(CapturedOutput output) {
		for (int i = 0; i < 100; i++) {
			failAll(Breaker.FAILURES - 1);
			assertThat(this.breaker.isAvailable()).isTrue();
			assertThat(this.breaker.failure()).isNull();
			assertThat(callsOf(200)).isEqualTo(200);
			this.breaker.succeeded(true);
		}
		assertThat(this.breaker.outages()).isZero();
		assertThat(output.getAll()).doesNotContain("Redis");
	}

	@Test
	void failuresInARowLeaveOneToTryAtOnceAndThenOneInEachInterval(CapturedOutput output) {
		failAll(Breaker.FAILURES);
		assertThat(this.breaker.isAvailable()).isFalse();
		assertThat(this.breaker.failure()).contains("100 ms");
		assertThat(this.breaker.outages()).isZero();
		long askedAt = this.clock.nanos();
		assertThat(callsOf(200)).isOne();
		this.clock.advance(TIMEOUT);
		assertThat(callsOf(200)).isZero();
		fail(askedAt);
		assertThat(this.breaker.outages()).isOne();
		for (int i = 0; i < 3; i++) {
			this.clock.advance(INTERVAL.minusNanos(1));
			assertThat(callsOf(200)).isZero();
			this.clock.advanceNanos(1);
			assertThat(callsOf(200)).isOne();
			fail(this.clock.nanos());
		}
		assertThat(this.breaker.outages()).isOne();
		assertThat(output.getAll()).containsOnlyOnce("Redis cannot decide").doesNotContain("Redis answers again");
	}

	/*
	 * 200 callers ask a server that pauses for 150 ms: all fail after 100 ms, and 50 ms
	 * later it answers the one who tries.
	 */
	@Test
	void aPauseLastsNoLongerThanItLasts(CapturedOutput output) {
		long askedAt = this.clock.nanos();
		assertThat(callsOf(200)).isEqualTo(200);
		this.clock.advance(TIMEOUT);
		for (int i = 0; i < Breaker.FAILURES; i++) {
			fail(askedAt);
		}
		assertThat(callsOf(200)).isOne();
		for (int i = Breaker.FAILURES; i < 200; i++) {
			fail(askedAt);
		}
		assertThat(callsOf(200)).isZero();
		this.clock.advance(TIMEOUT.dividedBy(2));
		this.breaker.succeeded(true);
		assertThat(callsOf(200)).isEqualTo(200);
		assertThat(this.breaker.isAvailable()).isTrue();
		assertThat(this.breaker.outages()).isZero();
		assertThat(output.getAll()).doesNotContain("Redis");
	}

	@Test
	void whoAskedBeforeItAnsweredSaysNothingOfThePresent() {
		failAll(Breaker.FAILURES);
		long before = this.clock.nanos() - 1;
		assertThat(callsOf(200)).isOne();
		this.breaker.succeeded(true);
		for (int i = 0; i < 200; i++) {
			fail(before);
		}
		assertThat(callsOf(200)).isEqualTo(200);
	}

	/*
	 * Trials that hang are asked after the breaker opened, and fail after another trial
	 * was answered.
	 */
	@Test
	void failuresOfCallsFromBeforeItClosedDoNotOpenIt() {
		failAll(Breaker.FAILURES);
		List<Long> hanging = new ArrayList<>();
		for (int i = 0; i < Breaker.FAILURES; i++) {
			assertThat(callsOf(200)).isOne();
			hanging.add(this.clock.nanos());
			this.clock.advance(INTERVAL);
		}
		this.breaker.succeeded(true);
		hanging.forEach(this::fail);
		assertThat(this.breaker.isAvailable()).isTrue();
		assertThat(callsOf(200)).isEqualTo(200);
		failAll(Breaker.FAILURES - 1);
		assertThat(this.breaker.isAvailable()).isTrue();
	}

	@Test
	void failuresOfCallsFromBeforeItOpenedDoNotKeepItOpenLonger() {
		long before = this.clock.nanos();
		failAll(Breaker.FAILURES);
		assertThat(callsOf(200)).isOne();
		fail(this.clock.nanos());
		this.clock.advance(INTERVAL.minusNanos(1));
		fail(before);
		assertThat(callsOf(200)).isZero();
		this.clock.advanceNanos(1);
		assertThat(callsOf(200)).isOne();
		assertThat(this.breaker.failure()).contains("100 ms");
		assertThat(this.breaker.outages()).isOne();
	}

	@Test
	void failuresOfCallsFromWhenItClosedCount() {
		failAll(Breaker.FAILURES);
		this.breaker.succeeded(true);
		for (int i = 0; i < Breaker.FAILURES; i++) {
			assertThat(this.breaker.isAvailable()).isTrue();
			fail(this.clock.nanos());
		}
		assertThat(this.breaker.isAvailable()).isFalse();
	}

	@Test
	void anAnswerWhileItIsClosedOutdatesNoFailure() {
		long askedAt = this.clock.nanos();
		this.clock.advance(TIMEOUT);
		fail(askedAt);
		this.breaker.succeeded(true);
		for (int i = 0; i < Breaker.FAILURES; i++) {
			assertThat(this.breaker.isAvailable()).isTrue();
			fail(askedAt);
		}
		assertThat(this.breaker.isAvailable()).isFalse();
	}

	@Test
	void anOutageOfAServerThatIsGoneEnds(CapturedOutput output) {
		failAll(Breaker.FAILURES + 1);
		this.breaker.drop();
		assertThat(output).containsOnlyOnce("Redis is no longer asked");
		fail(this.clock.nanos());
		assertThat(this.breaker.outages()).isEqualTo(2);
	}

	/*
	 * The clock is where another call comes in between.
	 */
	@Test
	void ofTwoCallsAtTheSameMomentOneTriesAgain() {
		AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {
		});
		Breaker crossed = new Breaker(() -> {
			meanwhile.getAndSet(() -> {
			}).run();
			return this.clock.nanos();
		}, INTERVAL, "Redis");
		for (int i = 0; i < Breaker.FAILURES; i++) {
			crossed.failed(StoreCallException.noAnswer(TIMEOUT), this.clock.nanos());
		}
		AtomicBoolean other = new AtomicBoolean();
		meanwhile.set(() -> other.set(crossed.mayCall()));
		assertThat(crossed.mayCall()).isFalse();
		assertThat(other).isTrue();
	}

	@Test
	void callsThatAreNotTheServersFailureDoNotCount() {
		for (int i = 0; i < 100; i++) {
			this.breaker.failed(StoreCallException.interrupted(new InterruptedException()), this.clock.nanos());
		}
		failAll(Breaker.FAILURES - 1);
		this.breaker.failed(new StoreCallException("WRONGTYPE a key", null, Blame.KEY), this.clock.nanos());
		failAll(Breaker.FAILURES - 1);
		assertThat(this.breaker.isAvailable()).isTrue();
	}

	@Test
	void anAnswerThatWroteNothingLetsTheNextCallTryAWrite() {
		StoreCallException full = new StoreCallException("OOM command not allowed", null, Blame.WRITES);
		this.breaker.failed(full, this.clock.nanos());
		this.breaker.succeeded(false);
		assertThat(this.breaker.isAvailable()).isTrue();
		assertThat(callsOf(200)).isEqualTo(200);
		for (int i = 1; i < Breaker.FAILURES; i++) {
			this.breaker.failed(full, this.clock.nanos());
		}
		assertThat(callsOf(200)).isOne();
		this.breaker.succeeded(false);
		assertThat(this.breaker.isAvailable()).isFalse();
		assertThat(callsOf(200)).isOne();
	}

	@Test
	void answersThatWriteNothingDoNotHideThatWritesFail() {
		for (int i = 0; i < Breaker.FAILURES; i++) {
			assertThat(this.breaker.mayCall()).isTrue();
			this.breaker.failed(new StoreCallException("OOM command not allowed", null, Blame.WRITES),
					this.clock.nanos());
			this.breaker.succeeded(false);
		}
		assertThat(this.breaker.isAvailable()).isFalse();
		this.breaker.succeeded(true);
		assertThat(this.breaker.isAvailable()).isTrue();
	}

}
