package io.github.ratelimit.advice;

import java.util.Random;

import io.github.ratelimit.test.model.RandomCases;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * Requests that are observed together, beside the same requests one by one.
 */
class TogetherTests {

	private static final long SECOND = 1_000_000_000L;

	/* Until then callers become more than are sampled. */
	private static final int FIRST = 200;

	private final Ladder ladder = Ladder.around(Replay.POLICY.limits().get(0));

	@Test
	void rejectedRequestsAreAsManyAsOfEachAlone() {
		RandomCases.check(20, (random) -> {
			RequestSample alone = requests();
			RequestSample together = requests();
			for (int i = 0; i < 2000; i++) {
				int count = (i < FIRST) ? 1 : 1 + random.nextInt(1 + random.nextInt(100));
				PendingRequests some = requests(random, i, count);
				together.observe(some);
				PendingRequests one = requests(some, 1);
				for (int k = 0; k < count; k++) {
					alone.observe(one);
				}
			}
			assertThat(together.rejected()).containsExactly(alone.rejected(), within(1e-6));
			assertThat(together.rejected()[0]).isPositive();
		});
	}

	/* So small that most callers are left out, and only then found to be busy. */
	private RequestSample requests() {
		return new RequestSample(this.ladder, new Drain(this.ladder), 8, 16, SECOND);
	}

	@Test
	void callersAreThoseOfEachAlone() {
		RandomCases.check(20, (random) -> {
			CallerSample alone = new CallerSample(this.ladder, new Drain(this.ladder), 20);
			CallerSample together = new CallerSample(this.ladder, new Drain(this.ladder), 20);
			for (int i = 0; i < 2000; i++) {
				PendingRequests some = requests(random, i, 1 + random.nextInt(3));
				together.observe(some.hash, some.time, some.cost * some.count);
				for (int k = 0; k < some.count; k++) {
					alone.observe(some.hash, some.time, some.cost);
				}
			}
			assertThat(together.rejected()).isEqualTo(alone.rejected());
			assertThat(together.rejected()[0]).isPositive();
		});
	}

	private PendingRequests requests(Random random, int second, int count) {
		PendingRequests some = new PendingRequests();
		long hash = (random.nextInt(30) * 0x9e3779b97f4a7c15L) >>> 1;
		some.start(hash, second * SECOND, this.ladder.units(1L << random.nextInt(4)), random.nextInt(3) == 0);
		some.count = count;
		return some;
	}

	private PendingRequests requests(PendingRequests others, int count) {
		PendingRequests some = new PendingRequests();
		some.start(others.hash, others.time, others.cost, others.drawn);
		some.count = count;
		return some;
	}

	@Test
	void requestsOfWhateverCostAreOneRejectionEach() {
		RequestSample sample = requests();
		PendingRequests pending = new PendingRequests();
		for (int permits = 1; permits <= 7; permits++) {
			pending.start(1, SECOND, this.ladder.units(permits), false);
			sample.observe(pending);
		}
		// 1, 2, and then 3 to 7 are too many
		assertThat(this.ladder.bursts[0]).isEqualTo(5);
		assertThat(sample.rejected()[Ladder.RATES - 1]).isEqualTo(5);
		assertThat(sample.rejected()[Ladder.RATES]).isEqualTo(3);
	}

	@Test
	void requestsThatAreNotAlikeAreNotPutTogether() {
		PendingRequests pending = new PendingRequests();
		int tick = 100;
		assertThat(pending.add(0, 0, 0, false, tick)).isFalse();
		pending.start(7, 50, 4, false);
		assertThat(pending.add(7, 50, 4, true, tick)).isTrue();
		assertThat(pending.add(7, 149, 4, false, tick)).isTrue();
		assertThat(pending.add(7, 150, 4, false, tick)).isFalse();
		assertThat(pending.add(8, 60, 4, false, tick)).isFalse();
		assertThat(pending.add(7, 60, 2, false, tick)).isFalse();
		assertThat(pending.count).isEqualTo(3);
		assertThat(pending.drawn).isTrue();
		pending.start(7, 50, 3, false);
		assertThat(pending.add(7, 50, 3, false, tick)).isFalse();
		pending.start(7, 50, Ladder.MOST_UNITS / 2, false);
		assertThat(pending.add(7, 50, Ladder.MOST_UNITS / 2, false, tick)).isTrue();
		assertThat(pending.add(7, 50, Ladder.MOST_UNITS / 2, false, tick)).isFalse();
	}

}
