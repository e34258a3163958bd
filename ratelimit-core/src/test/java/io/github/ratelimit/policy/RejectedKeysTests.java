package io.github.ratelimit.policy;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Who is rejected most, among more keys than there are counters.
 */
class RejectedKeysTests {

	private static final Duration HALF_HOUR = Duration.ofMinutes(30);

	private final ManualClock clock = ManualClock.atMidnight();

	private final RejectedKeys keys = new RejectedKeys(this.clock);

	private void add(String key) {
		this.keys.add(key, this.clock.nanos());
	}

	private void add(String key, int times) {
		for (int i = 0; i < times; i++) {
			add(key);
		}
	}

	private Instant now() {
		return Instant.EPOCH.plusNanos(this.clock.nanos());
	}

	@Test
	void fewKeysAreCountedExactly() {
		for (int i = 0; i < 30; i++) {
			add("key-" + i, i + 1);
		}
		List<RejectedKey> most = this.keys.most();
		assertThat(most).hasSize(20)
			.startsWith(new RejectedKey("key-29", RejectionLog.hash("key-29"), 30, 0, now(), now()));
		assertThat(most).endsWith(new RejectedKey("key-10", RejectionLog.hash("key-10"), 11, 0, now(), now()));
	}

	@Test
	void thoseRejectedMostAreFoundAmongManyWhoComeOnce() {
		Random random = new Random(11);
		for (int i = 0; i < 200_000; i++) {
			add("other-" + i);
			if (i % 10 == 0) {
				add("often-" + random.nextInt(5));
			}
		}
		assertThat(this.keys.most().subList(0, 5)).allSatisfy((key) -> {
			assertThat(key.key()).startsWith("often-");
			assertThat(key.rejected() - key.error()).isBetween(1L, 4300L);
			assertThat(key.rejected()).isGreaterThanOrEqualTo(3700L);
			assertThat(key.error()).isLessThanOrEqualTo(220_000 / 128);
		});
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4, 5 })
	void whatIsSaidIsAtMostItsErrorTooMuchOverAnyNumberOfHalfHours(long seed) {
		Random random = new Random(seed);
		Map<String, Long> exact = new HashMap<>();
		int added = 0;
		for (int halfHour = 0; halfHour < 6; halfHour++) {
			for (int i = 0; i < 20_000; i++) {
				String key = "key-" + (int) Math.pow(1.0 / random.nextDouble(), 1.3);
				add(key);
				exact.merge(key, 1L, Long::sum);
				added++;
			}
			this.clock.advance(HALF_HOUR.multipliedBy(1 + random.nextInt(3)));
		}

		int total = added;
		List<String> best = exact.entrySet()
			.stream()
			.sorted(Map.Entry.<String, Long>comparingByValue().reversed())
			.limit(3)
			.map(Map.Entry::getKey)
			.toList();
		assertThat(this.keys.most()).as("seed " + seed)
			.extracting(RejectedKey::key)
			.startsWith(best.toArray(String[]::new));
		assertThat(this.keys.most()).as("seed " + seed).allSatisfy((key) -> {
			assertThat(exact.get(key.key())).isBetween(key.rejected() - key.error(), key.rejected());
			assertThat(key.error()).isLessThanOrEqualTo(total / 128);
		});
	}

	@Test
	void onlyThisHalfHourAndTheOneBeforeAreLately() {
		Instant midnight = now();
		add("ada", 3);
		this.clock.advance(HALF_HOUR.minusNanos(1));
		add("bob", 2);
		this.clock.advanceNanos(1);
		add("ada");
		assertThat(this.keys.mostLately()).extracting(RejectedKey::key, RejectedKey::rejected, RejectedKey::first)
			.containsExactly(tuple("ada", 4L, midnight), tuple("bob", 2L, now().minusNanos(1)));

		this.clock.advance(HALF_HOUR);
		assertThat(this.keys.mostLately()).extracting(RejectedKey::key, RejectedKey::rejected)
			.containsExactly(tuple("ada", 1L));
		this.clock.advance(HALF_HOUR);
		assertThat(this.keys.mostLately()).isEmpty();
		assertThat(this.keys.most()).extracting(RejectedKey::key, RejectedKey::rejected, RejectedKey::first)
			.containsExactly(tuple("ada", 4L, midnight), tuple("bob", 2L, midnight.plus(HALF_HOUR).minusNanos(1)));
	}

	@Test
	void whatIsLongAgoIsNotLatelyAfterASilence() {
		add("ada");
		this.clock.advance(Duration.ofDays(400));
		add("bob");
		assertThat(this.keys.mostLately()).extracting(RejectedKey::key).containsExactly("bob");
		assertThat(this.keys.most()).extracting(RejectedKey::key).containsExactlyInAnyOrder("ada", "bob");
	}

	@Test
	void aStoreWhoseClockIsALittleBehindCountsForTheHalfHourThatIsUnderWay() {
		this.clock.advance(HALF_HOUR);
		add("ada");
		this.keys.add("ada", this.clock.nanos() - Duration.ofSeconds(5).toNanos());
		assertThat(this.keys.mostLately()).extracting(RejectedKey::rejected).containsExactly(2L);
	}

	@Test
	void keysOfTheSameHashCodeAreToldApart() {
		for (int i = 0; i < 1 << 10; i++) {
			StringBuilder key = new StringBuilder();
			for (int bit = 0; bit < 10; bit++) {
				key.append(((i >> bit) % 2 == 0) ? "Aa" : "BB");
			}
			add(key.toString());
		}
		add("Aa".repeat(10), 50);
		assertThat(this.keys.most()).first().satisfies((most) -> {
			assertThat(most.key()).isEqualTo("Aa".repeat(10));
			assertThat(most.rejected() - most.error()).isBetween(50L, 51L);
		});
	}

	@Test
	void aKeyThatNoRequestCanHaveIsNotKept() {
		add("k".repeat(RateLimiter.MAX_KEY_LENGTH));
		add("l".repeat(RateLimiter.MAX_KEY_LENGTH + 1));
		assertThat(this.keys.most()).singleElement()
			.satisfies((key) -> assertThat(key.key()).hasSize(RateLimiter.MAX_KEY_LENGTH));
	}

	@Test
	void aKeyIsFoundByItsHashWheneverItWasRejected() {
		add("ada");
		this.clock.advance(HALF_HOUR);
		add("bob");
		this.clock.advance(HALF_HOUR);
		add("eve");
		assertThat(List.of("ada", "bob", "eve"))
			.allSatisfy((key) -> assertThat(this.keys.find(RejectionLog.hash(key))).isEqualTo(key));
		assertThat(this.keys.find(RejectionLog.hash("mallory"))).isNull();
		assertThat(this.keys.find("ada")).isNull();
	}

}
