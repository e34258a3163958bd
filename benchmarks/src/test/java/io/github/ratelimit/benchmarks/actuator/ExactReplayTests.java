package io.github.ratelimit.benchmarks.actuator;

import java.math.BigDecimal;
import java.util.List;

import io.github.ratelimit.advice.Advice.Curve;
import io.github.ratelimit.advice.Advice.Point;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the advisor is compared with is right.
 */
class ExactReplayTests {

	private final ExactReplay replay = new ExactReplay(
			List.of(new Curve(1, BigDecimal.ONE, List.of(new Point(1, 0, 0), new Point(3, 0, 0))),
					new Curve(10, BigDecimal.ONE, List.of(new Point(1, 0, 0), new Point(3, 0, 0)))));

	@Test
	void everyCallerHasBucketsOfItsOwn() {
		this.replay.replay(requests(0, 0, 0.5, 1, 1.5));
		this.replay.replay(requests(0, 2, 4, 6, 8));
		assertThat(this.replay.callers(0, 0)).isEqualTo(0.5);
		assertThat(this.replay.requests(0, 0)).isEqualTo(0.3);
		assertThat(this.replay.callers(0, 1)).isEqualTo(0.5);
		assertThat(this.replay.requests(0, 1)).isEqualTo(0.1);
		assertThat(this.replay.requests(1, 0)).isEqualTo(0.1);
		assertThat(this.replay.requests(1, 1)).isZero();
	}

	@Test
	void aRequestOfTwoPermitsNeedsBothOfThem() {
		Requests requests = new Requests();
		requests.add(0, 0, 2);
		requests.add(0, 0, 2);
		requests.add(0, 1, 2);
		this.replay.replay(requests);
		assertThat(this.replay.requests(0, 0)).isEqualTo(1);
		assertThat(this.replay.requests(0, 1)).isEqualTo(1 / 3.0);
	}

	private static Requests requests(double... seconds) {
		Requests requests = new Requests();
		for (double second : seconds) {
			requests.add(0, second, 1);
		}
		return requests;
	}

}
