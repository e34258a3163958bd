package io.github.ratelimit.expression;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.policy.StoreRateLimiter;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.util.ReflectionUtils;

/**
 * Handles the failures of expressions at one location. A client may be able to cause any
 * number of them: the first failure of each expression is logged, without anything that
 * the client has sent, and all are counted.
 */
final class ExpressionFailures {

	private static final Log logger = LogFactory.getLog(ExpressionFailures.class);

	/* Without these a call is not decided. */
	private static final Set<RateLimitExpression> FATAL = Set.of(RateLimitExpression.KEY, RateLimitExpression.COST,
			RateLimitExpression.CONDITION);

	private final StoreRateLimiter limiter;

	final String location;

	private final Map<RateLimitExpression, ParsedExpression> expressions;

	private final Set<RateLimitExpression> logged = ConcurrentHashMap.newKeySet();

	/**
	 * Creates an instance for a location, without failures.
	 * @param limiter the policy, which counts the failures
	 * @param location a short description of the location
	 * @param expressions the expressions, but for what code computes
	 */
	ExpressionFailures(StoreRateLimiter limiter, String location,
			Map<RateLimitExpression, ParsedExpression> expressions) {
		this.limiter = limiter;
		this.location = location;
		this.expressions = expressions;
	}

	String policy() {
		return this.limiter.policy().name();
	}

	/**
	 * Records that an expression failed. Outside a request no client can cause the
	 * failure, and it is rethrown to the caller, unless the call was made by then, or the
	 * failure is that of a plan, without which it goes on.
	 * @param expression the expression
	 * @param failure why it failed
	 * @param context the call
	 */
	void record(RateLimitExpression expression, Throwable failure, RateLimitContext context) {
		if (context.request() == null && FATAL.contains(expression)) {
			ReflectionUtils.rethrowRuntimeException(failure);
		}
		if (!count(expression)) {
			return;
		}

		if (!(failure instanceof FailedExpressionException failed)) {
			logger.warn(text(expression, FailedExpressionException.describe(failure)));
		}
		else if (failed.failsAlways) {
			logger.error(text(expression, failed.reason));
		}
		else {
			logger.warn(text(expression, failed.reason));
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

	/* Whether this is the first failure of the expression. */
	private boolean count(RateLimitExpression expression) {
		this.limiter.countFailure(expression);
		return !this.logged.contains(expression) && this.logged.add(expression);
	}

	private String text(RateLimitExpression expression, String reason) {
		ParsedExpression parsed = this.expressions.get(expression);
		String written = (parsed != null) ? " '" + parsed.text() + "'" : "";
		return "The " + expression.id() + written + " of " + this.location + " (policy '" + policy() + "') failed: "
				+ reason + ". " + consequence(expression)
				+ " Further failures are only counted, in the metric ratelimit.expression.failures.";
	}

	private static String consequence(RateLimitExpression expression) {
		return switch (expression) {
			case KEY -> "The call is limited by the client's address.";
			case COST -> "The call costs one permit.";
			case CONDITION -> "The call is limited as if the condition held.";
			case CHARGE -> "The call is charged what it has reserved.";
			case CHARGE_EACH -> "The element counts as 1.";
			case PLAN -> "The caller keeps its last plan, or has the policy's own limits.";
		};
	}

}
