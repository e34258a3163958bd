package io.github.ratelimit.benchmarks.actuator;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

import io.github.ratelimit.advice.Advice;
import io.github.ratelimit.benchmarks.measure.Estimate;
import io.github.ratelimit.benchmarks.measure.Goal;
import io.github.ratelimit.benchmarks.measure.Measurement;
import io.github.ratelimit.benchmarks.measure.Mode;
import io.github.ratelimit.benchmarks.measure.Table;

/**
 * What the advisor says of traces, beside what exact buckets of every caller say. Each
 * time, it samples other callers.
 */
final class AdviceAccuracy {

	private static final String SITUATION = "advice, beside an exact replay";

	private static final String CALLERS = "largest error in the share of callers";

	private static final String CALLERS_OF_FEW = "largest error in the share of callers, of limits that reject at most 5 % of them";

	private static final String REQUESTS = "largest error in the share of requests that is above 0.2 points";

	private AdviceAccuracy() {
	}

	static List<Table> tables() {
		return List.of(table(CALLERS_OF_FEW, 0.5), table(CALLERS, 0.5), table(REQUESTS, 10));
	}

	private static Table table(String metric, double most) {
		return Table.ofFigures(SITUATION, metric).goal(Goal.atMost(most), Trace.ZIPF, Trace.DIURNAL, Trace.BOTS);
	}

	static List<Measurement> measure(Mode mode) {
		int runs = switch (mode) {
			case SMOKE -> 1;
			case QUICK -> 5;
			case FULL -> 9;
		};
		List<Advice.Curve> curves = Observer.advice(new Requests()).curves();
		List<Measurement> figures = new ArrayList<>();
		for (Trace trace : Trace.all(mode)) {
			ExactReplay exact = new ExactReplay(curves);
			Requests requests = trace.play(exact);
			List<AdviceError> errors = Stream.generate(() -> AdviceError.of(Observer.advice(requests), exact))
				.limit(runs)
				.toList();
			figures.add(figure(trace, CALLERS, errors, AdviceError::callers, "points"));
			figures.add(figure(trace, CALLERS_OF_FEW, errors, AdviceError::callersOfFew, "points"));
			figures.add(figure(trace, REQUESTS, errors, AdviceError::requests, "% of it"));
		}
		return figures;
	}

	private static Measurement figure(Trace trace, String metric, List<AdviceError> errors,
			ToDoubleFunction<AdviceError> share, String unit) {
		return Estimate.of(errors.stream().mapToDouble((error) -> 100 * share.applyAsDouble(error)).toArray())
			.as(SITUATION, trace.title(), metric, unit);
	}

}
