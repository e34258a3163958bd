package io.github.ratelimit.test;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;

/**
 * An example of charging by outcome that was worked out by hand. The key is new and the
 * day begins when the example does.
 *
 * @param name the example
 * @param policy the policy
 * @param steps seconds since the example's beginning and what happens then:
 * {@code a takes 3} permits, {@code a used 0} of them in the end, or a look at what is
 * {@code left}
 * @param outcomes of each step: {@code A} allowed, {@code R} rejected and after how many
 * seconds to retry, the number that is left of each limit, or nothing of a settlement
 */
record SettlementExample(String name, RateLimitPolicy policy, List<String> steps, List<String> outcomes) {

	static Stream<SettlementExample> all() {
		List<SettlementExample> all = new ArrayList<>();
		RateLimit logins = limit(SLIDING_WINDOW_LOG, 5).window(ofMinutes(15)).build();
		all.add(example("O1 failed logins",
				"0 a takes 1: A, 0 a used 1, 10 b takes 1: A, 10 b used 0, "
						+ "20 c takes 1: A, 20 c used 1, 30 d takes 1: A, 30 d used 1, 40 e takes 1: A, 40 e used 0, "
						+ "50 f takes 1: A, 50 f used 1, 60 g takes 1: A, 60 g used 1, 70 h takes 1: R 830, "
						+ "899.999999 h takes 1: R 0.000001, 900 h takes 1: A",
				logins));
		all.add(example("O5 known afterwards",
				"0 a takes 100: A, 5 a used 2500, 5 left: 7500, 6 b takes 7450: A, 6 b used 7450, 6 left: 50, "
						+ "6 c takes 100: R 86394",
				limit(FIXED_WINDOW_COUNTER, 10_000).window(ofDays(1)).build()));
		RateLimit bucket = limit(TOKEN_BUCKET, 10).window(ofMinutes(1)).build();
		all.add(example("O6 debt",
				"0 a takes 1: A, 0 a used 8, 0 b takes 1: A, 0 b used 8, 0 left: 0, 0 c takes 1: R 42, "
						+ "41.999 left: 0, 41.999 c takes 1: R 0.001, 42 left: 1, 42 c takes 1: A",
				bucket));
		all.add(example("O7 debt is bounded",
				"0 a takes 1: A, 0 a used 1000000, 0 b takes 1: R 66, 0 b takes 10: R 120, 66 b takes 1: A", bucket));
		all.add(example("O8 debt ends with a fixed window",
				"43201 a takes 1: A, 43202 a used 25, 43202 left: 0, 43202 b takes 1: R 58, "
						+ "43259.999999 b takes 1: R 0.000001, 43260 left: 10",
				limit(FIXED_WINDOW_COUNTER, 10).window(ofMinutes(1)).build()));
		all.add(example("O9 others came between",
				"0 a takes 3: A, 35 b takes 4: A, 35.5 a used 0, 35.5 left: 1, 35.5 c takes 2: R 12",
				limit(TOKEN_BUCKET, 5).window(ofMinutes(1)).build()));
		RateLimit window = limit(FIXED_WINDOW_COUNTER, 5).window(ofMinutes(1)).build();
		all.add(example("O10 window is over", "43259.9 a takes 1: A, 43260.1 a used 0, 43260.1 left: 5", window));
		all.add(example("O10 and others have begun the next",
				"43259.9 a takes 1: A, 43260 b takes 2: A, 43260.1 a used 0, 43260.1 left: 3", window));
		RateLimit estimate = limit(SLIDING_WINDOW_COUNTER, 10).window(ofMinutes(1)).build();
		all.add(example("O11 sliding counter", "43250 a takes 4: A, 43275 left: 7, 43275 a used 0, 43275 left: 10",
				estimate));
		all.add(example("O11 and others have begun the next",
				"43250 a takes 4: A, 43270 b takes 1: A, 43275 a used 0, 43275 left: 9", estimate));
		all.add(example("O12 two limits", "0 left: 5 100, 0 a takes 1: A, 0 left: 4 99, 1 a used 0, 1 left: 5 100",
				limit(SLIDING_WINDOW_LOG, 5).window(ofMinutes(1)).build(),
				limit(TOKEN_BUCKET, 100).window(ofHours(1)).build()));
		all.add(example("O12 and each has a debt of its own",
				"0 a takes 1: A, 0 a used 50, 0 left: 0 50, 0 b takes 1: R 60, 59.999 b takes 1: R 0.001, "
						+ "60 left: 5 51",
				limit(SLIDING_WINDOW_LOG, 5).window(ofMinutes(1)).build(),
				limit(TOKEN_BUCKET, 100).window(ofHours(1)).build()));
		return all.stream();
	}

	private static RateLimit.Builder limit(RateLimitAlgorithm algorithm, long limit) {
		return RateLimit.builder(algorithm).limit(limit);
	}

	private static SettlementExample example(String name, String steps, RateLimit... limits) {
		RateLimitPolicy policy = RateLimitPolicy.builder("example").charge("status").limits(List.of(limits)).build();
		List<String> each = List.of(steps.split(", "));
		return new SettlementExample(name, policy, each.stream().map((step) -> step.split(": ")[0]).toList(),
				each.stream().map((step) -> step.contains(": ") ? step.split(": ")[1] : "").toList());
	}

	/**
	 * Runs the example.
	 * @param states the policy's states
	 * @param wait moves the clock to a number of nanoseconds after the beginning
	 * @return the outcome of each step
	 */
	List<String> run(PolicyDecider states, LongConsumer wait) {
		Map<String, RateLimitDecision> given = new HashMap<>();
		Map<String, Long> reserved = new HashMap<>();
		List<String> outcomes = new ArrayList<>();
		for (String step : this.steps) {
			String[] words = step.split(" ");
			wait.accept(new BigDecimal(words[0]).movePointRight(9).longValueExact());
			if (words[1].equals("left")) {
				outcomes.add(left(states.decide("key", 0)));
				continue;
			}
			String who = words[1];
			long permits = Long.parseLong(words[3]);
			if (words[2].equals("takes")) {
				given.put(who, states.decide("key", permits));
				reserved.put(who, permits);
				outcomes.add(outcome(given.get(who)));
			}
			else {
				states.settle("key", reserved.get(who), permits, given.get(who));
				outcomes.add("");
			}
		}
		return outcomes;
	}

	private static String left(RateLimitDecision look) {
		return look.limits().stream().map(LimitStatus::remaining).map(String::valueOf).collect(Collectors.joining(" "));
	}

	private static String outcome(RateLimitDecision decision) {
		return decision.allowed() ? "A"
				: "R " + BigDecimal.valueOf(decision.retryAfterNanos(), 9).stripTrailingZeros().toPlainString();
	}

	@Override
	public String toString() {
		return this.name;
	}

}
