package io.github.ratelimit;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.ManualClock;
import io.github.ratelimit.test.model.RandomCases;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What windows of a calendar are in every store.
 */
public abstract class CalendarWindowContract {

	private static final Duration TICK = Duration.ofNanos(1000);

	/**
	 * The store's clock.
	 */
	protected abstract ManualClock clock();

	/**
	 * Opens a policy without any state.
	 */
	protected abstract PolicyDecider open(RateLimitPolicy policy);

	/**
	 * Sets how many random traces to compare.
	 */
	protected abstract int traces();

	private PolicyDecider open(RateLimit limit) {
		return open(RateLimitPolicy.of("quota", limit));
	}

	private void moveTo(Instant moment) {
		clock().advanceNanos(nanos(Instant.EPOCH, moment) - clock().nanos());
	}

	private Instant now() {
		return Instant.EPOCH.plusNanos(clock().nanos());
	}

	private static long nanos(Instant from, Instant to) {
		return Duration.between(from, to).toNanos();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			K1 short day | P1D | Europe/Berlin | | 2026-03-29T10:00:00Z | 2026-03-28T23:00:00Z | 2026-03-29T22:00:00Z
			K2 long day | P1D | Europe/Berlin | | 2026-10-25T10:00:00Z | 2026-10-24T22:00:00Z | 2026-10-25T23:00:00Z
			K3 a day without midnight | P1D | America/Santiago | | 2026-09-06T10:00:00Z | 2026-09-06T04:00:00Z \
			| 2026-09-07T03:00:00Z
			K4 leap month | P1M | Europe/Berlin | | 2028-02-10T10:00:00Z | 2028-01-31T23:00:00Z | 2028-02-29T23:00:00Z
			K5 week | P1W | Europe/Berlin | | 2026-11-22T10:00:00Z | 2026-11-15T23:00:00Z | 2026-11-22T23:00:00Z
			K6 quarter hours | P1D | Asia/Kathmandu | | 2026-11-22T10:00:00Z | 2026-11-21T18:15:00Z \
			| 2026-11-22T18:15:00Z
			K7 billing day | P1M | UTC | 31 | 2027-02-10T10:00:00Z | 2027-01-31T00:00:00Z | 2027-02-28T00:00:00Z
			K7 after February | P1M | UTC | 31 | 2027-03-10T10:00:00Z | 2027-02-28T00:00:00Z | 2027-03-31T00:00:00Z
			K7 after March | P1M | UTC | 31 | 2027-04-10T10:00:00Z | 2027-03-31T00:00:00Z | 2027-04-30T00:00:00Z
			K7 after April | P1M | UTC | 31 | 2027-05-10T10:00:00Z | 2027-04-30T00:00:00Z | 2027-05-31T00:00:00Z
			billing day 15 | P1M | UTC | 15 | 2027-02-14T10:00:00Z | 2027-01-15T00:00:00Z | 2027-02-15T00:00:00Z
			week from Sunday | P1W | UTC | 7 | 2026-11-27T10:00:00Z | 2026-11-22T00:00:00Z | 2026-11-29T00:00:00Z
			year | P1Y | America/New_York | | 2026-11-22T10:00:00Z | 2026-01-01T05:00:00Z | 2027-01-01T05:00:00Z
			tax year | P1Y | Europe/London | 04-06 | 2027-04-05T10:00:00Z | 2026-04-05T23:00:00Z | 2027-04-05T23:00:00Z
			leap day | P1Y | UTC | 02-29 | 2026-11-22T10:00:00Z | 2026-02-28T00:00:00Z | 2027-02-28T00:00:00Z
			up to a day that is left out | P1D | Pacific/Apia | | 2011-12-30T09:00:00Z | 2011-12-29T10:00:00Z \
			| 2011-12-30T10:00:00Z
			""")
	void windowsAreTheCalendars(String name, String period, String zone, String from, Instant at, Instant begin,
			Instant end) {
		PolicyDecider states = open(CalendarModel.limit(2, period, zone, from));
		moveTo(begin.minus(TICK));
		RateLimitDecision before = states.decide("key", 1);
		assertThat(before.remaining()).isOne();
		assertThat(before.resetAfter()).isEqualTo(TICK);
		moveTo(begin);
		assertThat(states.decide("key", 0).remaining()).isEqualTo(2);
		assertThat(states.decide("key", 1).resetAfter()).isEqualTo(Duration.between(begin, end));
		moveTo(at);
		assertThat(states.decide("key", 1).remaining()).isZero();
		RateLimitDecision rejected = states.decide("key", 1);
		assertThat(rejected.allowed()).isFalse();
		assertThat(rejected.retryAfter()).isEqualTo(Duration.between(at, end));
		assertThat(rejected.nextPermitAfter()).isEqualTo(Duration.between(at, end));
		moveTo(end.minus(TICK));
		assertThat(states.decide("key", 1).retryAfter()).isEqualTo(TICK);
		moveTo(end);
		assertThat(states.decide("key", 1).remaining()).isOne();
	}

	@Test
	void decisionsAreThoseOfTheModel() {
		RandomCases.check(traces(), (random) -> {
			CalendarModel model = CalendarModel.random(random);
			long limit = 1 + random.nextInt(4);
			moveTo(model.moment(random));
			RateLimitPolicy policy = RateLimitPolicy.builder("quota")
				.limit(model.limit(limit))
				.charge("status >= 400")
				.build();
			new Trace(model, limit, open(policy), random).run();
		});
	}

	@Test
	void aQuotaOfTheMonthAndARateOfTheMinuteAreOneDecision() {
		moveTo(Instant.parse("2026-11-30T22:58:30Z"));
		PolicyDecider states = open(RateLimitPolicy.of("quota",
				RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 2, Duration.ofMinutes(1)),
				CalendarModel.limit(3, "P1M", "Europe/Berlin", null)));
		assertThat(states.decide("key", 2).allowed()).isTrue();
		assertThat(states.decide("key", 1).retryAfter()).isEqualTo(Duration.ofSeconds(30));
		clock().advance(Duration.ofSeconds(30));
		assertThat(states.decide("key", 2).retryAfter()).isEqualTo(Duration.ofMinutes(1));
		assertThat(states.decide("key", 1).limits()).extracting(LimitStatus::remaining).containsExactly(1L, 0L);
		assertThat(states.decide("key", 1).retryAfter()).isEqualTo(Duration.ofMinutes(1));
		clock().advance(Duration.ofMinutes(1));
		assertThat(states.decide("key", 0).limits()).extracting(LimitStatus::remaining).containsExactly(2L, 3L);
	}

	@Test
	void theLargestLimitIsCountedWithItsDebt() {
		moveTo(Instant.parse("2080-06-01T00:00:00Z"));
		for (String period : new String[] { "P1D", "P1W", "P1M", "P1Y" }) {
			long days = Map.of("P1D", 1L, "P1W", 7L, "P1M", 31L, "P1Y", 366L).get(period);
			long most = Duration.ofDays(days).toSeconds() * 1_000_000;
			PolicyDecider states = open(RateLimitPolicy.builder(period)
				.limit(CalendarModel.limit(most, period, "UTC", null))
				.charge("true")
				.build());
			RateLimitDecision given = states.decide("key", most - 1);
			assertThat(given.remaining()).isOne();
			states.settle("key", most - 1, 3 * most, given);
			assertThat(states.decide("key", 1).allowed()).isFalse();
			states.settle("key", most, 0, given);
			assertThat(states.decide("key", 0).remaining()).isZero();
			states.settle("key", most, 0, given);
			assertThat(states.decide("key", 0).remaining()).isEqualTo(most);
		}
	}

	@Test
	void aBanIsNotBoundToTheWindow() {
		moveTo(Instant.parse("2026-11-30T22:59:59Z"));
		PolicyDecider states = open(RateLimitPolicy.builder("quota")
			.limit(CalendarModel.limit(1, "P1M", "Europe/Berlin", null))
			.ban(new RateLimitBan(2, Duration.ofMinutes(10), Duration.ofMinutes(5), 2, Duration.ofDays(1)))
			.build());
		assertThat(states.decide("key", 1).allowed()).isTrue();
		assertThat(states.decide("key", 1).retryAfter()).isEqualTo(Duration.ofSeconds(1));
		assertThat(states.decide("key", 1).banned()).isTrue();
		clock().advance(Duration.ofSeconds(1));
		assertThat(states.decide("key", 1).banned()).isTrue();
		clock().advance(Duration.ofMinutes(5));
		assertThat(states.decide("key", 1).allowed()).isTrue();
	}

	@Test
	void aClockThatIsSetBackOverABoundaryGivesNothing() {
		Instant boundary = Instant.parse("2026-11-30T23:00:00Z");
		moveTo(boundary.minusSeconds(1));
		PolicyDecider states = open(CalendarModel.limit(2, "P1M", "Europe/Berlin", null));
		states.decide("key", 1);
		moveTo(boundary.plusSeconds(1));
		states.decide("key", 1);
		states.decide("key", 1);
		moveTo(boundary.minusSeconds(1));
		assertThat(states.decide("key", 1).allowed()).isFalse();
		assertThat(states.decide("key", 0).remaining()).isZero();
	}

	/**
	 * Asks a store and the model the same at random moments.
	 */
	private final class Trace {

		private final Map<Instant, Long> counts = new HashMap<>();

		private final CalendarModel model;

		private final long limit;

		private final PolicyDecider states;

		private final Random random;

		Trace(CalendarModel model, long limit, PolicyDecider states, Random random) {
			this.model = model;
			this.limit = limit;
			this.states = states;
			this.random = random;
		}

		void run() {
			for (int i = 0; i < 20; i++) {
				long permits = this.random.nextInt(3);
				RateLimitDecision decision = check(permits);
				if (decision.allowed() && permits > 0 && this.random.nextInt(3) == 0) {
					settle(permits, decision);
				}
				if (this.random.nextInt(3) == 0) {
					wait(now(), this.model.start(now()), this.model.end(now()));
				}
			}
		}

		private void wait(Instant now, Instant start, Instant end) {
			switch (this.random.nextInt(4)) {
				case 0 -> moveTo(now.plusSeconds(this.random.nextInt(4000)));
				case 1 -> moveTo(end.minus(TICK));
				case 2 -> moveTo(end);
				default -> moveTo(now.plus(Duration.between(start, end).multipliedBy(this.random.nextInt(4))));
			}
		}

		private RateLimitDecision check(long permits) {
			Instant start = this.model.start(now());
			long count = this.counts.getOrDefault(start, 0L);
			boolean allowed = permits == 0 || count + permits <= this.limit;
			count += allowed ? permits : 0;
			this.counts.put(start, count);
			RateLimitDecision decision = this.states.decide("key", permits);
			long rest = nanos(now(), this.model.end(now()));
			assertThat(decision.allowed()).as(as(permits)).isEqualTo(allowed);
			assertThat(decision.remaining()).as(as(permits)).isEqualTo(Math.max(0, this.limit - count));
			assertThat(decision.resetAfterNanos()).as(as(permits)).isEqualTo((count > 0) ? rest : 0);
			assertThat(decision.nextPermitAfterNanos()).as(as(permits)).isEqualTo((count > 0) ? rest : 0);
			if (!allowed) {
				assertThat(decision.retryAfterNanos()).as(as(permits))
					.isEqualTo((permits <= this.limit) ? rest : RateLimitDecision.NEVER);
			}
			return decision;
		}

		private void settle(long permits, RateLimitDecision given) {
			Instant taken = this.model.start(now());
			if (this.random.nextInt(4) == 0) {
				wait(now(), this.model.start(now()), this.model.end(now()));
			}
			long used = this.random.nextInt(5);
			this.states.settle("key", permits, used, given);
			Instant start = this.model.start(now());
			long count = this.counts.getOrDefault(start, 0L);
			long more = used - permits;
			if (more > 0) {
				this.counts.put(start, Math.max(count, Math.min(2 * this.limit, count + more)));
			}
			else if (start.equals(taken)) {
				this.counts.put(start, Math.max(0, count + more));
			}
		}

		private String as(long permits) {
			return permits + " permits of " + this.limit + " at " + now() + ", " + this.model;
		}

	}

}
