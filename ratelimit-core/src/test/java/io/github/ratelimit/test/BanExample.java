package io.github.ratelimit.test;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;

/**
 * An example of bans that was worked out by hand: one request a minute, and a ban after
 * three rejections within ten minutes. The key is new and the day begins when the example
 * does.
 *
 * @param name the example
 * @param arrivals seconds since the example's beginning, {@code reset} and a time to
 * reset the key, {@code look} and a time to look at it
 * @param outcomes for each arrival {@code A} allowed, {@code R} rejected, {@code ban 2
 * for 600} if that begins its second ban, {@code banned 203} while it has so many seconds
 * left; of a look what is left and, after a slash, how long it is so
 */
record BanExample(String name, List<String> arrivals, List<String> outcomes) {

	private static final String B1 = "0 A, 1 R, 2 R, 3 ban 1 for 300";

	private static final String B2 = B1 + ", 100 banned 203, look 100 0/203, 302.999 banned 0.001, 303 A";

	private static final String B3 = B2 + ", 304 R, 305 R, 306 ban 2 for 600";

	private static final String B4 = B3 + ", 906 A, 907 R, 908 R, 909 ban 3 for 1200";

	static Stream<BanExample> all() {
		return Stream.of(example("B1", B1), example("B2", B2), example("B3", B3), example("B4", B4),
				example("B5 forgotten", B4 + ", 3309 A, 3310 R, 3311 R, 3312 ban 1 for 300"),
				example("B5 and one rejection earlier",
						B4 + ", 2400 A, 3308.999 A, 3308.999 R, 3310 R, 3311 ban 4 for 2400"),
				example("B6 too spread", "0 A, 1 R, 2 R, 600 A, 601 R, look 601 0/59"),
				example("B6 and those at 2, 601 and 601.999 are within",
						"0 A, 1 R, 2 R, 600 A, 601 R, 601.999 ban 1 for 300"),
				example("B8", B1 + ", 100 banned 203, reset 100, 100 A, 101 R, 102 R, 103 ban 1 for 300"));
	}

	private static BanExample example(String name, String steps) {
		List<String> each = Arrays.asList(steps.split(", "));
		return new BanExample(name, each.stream().map(BanExample::arrival).toList(),
				each.stream().map((step) -> step.substring(arrival(step).length()).trim()).toList());
	}

	private static String arrival(String step) {
		String[] words = step.split(" ");
		return Character.isDigit(step.charAt(0)) ? words[0] : words[0] + " " + words[1];
	}

	static RateLimitPolicy policy() {
		return RateLimitPolicy.builder("bans")
			.limit(RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 1, Duration.ofMinutes(1)))
			.ban(new RateLimitBan(3, Duration.ofMinutes(10), Duration.ofMinutes(5), 2, Duration.ofDays(1)))
			.build();
	}

	/**
	 * Runs the example.
	 * @param states the policy's states
	 * @param wait moves the clock to a number of nanoseconds after the beginning
	 * @return the outcome of each arrival
	 */
	List<String> run(PolicyDecider states, LongConsumer wait) {
		List<String> outcomes = new ArrayList<>();
		for (String arrival : this.arrivals) {
			String[] words = arrival.split(" ");
			wait.accept(new BigDecimal(words[words.length - 1]).movePointRight(9).longValueExact());
			switch (words[0]) {
				case "reset" -> {
					states.reset("key");
					outcomes.add("");
				}
				case "look" -> {
					RateLimitDecision look = states.decide("key", 0);
					outcomes.add(look.remaining() + "/" + seconds(look.nextPermitAfterNanos()));
				}
				default -> outcomes.add(outcome(states.decide("key", 1)));
			}
		}
		return outcomes;
	}

	private static String outcome(RateLimitDecision decision) {
		String retry = seconds(decision.retryAfterNanos());
		return decision.allowed() ? "A" : (decision.newBan() > 0) ? "ban " + decision.newBan() + " for " + retry
				: decision.banned() ? "banned " + retry : "R";
	}

	private static String seconds(long nanos) {
		return BigDecimal.valueOf(nanos, 9).stripTrailingZeros().toPlainString();
	}

	@Override
	public String toString() {
		return this.name;
	}

}
