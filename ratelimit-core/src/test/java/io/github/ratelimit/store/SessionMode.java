package io.github.ratelimit.store;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.RateLimitSession.Given;
import io.github.ratelimit.store.RateLimitSession.Question;
import org.jspecify.annotations.Nullable;

/**
 * How a test asks a session: a test that is run with both finds the same.
 */
public enum SessionMode {

	/** The caller's thread waits. */
	SYNCHRONOUS,

	/** The answer comes by itself. */
	ASYNCHRONOUS;

	public List<@Nullable RateLimitDecision> decide(RateLimitSession session, List<Question> questions) {
		return (this == SYNCHRONOUS) ? session.decide(questions) : join(session.decideAsync(questions));
	}

	public void refund(RateLimitSession session, List<Given> given) {
		if (this == SYNCHRONOUS) {
			session.refund(given);
		}
		else {
			join(session.refundAsync(given));
		}
	}

	/**
	 * States whose decisions are asked for in this way.
	 */
	public PolicyDecider of(PolicyDecider states, Supplier<RateLimitSession> sessions) {
		return (this == SYNCHRONOUS) ? states : new ForwardingDecider(states) {

			@Override
			public RateLimitDecision decide(String key, long permits) {
				return Objects.requireNonNull(
						SessionMode.this.decide(sessions.get(), List.of(Question.of(this.states, key, permits, false)))
							.get(0));
			}

		};
	}

	private static <T> T join(CompletionStage<T> answer) {
		try {
			return answer.toCompletableFuture().join();
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof RuntimeException cause) ? cause : ex;
		}
	}

}
