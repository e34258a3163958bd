package io.github.ratelimit.expression;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;

import io.github.ratelimit.RateLimitExpression;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Handles the failures of expressions at one place. A client may be able to cause any
 * number of them: the first failure of each expression is logged, without anything that
 * the client has sent, and all are counted.
 */
final class ExpressionFailures {

	private static final Log logger = LogFactory.getLog(CallExpressions.class);

	private final String policy;

	private final Consumer<RateLimitExpression> count;

	private final String place;

	private final Function<RateLimitExpression, @Nullable String> texts;

	private final AtomicBoolean[] logged;

	/**
	 * Creates a place without failures.
	 * @param policy the policy's name
	 * @param count counts the failures
	 * @param place a short description of the place
	 * @param texts gives the expressions as they are written, or {@code null} for a bean
	 */
	ExpressionFailures(String policy, Consumer<RateLimitExpression> count, String place,
			Function<RateLimitExpression, @Nullable String> texts) {
		this.policy = policy;
		this.count = count;
		this.place = place;
		this.texts = texts;
		this.logged = new AtomicBoolean[RateLimitExpression.values().length];
		for (int i = 0; i < this.logged.length; i++) {
			this.logged[i] = new AtomicBoolean();
		}
	}

	/**
	 * Records that an expression failed. Outside a request no client can cause the
	 * failure, and it is rethrown to the caller, unless the call is over, or the failure
	 * is that of a plan, without which it goes on.
	 * @param expression the expression
	 * @param failure why it failed
	 * @param context the call
	 */
	void record(RateLimitExpression expression, Throwable failure, RateLimitContext context) {
		boolean fatal = expression != RateLimitExpression.CHARGE && expression != RateLimitExpression.PLAN;
		if (context.request() == null && fatal) {
			rethrow(failure);
		}
		if (count(expression)) {
			if (failure instanceof KeyText.UnusableKeyException) {
				logger.error(text(expression, reason(failure)) + " " + KeyText.UnusableKeyException.REMEDY);
			}
			else if (failure instanceof FailedExpressionException failed && failed.failsAlways()) {
				logger.error(text(expression, failed.reason()));
			}
			else {
				logger.warn(text(expression, reason(failure)));
			}
		}
	}

	/**
	 * Records that a cost is 0, which would let the call through uncounted.
	 */
	void recordZeroCost() {
		if (count(RateLimitExpression.COST)) {
			logger.warn(text(RateLimitExpression.COST, "it gave 0"));
		}
	}

	/* Returns whether this is the first failure of the expression. */
	private boolean count(RateLimitExpression expression) {
		this.count.accept(expression);
		AtomicBoolean logged = this.logged[expression.ordinal()];
		return !logged.get() && logged.compareAndSet(false, true);
	}

	private String text(RateLimitExpression expression, String reason) {
		String text = this.texts.apply(expression);
		return "The " + expression.id() + ((text != null) ? " '" + text + "'" : "") + " of " + this.place + " (policy '"
				+ this.policy + "') failed: " + reason + ". " + consequence(expression)
				+ " Further failures are only counted, in the metric ratelimit.expression.failures.";
	}

	private static void rethrow(Throwable failure) {
		if (failure instanceof RuntimeException exception) {
			throw exception;
		}
		throw (Error) failure;
	}

	private static String reason(Throwable failure) {
		if (failure instanceof FailedExpressionException failed) {
			return failed.reason();
		}
		return FailureText.of(failure);
	}

	private static String consequence(RateLimitExpression expression) {
		return switch (expression) {
			case KEY -> "The call is limited by the client's address.";
			case COST -> "The call costs one permit.";
			case CONDITION -> "The call is limited as if the condition held.";
			case CHARGE -> "The call is charged what it has reserved.";
			case PLAN -> "The caller keeps its last plan, or has the policy's own limits.";
		};
	}

}
