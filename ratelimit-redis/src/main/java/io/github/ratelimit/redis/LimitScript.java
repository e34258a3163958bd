package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.algorithm.WordAlgorithm;
import io.github.ratelimit.store.RateLimitReceipt;

/**
 * One limit's part in its policy's scripts: the files that decide on it, their numbers,
 * and the reading of their answer.
 */
abstract class LimitScript {

	/**
	 * The sections that the files of each limit have between them. Those that some limits
	 * have besides are {@code reject}, {@code explain}, {@code explain_apart} and
	 * {@code expire}, and those that their own files include.
	 */
	static final List<String> SECTIONS = List.of("numbers", "variables", "load", "admits", "passes", "can_pass", "take",
			"charge", "refuse", "lasts", "state", "answer", "refund_permits");

	private static final long NANOS_PER_MICRO = 1000;

	final RateLimit limit;

	final long capacity;

	/**
	 * The window in microseconds.
	 */
	final long window;

	/**
	 * Whether it is charged by outcome, and so may come to owe as much again as its
	 * capacity.
	 */
	final boolean charged;

	/**
	 * The kind of its stored state.
	 */
	final Kind kind;

	/**
	 * The names of the files. A section in a later one stands for that in an earlier one.
	 */
	final List<String> files;

	/**
	 * Creates a limit's part.
	 * @param limit the limit
	 * @param charged whether it is charged by outcome, and so may come to owe as much
	 * again as its capacity
	 * @param kind the kind of its stored state
	 * @param files the names of the files. A section in a later one stands for that in an
	 * earlier one
	 */
	LimitScript(RateLimit limit, boolean charged, Kind kind, List<String> files) {
		this.limit = limit;
		this.capacity = limit.capacity();
		this.window = micros(limit.window().toNanos());
		this.charged = charged;
		this.kind = kind;
		this.files = files;
	}

	/**
	 * Returns the most that may be taken, in the numbers that the files name: all there
	 * is, and of a limit that is charged by outcome as much again.
	 */
	String maxTaken() {
		return this.charged ? "2 * " + full() : full();
	}

	/**
	 * Returns the number that the files name for all there is.
	 */
	String full() {
		return "capacity_n";
	}

	/**
	 * Returns the arguments, in the order of the {@code numbers} of the last file that
	 * has some.
	 * @param most the most permits that can pass all limits of the policy at once
	 * @param withoutDelay whether the request cannot wait
	 */
	List<Long> numbers(long most, boolean withoutDelay) {
		return List.of(this.window, this.capacity);
	}

	/**
	 * Returns the limit with its numbers for a moment.
	 * @param now microseconds since the epoch
	 * @return this one if its numbers are for that
	 */
	LimitScript at(long now) {
		return this;
	}

	/**
	 * Whether how many requests alike pass is arithmetic, so that they can share a call.
	 */
	boolean joins() {
		return true;
	}

	/**
	 * Whether the limit keeps a log, which is a key of its own.
	 */
	boolean keepsLog() {
		return false;
	}

	/**
	 * Reads a decision.
	 * @param answer where the limit's part of the answer begins
	 * @param now the moment of the decision
	 * @param permits how many permits the request cost, 0 for a look
	 * @param behind how many permits those behind the request have taken before the
	 * answer
	 * @param agrees whether the limit lets the request pass
	 * @param withoutDelay whether it is the decision on a request that cannot wait
	 */
	abstract RateLimitDecision decision(ByteBuffer answer, long now, long permits, long behind, boolean agrees,
			boolean withoutDelay);

	/**
	 * Returns what a refund is told of the decision that gave the permits.
	 * @param receipt the receipt of the decision
	 * @param limit the limit's index in it
	 * @return the moment, and by default the time that was named until there would be all
	 * permits
	 */
	long[] given(RateLimitReceipt receipt, int limit) {
		return new long[] { micros(receipt.decidedAtNanos(limit)), micros(receipt.resetAfterNanos(limit)) };
	}

	/**
	 * Returns how long a request would have to wait that was rejected because it cannot.
	 * Leaves the answer where it is.
	 * @param answer where the limit's part of the answer begins
	 * @param now the moment of the decision
	 * @param permits how many permits the request cost
	 * @return nanoseconds, or 0 if the limit rejects the request anyway
	 */
	long delayNanos(ByteBuffer answer, long now, long permits) {
		return 0;
	}

	/**
	 * Returns how long a request would have to wait, given the state as it was found.
	 */
	static long delayNanos(WordAlgorithm algorithm, long base, long word, long now, long permits) {
		long taken = algorithm.take(base, word, now, permits);
		if (taken == WordAlgorithm.REJECTED) {
			return 0;
		}
		return algorithm.decision(base, taken, now, permits, true, null).delayNanos();
	}

	/**
	 * Wraps bytes that a script packs or unpacks.
	 */
	static ByteBuffer buffer(byte[] bytes) {
		return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
	}

	/**
	 * Reads the next number, and moves the answer behind it.
	 */
	static long readNumber(ByteBuffer answer) {
		return (long) answer.getDouble();
	}

	static long micros(long nanos) {
		return nanos / NANOS_PER_MICRO;
	}

	static long nanos(long micros) {
		return micros * NANOS_PER_MICRO;
	}

	/**
	 * The kinds of stored states: the letter that each begins with, and how many numbers
	 * follow it.
	 */
	enum Kind {

		SLIDING_WINDOW_COUNTER('C', 5),

		FIXED_WINDOW_COUNTER('F', 4),

		SLIDING_WINDOW_LOG('G', 6),

		LEAKY_BUCKET('L', 4),

		TOKEN_BUCKET('T', 4);

		final char letter;

		/** How many bytes a state takes: the letter, and the numbers. */
		final int size;

		Kind(char letter, int numbers) {
			this.letter = letter;
			this.size = 1 + numbers * Double.BYTES;
		}

		/**
		 * Returns all letters.
		 */
		static String letters() {
			return Stream.of(values()).map((kind) -> String.valueOf(kind.letter)).collect(Collectors.joining());
		}

		/**
		 * Returns a Lua expression for the size of a state whose letter is in the
		 * variable {@code letter}; it is false for no kind's letter.
		 */
		static String sizes() {
			return Stream.of(values())
				.map((kind) -> "(letter == '" + kind.letter + "' and " + kind.size + ")")
				.collect(Collectors.joining(" or "));
		}

	}

}
