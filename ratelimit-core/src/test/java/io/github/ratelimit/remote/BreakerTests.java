package io.github.ratelimit.remote;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;

import io.github.ratelimit.remote.StoreCallException.Blame;
import io.github.ratelimit.support.LogBudget;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A late answer concerns only the request that waited for it. Several in a row open the
 * breaker, and whether they are an outage is tried at once. What an operator reads of an
 * outage, and how often.
 */
@ExtendWith(OutputCaptureExtension.class)
class BreakerTests {

	private static final Duration TIMEOUT = Duration.ofMillis(100);

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	private final LongAdder outages = new LongAdder();

	private final ManualClock clock = ManualClock.atMidnight();

	private final Breaker breaker = new Breaker(this.clock, INTERVAL, "Redis at 10.0.0.1:6379", this.outages);

	private void fail(long askedAt) {
		this.breaker.failed(StoreCallException.noAnswer(TIMEOUT), askedAt);
	}

	private void fail(int times) {
		IntStream.range(0, times).forEach((i) -> fail(this.clock.nanos()));
	}

	private void failAfterTheTimeout(int calls) {
		for (int i = 0; i < calls; i++) {
			assertThat(this.breaker.tryAcquirePermission()).isTrue();
			long askedAt = this.clock.nanos();
			this.clock.advance(TIMEOUT);
			fail(askedAt);
		}
	}

	private void outage() {
		fail(Breaker.FAILURES + 1);
		this.breaker.succeeded(true);
	}

	private void assertCallsOf200(int calls) {
		assertThat(IntStream.range(0, 200).filter((caller) -> this.breaker.tryAcquirePermission())).hasSize(calls);
	}

	private static List<String> lines(CapturedOutput output) {
		return output.getAll().lines().filter((line) -> line.contains("Redis at 10.0.0.1:6379")).toList();
	}

	@Test
	void aCallThatSeveralHaveJoinedFailsOnce() {
		for (int call = 0; call < Breaker.FAILURES; call++) {
			assertThat(this.breaker.isAvailable()).isTrue();
			StoreCallException failure = StoreCallException.noAnswer(TIMEOUT);
			IntStream.range(0, 100).forEach((caller) -> this.breaker.failed(failure, this.clock.nanos()));
		}
		assertThat(this.breaker.isAvailable()).isFalse();
	}

	@Test
	void aLateAnswerHereAndThereStopsNobody(CapturedOutput output) {
		for (int i = 0; i < 100; i++) {
			failAfterTheTimeout(Breaker.FAILURES - 1);
			this.breaker.decidedWithout();
			assertThat(this.breaker.isAvailable()).isTrue();
			assertThat(this.breaker.failure()).isNull();
			assertCallsOf200(200);
			this.breaker.succeeded(true);
		}
		assertThat(this.outages.sum()).isZero();
		assertThat(lines(output)).isEmpty();
		outage();
		assertThat(lines(output).get(1)).contains("; 0 decisions");
	}

	@Test
	void failuresInARowLeaveOneToTryAtOnceAndThenOneInEachInterval(CapturedOutput output) {
		failAfterTheTimeout(Breaker.FAILURES);
		assertThat(this.breaker.isAvailable()).isFalse();
		assertThat(this.breaker.failure()).contains("100 ms");
		assertThat(this.outages.sum()).isZero();
		long askedAt = this.clock.nanos();
		assertCallsOf200(1);
		this.clock.advance(TIMEOUT);
		assertCallsOf200(0);
		fail(askedAt);
		assertThat(this.outages.sum()).isOne();
		for (int i = 0; i < 3; i++) {
			this.clock.advance(INTERVAL.minusNanos(1));
			assertCallsOf200(0);
			this.clock.advanceNanos(1);
			assertCallsOf200(1);
			fail(1);
		}
		assertThat(this.outages.sum()).isOne();
		assertThat(lines(output)).singleElement().asString().contains("cannot decide");
	}

	/*
	 * 200 callers ask a server that pauses for 150 ms: all fail after 100 ms, and 50 ms
	 * later it answers the one that tries.
	 */
	@Test
	void aPauseLastsNoLongerThanItLasts(CapturedOutput output) {
		long askedAt = this.clock.nanos();
		assertCallsOf200(200);
		this.clock.advance(TIMEOUT);
		IntStream.range(0, Breaker.FAILURES).forEach((i) -> fail(askedAt));
		assertCallsOf200(1);
		IntStream.range(Breaker.FAILURES, 200).forEach((i) -> fail(askedAt));
		assertCallsOf200(0);
		this.clock.advance(TIMEOUT.dividedBy(2));
		this.breaker.succeeded(true);
		assertCallsOf200(200);
		assertThat(this.breaker.isAvailable()).isTrue();
		assertThat(this.outages.sum()).isZero();
		IntStream.range(0, 200).forEach((i) -> fail(askedAt));
		assertThat(this.breaker.isAvailable()).isTrue();
		assertThat(lines(output)).isEmpty();
	}

	/*
	 * Trials that hang are asked after the breaker opened, and fail after another trial
	 * was answered.
	 */
	@Test
	void failuresOfCallsFromBeforeItClosedDoNotOpenIt() {
		failAfterTheTimeout(Breaker.FAILURES);
		long[] hanging = new long[Breaker.FAILURES];
		for (int i = 0; i < Breaker.FAILURES; i++) {
			assertCallsOf200(1);
			hanging[i] = this.clock.nanos();
			this.clock.advance(INTERVAL);
		}
		this.breaker.succeeded(true);
		for (long askedAt : hanging) {
			fail(askedAt);
		}
		assertThat(this.breaker.isAvailable()).isTrue();
		assertCallsOf200(200);
		failAfterTheTimeout(Breaker.FAILURES - 1);
		assertThat(this.breaker.isAvailable()).isTrue();
	}

	@Test
	void failuresOfCallsFromBeforeItOpenedDoNotKeepItOpenLonger() {
		long before = this.clock.nanos();
		failAfterTheTimeout(Breaker.FAILURES);
		assertCallsOf200(1);
		fail(1);
		this.clock.advance(INTERVAL.minusNanos(1));
		fail(before);
		assertCallsOf200(0);
		this.clock.advanceNanos(1);
		assertCallsOf200(1);
		assertThat(this.breaker.failure()).contains("100 ms");
		assertThat(this.outages.sum()).isOne();
	}

	@Test
	void failuresOfCallsFromWhenItClosedCount() {
		failAfterTheTimeout(Breaker.FAILURES);
		this.breaker.succeeded(true);
		fail(Breaker.FAILURES - 1);
		assertThat(this.breaker.isAvailable()).isTrue();
		fail(1);
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
		fail(Breaker.FAILURES + 1);
		this.breaker.drop();
		assertThat(output).containsOnlyOnce("Redis at 10.0.0.1:6379 is no longer asked");
		fail(1);
		assertThat(this.outages.sum()).isEqualTo(2);
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
		}, INTERVAL, "Redis", this.outages);
		for (int i = 0; i < Breaker.FAILURES; i++) {
			crossed.failed(StoreCallException.noAnswer(TIMEOUT), this.clock.nanos());
		}
		AtomicBoolean other = new AtomicBoolean();
		meanwhile.set(() -> other.set(crossed.tryAcquirePermission()));
		assertThat(crossed.tryAcquirePermission()).isFalse();
		assertThat(other).isTrue();
	}

	@Test
	void callsThatAreNotTheServersFailureDoNotCount() {
		for (int i = 0; i < 100; i++) {
			this.breaker.failed(StoreCallException.interrupted(new InterruptedException()), this.clock.nanos());
		}
		for (Blame blame : List.of(Blame.KEY, Blame.MOVE)) {
			failAfterTheTimeout(Breaker.FAILURES - 1);
			this.breaker.failed(new StoreCallException("WRONGTYPE a key", null, blame), this.clock.nanos());
		}
		failAfterTheTimeout(Breaker.FAILURES - 1);
		assertThat(this.breaker.isAvailable()).isTrue();
	}

	@Test
	void anAnswerThatWroteNothingLetsTheNextCallTryAWrite() {
		for (int i = 0; i < Breaker.FAILURES; i++) {
			assertThat(this.breaker.isAvailable()).isTrue();
			assertCallsOf200(200);
			this.breaker.failed(new StoreCallException("OOM command not allowed", null, Blame.WRITES),
					this.clock.nanos());
			this.breaker.succeeded(false);
		}
		for (int i = 0; i < 2; i++) {
			assertThat(this.breaker.isAvailable()).isFalse();
			assertCallsOf200(1);
			this.breaker.succeeded(false);
		}
		this.breaker.succeeded(true);
		assertThat(this.breaker.isAvailable()).isTrue();
	}

	@ParameterizedTest
	@CsvSource({ "0, 999, 0, 999 ms; 0 decisions were", "350, 650, 3412, '1 s; 3,412 decisions were'",
			"0, 119999, 1, 1 min 59 s; 1 decision was", "0, 180000000, 2, 2 d 2 h; 2 decisions were" })
	void anOutageIsOneLineWhenItBeginsAndOneWhenItEndsInEveryLocale(long before, long millis, int without, String told,
			CapturedOutput output) {
		Locale locale = Locale.getDefault();
		Locale.setDefault(Locale.GERMANY);
		try {
			fail(1);
			this.clock.advance(Duration.ofMillis(before));
			fail(10);
			IntStream.range(0, without).forEach((i) -> this.breaker.decidedWithout());
			this.clock.advance(Duration.ofMillis(millis));
			this.breaker.succeeded(true);
		}
		finally {
			Locale.setDefault(locale);
		}
		assertThat(lines(output)).hasSize(2);
		assertThat(lines(output).get(0)).contains("WARN",
				"Redis at 10.0.0.1:6379 cannot decide since 2026-03-05T00:00:00Z (no answer within 100 ms)");
		assertThat(lines(output).get(1)).contains("INFO", "answers again after " + told + " made without it");
	}

	@Test
	void aServerThatComesAndGoesFillsNoLog(CapturedOutput output) {
		for (int i = 0; i < 1000; i++) {
			outage();
			this.clock.advance(Duration.ofMillis(59));
		}
		assertThat(lines(output)).hasSize(2 * LogBudget.MAX_A_MINUTE);
		this.clock.advance(Duration.ofSeconds(1));
		outage();
		assertThat(lines(output)).hasSize(2 * LogBudget.MAX_A_MINUTE + 2);
		assertThat(lines(output).get(2 * LogBudget.MAX_A_MINUTE))
			.endsWith("There were 997 more outages that were not logged");
	}

	@Test
	void anOutageThatBeginsUnloggedIsLoggedIfItLasts(CapturedOutput output) {
		IntStream.range(0, LogBudget.MAX_A_MINUTE).forEach((i) -> outage());
		fail(Breaker.FAILURES + 1);
		assertThat(lines(output)).hasSize(2 * LogBudget.MAX_A_MINUTE);
		for (int i = 0; i < 60; i++) {
			this.clock.advance(Duration.ofSeconds(1));
			fail(1);
		}
		assertThat(lines(output)).hasSize(2 * LogBudget.MAX_A_MINUTE + 1);
		assertThat(lines(output).get(2 * LogBudget.MAX_A_MINUTE)).endsWith("each policy's on-failure does");
	}

}
