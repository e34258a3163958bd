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

	static final String TOKEN_BUCKET = name(RateLimitAlgorithm.TOKEN_BUCKET);

	static final String NOT_JOINED = "token bucket, not joined";

	static final String BATCHING = "bucket4j, batching";

	static final String REDISSON = "Redisson";

	private Entrants() {
	}

	static List<Entrant> of(Situation situation) {
		List<Entrant> entrants = new ArrayList<>();
		entrants.add(new Entrant(Table.FLOOR, false, Floor::new));
		algorithms(situation.budget()).forEach((algorithm) -> entrants
			.add(Entrant.of(name(algorithm), (task) -> new Ours(task, Duration.ZERO, algorithm))));
		entrants.add(Entrant.of(NOT_JOINED, Ours::notJoined));
		if (!situation.threads()) {
			entrants.add(Entrant.of("token bucket, as WebFlux asks", (task) -> new Rules(task, 1)));
		}
		if (situation != Situation.HOTTEST_LATER) {
			// where so many compare and set, nearly all try in vain
			entrants.add(Entrant.of("bucket4j", (task) -> new Bucket4j(task, Optimization.NONE_OPTIMIZED, 1)));
		}
		entrants.add(Entrant.of(BATCHING, (task) -> new Bucket4j(task, Optimizations.batching(), 1)));
		entrants.add(Entrant.of(REDISSON, Redisson::new));
		if (situation == Situation.HOT || situation == Situation.REJECTED) {
			entrants.addAll(others(situation));
		}
		return entrants;
	}

	private static List<Entrant> others(Situation situation) {
		// what is charged nothing is never rejected
		Entrant either = situation.allowed() ? Entrant.of("token bucket, charged nothing", Ours::charged)
				: remembering();
		return List.of(
				Entrant.of(TWO_LIMITS,
						(task) -> new Ours(task, Duration.ZERO, RateLimitAlgorithm.TOKEN_BUCKET,
								RateLimitAlgorithm.FIXED_WINDOW_COUNTER)),
				Entrant.of(TWO_RULES, (task) -> new Rules(task, 2)),
				Entrant.of(THREE_RULES, (task) -> new Rules(task, 3)),
				Entrant.of("token bucket, another in shadow", Ours::shadowed),
				Entrant.of("token bucket, banning", Ours::banning),
				Entrant.of("token bucket, in three plans", Ours::planned), either,
				Entrant.of("bucket4j, two buckets", (task) -> new Bucket4j(task, Optimization.NONE_OPTIMIZED, 2)),
				Entrant.of("bucket4j, three buckets", (task) -> new Bucket4j(task, Optimization.NONE_OPTIMIZED, 3)),
				Entrant.of("script as Gateway's", ScriptByHand::gateway),
				Entrant.of("script by hand, GCRA", ScriptByHand::gcra));
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
	static String[] oneLimit(Budget budget) {
		return algorithms(budget).map(Entrants::name).toArray(String[]::new);
	}

	private static Stream<RateLimitAlgorithm> algorithms(Budget budget) {
		return Stream.of(RateLimitAlgorithm.values())
			.filter((algorithm) -> budget != Budget.ENDLESS || algorithm != RateLimitAlgorithm.SLIDING_WINDOW_LOG);
	}

	static String name(RateLimitAlgorithm algorithm) {
		return algorithm.name().toLowerCase(Locale.ROOT).replace('_', ' ');
	}

}
