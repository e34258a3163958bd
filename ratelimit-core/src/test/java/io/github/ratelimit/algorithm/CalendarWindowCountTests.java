package io.github.ratelimit.algorithm;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;

import com.sun.management.ThreadMXBean;
import io.github.ratelimit.CalendarModel;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.test.model.RandomCases;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link WindowCount} of a calendar.
 */
class CalendarWindowCountTests {

	private static final Instant NOW = Instant.parse("2026-11-22T12:00:00Z");

	private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

	/*
	 * A store reads words that another thread is moving, and looks afterwards whether
	 * they have changed.
	 */
	@ParameterizedTest
	@EnumSource
	void whateverAWordIsItCanBeRead(Tick tick) {
		long now = tick.ticks(NOW);
		RandomCases.check(2000, (random) -> {
			RateLimit limit = CalendarModel.random(random).limit(1 + random.nextInt(1000));
			Algorithm algorithm = Algorithm.of(limit, tick, random.nextBoolean());
			long[] state = algorithm.create(now);
			long good = state[1];
			state[1] = random.nextLong() >>> random.nextInt(Long.SIZE);
			boolean admits = algorithm.admits(state, 0, now, 1);
			algorithm.decision(state, 0, now, 1, admits, null);
			algorithm.isIdle(state, 0, now);
			state[1] = good;
			assertThat(algorithm.admits(state, 0, now, 1)).isTrue();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "P1D", "P1W", "P1M", "P1Y" })
	void aWordOfTheFarFutureLeavesThePresentWindowAtHand(String period) {
		WindowCount windows = windows(period);
		long now = Tick.NANOSECOND.ticks(NOW);
		long index = windows.indexAt(now);
		windows.end(2 * index);
		windows.indexAt(now - Duration.ofDays(1000).toNanos());
		assertThat(bytes(windows, now)).isLessThan(bytes(windows, now - Duration.ofDays(1000).toNanos()) / 10);
	}

	private static WindowCount windows(String period) {
		return new WindowCount(CalendarModel.limit(10, period, "Europe/Berlin", null), Tick.NANOSECOND);
	}

	private long bytes(WindowCount windows, long moment) {
		long before = this.threads.getCurrentThreadAllocatedBytes();
		for (int i = 0; i < 1000; i++) {
			windows.indexAt(moment);
		}
		return this.threads.getCurrentThreadAllocatedBytes() - before;
	}

	@Test
	void aWindowIsFoundByItsNumber() {
		RandomCases.check(3000, (random) -> {
			CalendarModel model = CalendarModel.random(random);
			WindowCount windows = new WindowCount(model.limit(10), Tick.MICROSECOND);
			long moment = Tick.MICROSECOND.ticks(model.moment(random));
			Instant instant = Tick.MICROSECOND.instant(moment);
			long index = windows.indexAt(moment);
			windows.indexAt(moment + Duration.ofDays(800).toMillis() * 1000);
			assertThat(windows.start(index)).isEqualTo(Tick.MICROSECOND.ticks(model.start(instant)));
			assertThat(windows.end(index)).isEqualTo(Tick.MICROSECOND.ticks(model.end(instant)));
			assertThat(windows.indexAt(windows.end(index))).isGreaterThan(index);
			assertThat(windows.indexAt(windows.end(index) - 1)).isEqualTo(index);
		});
	}

}
