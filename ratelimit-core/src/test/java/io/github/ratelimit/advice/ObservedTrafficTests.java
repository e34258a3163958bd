package io.github.ratelimit.advice;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

/**
 * What is observed and suggested, and how much memory it takes.
 */
class ObservedTrafficTests {

	private static final int MEBIBYTE = 1 << 20;

	private final ManualClock clock = ManualClock.atMidnight();

	private final Random random = new Random(7);

	private final ObservedTraffic traffic = traffic(
			RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 20, Duration.ofMinutes(1)));

	private ObservedTraffic traffic(RateLimit limit) {
		return new ObservedTraffic(RateLimitPolicy.builder("login").key("clientAddress").limit(limit).build(),
				this.clock, this.random::nextInt);
	}

	@Test
	void nothingIsSuggestedBeforeThereIsEnough() {
		Advice advice = this.traffic.advice();
		assertThat(advice.suggestion()).isNull();
		assertThat(advice.missing()).containsExactly("20 callers are needed; observed: 0.",
				"100 requests are needed; observed: 0.", "The observation must last for 10 min; so far: 0 s.");
		assertThat(advice.curves()).hasSize(16).allSatisfy((curve) -> assertThat(curve.points()).hasSize(8));
	}

	@Test
	void ratesAndBurstsAreAroundThoseOfTheLimit() {
		assertThat(this.traffic.advice().curves())
			.extracting((curve) -> curve.limit() + " per " + window(curve).toMinutes())
			.containsExactly("1 per 5", "1 per 2", "1 per 1", "2 per 1", "5 per 1", "10 per 1", "20 per 1", "50 per 1",
					"100 per 1", "200 per 1", "500 per 1", "1000 per 1", "2000 per 1", "5000 per 1", "10000 per 1",
					"20000 per 1");
		assertThat(this.traffic.advice().curves().get(0).points()).extracting(Advice.Point::burst)
			.containsExactly(2L, 5L, 10L, 20L, 50L, 100L, 200L, 500L);
	}

	@Test
	void limitThatIsNoPreferredNumberIsTriedToo() {
		RateLimit limit = RateLimit.builder(RateLimitAlgorithm.TOKEN_BUCKET)
			.limit(30)
			.window(Duration.ofSeconds(10))
			.burst(70L)
			.build();
		assertThat(traffic(limit).advice().curves())
			.anyMatch((curve) -> curve.limit() == 30 && window(curve).equals(Duration.ofSeconds(10))
					&& curve.points().stream().anyMatch((point) -> point.burst() == 70));
	}

	@Test
	void everyLimitHasAGridOfAllowedLimits() {
		for (Duration window : new Duration[] { Duration.ofMillis(1), Duration.ofSeconds(1), Duration.ofDays(31) }) {
			for (long limit = 1; limit <= window.toNanos() / 1000; limit *= 10) {
				assertThat(traffic(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, limit, window)).advice().curves())
					.allSatisfy((curve) -> RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, curve.limit(), window(curve)))
					.isSortedAccordingTo((one, other) -> Double.compare(perNano(one), perNano(other)));
			}
		}
	}

	private static Duration window(Advice.Curve curve) {
		return Duration.ofNanos(curve.window().movePointRight(9).longValueExact());
	}

	private static double perNano(Advice.Curve curve) {
		return (double) curve.limit() / window(curve).toNanos();
	}

	@Test
	void aClockThatIsSetBackFillsNoBucket() {
		AtomicLong now = new AtomicLong(this.clock.nanos());
		RateLimit limit = RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 20, Duration.ofMinutes(1));
		ObservedTraffic traffic = new ObservedTraffic(RateLimitPolicy.of("login", limit), now::get);
		traffic.observe("caller", 1);
		now.addAndGet(-Duration.ofHours(1).toNanos());
		for (int i = 0; i < 100; i++) {
			now.addAndGet(Duration.ofSeconds(10).toNanos());
			traffic.observe("caller", 1);
		}
		Advice.Curve own = traffic.advice().curves().get(6);
		assertThat(own.limit()).isEqualTo(20);
		assertThat(own.points()).allSatisfy((point) -> {
			assertThat(point.callers()).isZero();
			assertThat(point.requests()).isZero();
		});
	}

	@Test
	void whatIsSuggestedCanBeConfiguredWhereCallersAskForMuchAtOnce() {
		ObservedTraffic traffic = traffic(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 10, Duration.ofDays(1)));
		for (int caller = 0; caller < 1000; caller++) {
			this.clock.advance(Duration.ofSeconds(100));
			for (int i = 0; i < 40; i++) {
				traffic.observe("caller-" + caller, 1);
			}
		}

		Advice.Suggestion suggestion = traffic.advice().suggestion();
		assertThat(suggestion).isNotNull();
		Duration window = Duration.ofNanos(suggestion.window().movePointRight(9).longValueExact());
		RateLimit limit = RateLimit.builder(RateLimitAlgorithm.TOKEN_BUCKET)
			.limit(suggestion.limit())
			.window(window)
			.burst(suggestion.burst())
			.build();
		assertThat(limit.capacity()).isEqualTo(50);
	}

	@Test
	void suggestionHoldsBackTheOneWhoAsksForMost() {
		for (int second = 0; second < 3600; second++) {
			this.clock.advance(Duration.ofSeconds(1));
			this.traffic.observe("caller-" + second % 300, 1);
			for (int i = 0; i < 20; i++) {
				this.traffic.observe("bot", 1);
			}
		}
		Advice.Suggestion suggestion = this.traffic.advice().suggestion();
		assertThat(suggestion).isNotNull();
		assertThat(suggestion.text())
			.isEqualTo("1 per 5 min, burst 2: 0.33 % of callers, 95 % of requests; observed 1 h, 301 callers");
		assertThat(suggestion.yaml()).isEqualTo("""
				ratelimit:
				  policies:
				    "login":
				      mode: shadow # rejects nobody until it is removed
				      key: "clientAddress"
				      algorithm: token-bucket
				      limit: 1
				      window: 5m
				      burst: 2
				""");
		assertThat(suggestion.doubts()).containsExactly("Few callers: one of them is 0.33 %",
				"Short time: less than a day, so that other hours were not observed");
	}

	@ParameterizedTest
	@CsvSource({ "0.4, ", "0.6, One caller makes 60 % of requests" })
	void saysWhenOneCallerMakesHalfOfTheRequestsOfHoweverMany(double share, String note) {
		for (int i = 0; i < 400_000; i++) {
			this.clock.advance(Duration.ofMillis(1));
			boolean ofOne = this.random.nextDouble() < share;
			this.traffic.observe(ofOne ? "bot" : "caller-" + this.random.nextInt(100_000), 1);
		}
		List<String> notes = this.traffic.advice().notes();
		assertThat(notes).hasSize((note != null) ? 1 : 0).allMatch((each) -> each.startsWith(note));
	}

	@Test
	void changingTrafficIsADoubt() {
		for (int minute = 0; minute < 4000; minute++) {
			this.clock.advance(Duration.ofMinutes(1));
			for (int i = 0; i < ((minute < 2000) ? 1 : 40); i++) {
				this.traffic.observe("caller-" + this.random.nextInt(2000), 1);
			}
		}
		Advice.Suggestion suggestion = this.traffic.advice().suggestion();
		assertThat(suggestion).isNotNull();
		assertThat(suggestion.doubts()).anySatisfy((doubt) -> assertThat(doubt)
			.matches("Changing traffic: in the later part of the time, requests come \\d+ times as often, and .*"));
	}

	@Test
	void steadyTrafficIsNoDoubtHoweverLongTheWindow() {
		ObservedTraffic traffic = traffic(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 20, Duration.ofDays(7)));
		for (int minute = 0; minute < 1500; minute++) {
			this.clock.advance(Duration.ofMinutes(1));
			for (int i = 0; i < 20; i++) {
				traffic.observe("caller-" + this.random.nextInt(2000), 1);
			}
		}
		Advice.Suggestion suggestion = traffic.advice().suggestion();
		assertThat(suggestion).isNotNull();
		assertThat(suggestion.doubts()).noneMatch((doubt) -> doubt.startsWith("Changing traffic"));
	}

	@Test
	void permitsCountNotRequests() {
		for (int i = 0; i < 100; i++) {
			this.traffic.observe("caller-" + i, 21);
		}
		assertThat(this.traffic.advice().curves().get(6).points()).filteredOn((point) -> point.burst() <= 20)
			.hasSize(4)
			.allSatisfy((point) -> assertThat(point.callers()).isEqualTo(1));
		assertThat(this.traffic.advice().curves().get(6).points()).filteredOn((point) -> point.burst() > 20)
			.allSatisfy((point) -> assertThat(point.callers()).isZero());
	}

	@Test
	void tenMillionCallersTakeNoMoreThanTwoMebibytes() throws Exception {
		char[] key = "caller-00000000".toCharArray();
		for (int i = 0; i < 10_000_000; i++) {
			for (int digit = key.length - 1, rest = i; digit > 6; digit--, rest /= 10) {
				key[digit] = (char) ('0' + rest % 10);
			}
			this.clock.advanceNanos(100_000);
			this.traffic.observe(new String(key), 1);
		}
		assertThat(DeepSize.of(this.traffic)).isBetween(MEBIBYTE / 2L, 2L * MEBIBYTE);
		Advice advice = this.traffic.advice();
		assertThat(advice.requests()).isEqualTo(10_000_000);
		assertThat(advice.callers()).isBetween(9_000_000L, 11_000_000L);
	}

	@Test
	void requestsOfManyThreadsAreCountedThoughOnlySomeAreObserved() throws InterruptedException {
		CountDownLatch start = new CountDownLatch(1);
		Thread[] threads = IntStream.range(0, 4).mapToObj((number) -> new Thread(() -> {
			try {
				start.await();
			}
			catch (InterruptedException ex) {
				return;
			}
			for (int i = 0; i < 20_000; i++) {
				this.traffic.observe("caller-" + i % 5000, 1);
			}
		})).toArray(Thread[]::new);
		for (Thread thread : threads) {
			thread.start();
		}
		start.countDown();
		for (Thread thread : threads) {
			thread.join();
		}
		Advice advice = this.traffic.advice();
		assertThat(advice.requests()).isCloseTo(80_000, withinPercentage(5));
		assertThat(advice.callers()).isLessThanOrEqualTo(5000);
	}

	@Test
	void ofVeryManyRequestsAFewAreObservedForAll() {
		int requests = 2_000_000;
		for (int i = 0; i < requests; i++) {
			this.clock.advanceNanos(1000);
			this.traffic.observe("busy-" + i % 2, 1);
		}
		Advice advice = this.traffic.advice();
		assertThat(advice.requests()).isCloseTo(requests, withinPercentage(5));
		assertThat(advice.callers()).isEqualTo(2);
		// of 20 a minute and 20 at once, the two got less than 60 in two seconds
		assertThat(advice.curves().get(6).points()).filteredOn((point) -> point.burst() <= 20)
			.allSatisfy((point) -> assertThat(point.requests()).isCloseTo(1, within(0.001)));
	}

	@Test
	void trafficThatBecomesLessIsObservedWholeAgain() {
		for (int i = 0; i < 2_000_000; i++) {
			this.clock.advanceNanos(1000);
			this.traffic.observe("busy", 1);
		}
		for (int i = 0; i < 2000; i++) {
			this.clock.advance(Duration.ofSeconds(1));
			this.traffic.observe("busy", 1);
		}
		long before = this.traffic.advice().requests();
		for (int i = 0; i < 100; i++) {
			this.clock.advance(Duration.ofSeconds(1));
			this.traffic.observe("other-" + i, 1);
		}
		assertThat(this.traffic.advice().requests()).isEqualTo(before + 100);
		assertThat(this.traffic.advice().callers()).isEqualTo(101);
	}

}
