package io.github.ratelimit.benchmarks.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import io.github.bucket4j.distributed.proxy.optimization.Optimization;
import io.github.bucket4j.distributed.proxy.optimization.Optimizations;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.benchmarks.measure.Table;

/**
 * Everybody who takes part.
 */
final class Entrants {

	static final String TWO_LIMITS = "two limits";

	static final String TWO_RULES = "two rules";

	static final String THREE_RULES = "three rules";

	static final String REMEMBERED = "token bucket, rejection remembered";

	static final String PLANNED = "token bucket, in three plans";

	static final String BUCKET4J = "bucket4j";

	private Entrants() {
	}

	static List<Entrant> of(Situation situation) {
		List<Entrant> entrants = new ArrayList<>();
		entrants.add(new Entrant(Table.FLOOR, false, Floor::new));
		entrants.add(new Entrant("floor, Spring Data Redis' template", false, Template::new));
		for (RateLimitAlgorithm algorithm : RateLimitAlgorithm.values()) {
			entrants.add(Entrant.of(name(algorithm), (task) -> new Ours(task, Duration.ZERO, algorithm)));
		}
		entrants.add(Entrant.of(TWO_LIMITS, (task) -> new Ours(task, Duration.ZERO, RateLimitAlgorithm.TOKEN_BUCKET,
				RateLimitAlgorithm.FIXED_WINDOW_COUNTER)));
		entrants.add(Entrant.of(TWO_RULES, (task) -> new Rules(task, 2)));
		entrants.add(Entrant.of(THREE_RULES, (task) -> new Rules(task, 3)));
		entrants.add(Entrant.of("token bucket, another in shadow", Ours::shadowed));
		entrants.add(Entrant.of("token bucket, banning", Ours::banning));
		entrants.add(Entrant.of(PLANNED, Ours::planned));
		if (situation.allowed()) {
			// what is charged nothing is never rejected
			entrants.add(Entrant.of("token bucket, charged nothing", Ours::charged));
		}
		else {
			entrants.add(remembering());
		}
		entrants.add(Entrant.of(BUCKET4J, (task) -> new Bucket4j(task, Optimization.NONE_OPTIMIZED)));
		entrants.add(Entrant.of("bucket4j, batching", (task) -> new Bucket4j(task, Optimizations.batching())));
		entrants.add(Entrant.of("bucket4j, two buckets", (task) -> new Bucket4j(task, Optimization.NONE_OPTIMIZED, 2)));
		entrants
			.add(Entrant.of("bucket4j, three buckets", (task) -> new Bucket4j(task, Optimization.NONE_OPTIMIZED, 3)));
		entrants.add(Entrant.of("Redisson", Redisson::new));
		entrants.add(Entrant.of("script as Gateway's", Gateway::new));
		entrants.add(Entrant.of("script by hand, GCRA", Gcra::new));
		return entrants;
	}

	/**
	 * This library with its usual memory of rejections.
	 */
	static Entrant remembering() {
		return Entrant.of(REMEMBERED, (task) -> new Ours(task, Duration.ofSeconds(1), RateLimitAlgorithm.TOKEN_BUCKET));
	}

	/**
	 * The contenders that are this library with one limit.
	 */
	static String[] oneLimit() {
		return Stream.of(RateLimitAlgorithm.values()).map(Entrants::name).toArray(String[]::new);
	}

	private static String name(RateLimitAlgorithm algorithm) {
		return algorithm.name().toLowerCase(Locale.ROOT).replace('_', ' ');
	}

}
