package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;

/**
 * One limit's part in its policy's scripts: the files that decide on it, their numbers,
 * and the reading of their answer.
 */
abstract class LimitScript {

	private static final long NANOS_PER_MICRO = 1000;

	private final long capacity;

	LimitScript(RateLimit limit) {
		this.capacity = limit.capacity();
	}

	/**
	 * Prepares a policy's limits.
	 * @throws InvalidRateLimitException if one cannot be counted in Redis
	 */
	static List<LimitScript> of(List<RateLimit> limits) {
		List<LimitScript> scripts = new ArrayList<>(limits.size());
		for (int i = 0; i < limits.size(); i++) {
			try {
				scripts.add(of(limits.get(i)));
			}
			catch (InvalidRateLimitException ex) {
				throw ex.inLimit(i);
			}
		}
		return List.copyOf(scripts);
	}

	static LimitScript of(RateLimit limit) {
		return switch (limit.algorithm()) {
			case TOKEN_BUCKET, LEAKY_BUCKET -> new BucketScript(limit);
			case FIXED_WINDOW_COUNTER -> new FixedWindowScript(limit);
			case SLIDING_WINDOW_COUNTER -> new SlidingWindowScript(limit);
			case SLIDING_WINDOW_LOG -> new LogScript(limit);
		};
	}

	/**
	 * The names of the files. A section in a later one stands for that in an earlier one.
	 */
	abstract List<String> files();

	/**
	 * The letter that the limit's stored state begins with.
	 */
	abstract char kind();

	/**
	 * The numbers that the files name, by their names without the {@code _n}.
	 * @param most the most permits that can pass all limits of the policy at once
	 * @param atOnce whether they are for requests that cannot wait
	 */
	abstract Map<String, Long> numbers(long most, boolean atOnce);

	/**
	 * The numbers in the order in which the last of the files that names them does.
	 */
	final Stream<Long> packed(long most, boolean atOnce) {
		Map<String, Long> numbers = numbers(most, atOnce);
		String[] names = {};
		for (String file : files()) {
			ScriptSections sections = ScriptSections.ofFile(file);
			names = sections.has("numbers") ? sections.values("numbers") : names;
		}
		return Stream.of(names).map((name) -> numbers.get(name.substring(0, name.length() - 2)));
	}

	/**
	 * Whether the limit keeps a log, which is a key of its own.
	 */
	boolean keepsLog() {
		return false;
	}

	final long capacity() {
		return this.capacity;
	}

	/**
	 * Reads a decision.
	 * @param answer where the limit's part of the answer begins
	 * @param now the moment of the decision
	 * @param permits how many permits the request cost, 0 for a look
	 * @param agrees whether the limit lets the request pass
	 */
	abstract RateLimitDecision decision(ByteBuffer answer, long now, long permits, boolean agrees);

	/**
	 * The limit as it is for requests that cannot wait.
	 */
	LimitScript withoutDelays() {
		return this;
	}

	/**
	 * How long a request would have to wait that was rejected because it cannot. Leaves
	 * the answer where it is.
	 * @param answer where the limit's part of the answer begins
	 * @param now the moment of the decision
	 * @param permits how many permits the request cost
	 * @return nanoseconds, or 0 if the limit rejects the request anyway
	 */
	long delayNanos(ByteBuffer answer, long now, long permits) {
		return 0;
	}

	static long number(ByteBuffer answer) {
		return (long) answer.getDouble();
	}

	static long micros(long nanos) {
		return nanos / NANOS_PER_MICRO;
	}

	static long nanos(long micros) {
		return micros * NANOS_PER_MICRO;
	}

}
