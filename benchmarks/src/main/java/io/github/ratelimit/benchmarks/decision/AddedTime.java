package io.github.ratelimit.benchmarks.decision;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import io.github.ratelimit.benchmarks.measure.Goal;
import io.github.ratelimit.benchmarks.measure.Measurement;
import io.github.ratelimit.benchmarks.measure.Table;

/**
 * What a decision of a token bucket takes longer if its policy does something besides.
 */
final class AddedTime {

	private static final String METRIC = "time beyond that of the token bucket";

	private static final Set<Contender> BESIDES = EnumSet.range(Contender.CHARGED, Contender.OBSERVED);

	private AddedTime() {
	}

	static Table table(String situation) {
		return Table.ofFigures(situation, METRIC).goal(Goal.atMost(20), Contender.OBSERVED.label());
	}

	/**
	 * Subtracts.
	 * @param measured times and other figures
	 * @return for each time of a policy that does more, the difference
	 */
	static List<Measurement> of(List<Measurement> measured) {
		List<Measurement> added = new ArrayList<>();
		for (Measurement plain : measured) {
			if (isTime(plain, Contender.TOKEN_BUCKET)) {
				for (Contender contender : BESIDES) {
					measured.stream()
						.filter((figure) -> isTime(figure, contender) && figure.situation().equals(plain.situation()))
						.map((figure) -> difference(figure, plain))
						.forEach(added::add);
				}
			}
		}
		return added;
	}

	private static boolean isTime(Measurement measured, Contender contender) {
		return measured.metric().equals(JmhRounds.TIME) && measured.contender().equals(contender.label());
	}

	private static Measurement difference(Measurement more, Measurement plain) {
		return new Measurement(more.situation(), more.contender(), METRIC, more.value() - plain.value(),
				Math.hypot(more.error(), plain.error()), more.unit());
	}

}
