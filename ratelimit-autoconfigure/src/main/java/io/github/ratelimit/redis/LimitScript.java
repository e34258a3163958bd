package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;

/**
 * One limit's part in its policy's scripts: the files that decide on it, their numbers,
 * and the reading of their answer.
 */
abstract class LimitScript {

	private static final long NANOS_PER_MICRO = 1000;

	private final long capacity;

	private final long window;

	/**
	 * Whether it is charged by outcome, and so may come to owe as much again as its
	 * capacity.
	 */
	final boolean charged;

	/**
	 * The letter that its stored state begins with.
	 */
	final char kind;

	/**
	 * The names of the files. A section in a later one stands for that in an earlier one.
	 */
	final List<String> files;

	/**
	 * Creates a limit's part.
	 * @param limit the limit
	 * @param charged whether it is charged by outcome, and so may come to owe as much
	 * again as its capacity
	 * @param kind the letter that its stored state begins with
	 * @param files the names of the files. A section in a later one stands for that in an
	 * earlier one
	 */
	LimitScript(RateLimit limit, boolean charged, char kind, List<String> files) {
		this.capacity = limit.capacity();
		this.window = micros(limit.window().toNanos());
		this.charged = charged;
		this.kind = kind;
		this.files = files;
	}

	/**
	 * The most that may be taken, in the numbers that the files name: all there is, and
	 * of a limit that is charged by outcome as much again.
	 */
	final String mostTaken() {
		return this.charged ? "2 * " + full() : full();
	}

	/**
	 * The number that the files name for all there is.
	 */
	String full() {
		return "capacity_n";
	}

	/**
	 * The numbers that the last of the files that names any does, in its order.
	 * @param most the most permits that can pass all limits of the policy at once
	 */
	List<Long> numbers(long most) {
		return List.of(this.window, this.capacity);
	}

	/**
	 * The limit with its numbers for a moment.
	 * @param now microseconds since the epoch
	 * @return this one if its numbers are for that
	 */
	LimitScript at(long now) {
		return this;
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
	 * The window in microseconds.
	 */
	final long window() {
		return this.window;
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

	/**
	 * Wraps bytes that a script packs or unpacks.
	 */
	static ByteBuffer buffer(byte[] bytes) {
		return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
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
