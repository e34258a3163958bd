package io.github.ratelimit.benchmarks.actuator;

import java.util.List;

import io.github.ratelimit.advice.Advice;
import io.github.ratelimit.benchmarks.measure.Mode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An error is seen as one, and without one there is none.
 */
class AdviceAccuracyTests {

	private static final List<Advice.Curve> CURVES = Observer.advice(new Requests()).curves();

	@Test
	void someOfTheTrafficIsRejectedAndSomeIsNot() {
		for (Trace trace : Trace.all(Mode.SMOKE)) {
			ExactReplay exact = new ExactReplay(CURVES);
			Requests requests = trace.play(exact);
			assertThat(requests.size()).as(trace.title()).isGreaterThan(trace.callers());
			assertThat(exact.requests(0, 0)).as(trace.title()).isBetween(0.01, 0.99);
			assertThat(exact.callers(0, 0)).as(trace.title()).isBetween(0.001, 0.999);
		}
	}

	@Test
	void requestsComeInTheOrderOfTheirTime() {
		Requests requests = Trace.all(Mode.SMOKE).get(1).play(new ExactReplay(CURVES));
		for (int i = 1; i < requests.size(); i++) {
			assertThat(requests.micros(i)).isGreaterThanOrEqualTo(requests.micros(i - 1));
		}
	}

	@Test
	void fewCallersAreKnownExactly() {
		for (Trace trace : Trace.all(Mode.SMOKE)) {
			ExactReplay exact = new ExactReplay(CURVES);
			AdviceError error = AdviceError.of(Observer.advice(trace.play(exact)), exact);
			assertThat(error.callers()).as(trace.title()).isLessThan(0.005);
			assertThat(error.requests()).as(trace.title()).isLessThan(0.1);
		}
	}

	@Test
	void adviceOnOtherTrafficIsWrong() {
		List<Trace> traces = Trace.all(Mode.SMOKE);
		ExactReplay exact = new ExactReplay(CURVES);
		traces.get(1).play(exact);
		Advice other = Observer.advice(traces.get(2).play(new ExactReplay(CURVES)));
		AdviceError error = AdviceError.of(other, exact);
		assertThat(error.callers()).isGreaterThan(0.1);
		assertThat(error.requests()).isGreaterThan(0.5);
	}

}
