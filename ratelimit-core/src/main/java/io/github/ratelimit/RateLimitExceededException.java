package io.github.ratelimit;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;

import io.github.ratelimit.support.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * A call was rejected by a rate limit, or because the store could not decide
 * ({@link RateLimitDecision#unavailable()}). Carries what a handler needs for a response.
 * Has no stack trace, so that rejecting stays cheap under attack.
 *
 * @since 0.1.0
 */
public class RateLimitExceededException extends RuntimeException {

	/* A deeper cause is not looked for: some exceptions cause each other. */
	private static final int MAX_WRAPPERS = 8;

	private final RateLimitPolicy policy;

	private final RateLimitDecision decision;

	/**
	 * Creates the exception.
	 * @param policy the policy that rejected
	 * @param decision its decision
	 */
	public RateLimitExceededException(RateLimitPolicy policy, RateLimitDecision decision) {
		super(null, null, false, false);
		this.policy = policy;
		this.decision = decision;
	}

	/**
	 * Finds the rejection that a call has failed with.
	 * @param thrown what the call has thrown, or what its future has failed with
	 * @param wrappers the types of exceptions that wrap what was thrown on its way
	 * through the call, besides those of futures
	 * @return the rejection, if it is one or was wrapped
	 */
	public static @Nullable RateLimitExceededException find(@Nullable Throwable thrown, Class<?>... wrappers) {
		Throwable cause = thrown;
		for (int i = 0; i <= MAX_WRAPPERS && cause != null; i++) {
			if (cause instanceof RateLimitExceededException rejection) {
				return rejection;
			}
			if (!isWrapper(cause, wrappers)) {
				return null;
			}

			cause = cause.getCause();
		}
		return null;
	}

	private static boolean isWrapper(Throwable thrown, Class<?>[] wrappers) {
		return thrown instanceof CompletionException || thrown instanceof ExecutionException
				|| Stream.of(wrappers).anyMatch((wrapper) -> wrapper.isInstance(thrown));
	}

	/*
	 * The message is written when it is read, because most rejections are answered
	 * without.
	 */
	@Override
	public String getMessage() {
		if (this.decision.denied()) {
			return "Rate limit '" + this.policy.name() + "' denies the caller";
		}
		String reason = switch (this.decision.outcome()) {
			case UNAVAILABLE -> "cannot be decided at present";
			case BANNED -> "has banned the caller";
			case QUEUE_FULL -> "would delay the call, and as many wait already as may";
			default -> "exceeded";
		};
		return "Rate limit '" + this.policy.name() + "' " + reason + ", " + advice();
	}

	private String advice() {
		Duration wait = this.decision.retryAfter();
		if (wait == null) {
			return "and the request costs more permits than can ever be free";
		}
		return "try again in " + DurationText.ofWait(wait);
	}

	/**
	 * The policy that rejected.
	 * @return the policy
	 */
	public RateLimitPolicy policy() {
		return this.policy;
	}

	/**
	 * The policy's decision.
	 * @return the decision, which is not allowed
	 */
	public RateLimitDecision decision() {
		return this.decision;
	}

	/**
	 * When to try again.
	 * @return the time until the same call would pass, or {@code null} if never
	 */
	public @Nullable Duration retryAfter() {
		return this.decision.retryAfter();
	}

}
