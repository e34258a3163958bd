package io.github.ratelimit.expression;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm.Setting;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.support.ReadableText;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.util.Assert;

/**
 * Reads the values of expressions, each of which is a cost, a condition or a charge.
 */
final class ExpressionValues {

	private static final BigDecimal MAX_CHARGE = BigDecimal.valueOf(Long.MAX_VALUE);

	private static final BigDecimal LEAST_FRACTION = BigDecimal.valueOf(1, 6);

	/* Numbers of other classes may have a fraction. */
	private static final Set<Class<?>> INTEGRAL = Set.of(Byte.class, Short.class, Integer.class, Long.class,
			AtomicInteger.class, AtomicLong.class, LongAdder.class, LongAccumulator.class);

	private ExpressionValues() {
	}

	/**
	 * Checks an expression whose value is the same for each call.
	 */
	static void check(ParsedExpression parsed) {
		ExpressionLocation location = parsed.location();
		if (!isConstant(parsed.ast())) {
			return;
		}

		try {
			Object value = parsed.expression().getValue();
			switch (location.purpose()) {
				case COST -> Assert.state(cost(parsed, value) > 0, "A cost is from 1");
				case CONDITION -> condition(parsed, value);
				case CHARGE -> charge(parsed, value, 1);
				case CHARGE_EACH -> chargeEach(parsed, value);
				case KEY, PLAN -> {
				}
			}
		}
		catch (RuntimeException ex) {
			throw location.invalid("has the wrong type or range",
					"Write " + expected(location.purpose()) + ", or an expression that gives it.", ex);
		}
	}

	/**
	 * Checks that what each call costs can pass at once.
	 * @throws io.github.ratelimit.InvalidRateLimitException if no call can change the
	 * cost, and a limit of the policy has not as many permits
	 */
	static void checkCost(ParsedExpression cost, RateLimitPolicy policy) {
		if (!isConstant(cost.ast())) {
			return;
		}

		long permits = cost(cost, cost.expression().getValue());
		checkCost(cost, permits, policy.limits(), "the policy '" + policy.name() + "'");
		checkCost(cost, permits, policy.shadowLimits(), "shadow-limits of the policy '" + policy.name() + "'");
		policy.plans()
			.forEach((name, plan) -> checkCost(cost, permits, plan.limits(),
					"the plan '" + name + "' of the policy '" + policy.name() + "'"));
	}

	private static void checkCost(ParsedExpression cost, long permits, List<RateLimit> limits, String owner) {
		for (RateLimit limit : limits) {
			if (permits > limit.capacity()) {
				String raised = limit.algorithm().uses(Setting.BURST) ? "burst" : "limit";
				throw cost.location()
					.invalid(
							"takes " + permits + " permits, but the limit '" + limit + "' of " + owner + " has only "
									+ limit.capacity() + " at once, so that no call could ever pass",
							"Write a cost from 1 to " + limit.capacity() + ", or raise the " + raised + ".");
			}
		}
	}

	private static boolean isConstant(SpelNode node) {
		if (node instanceof Operator) {
			return ExpressionNodes.children(node).allMatch(ExpressionValues::isConstant);
		}
		return node instanceof Literal;
	}

	/**
	 * Reads a cost: the number of permits that a call takes.
	 * @return a whole number from 0, which is left to the caller
	 */
	static long cost(ParsedExpression expression, @Nullable Object value) {
		long permits = whole(value);
		if (permits < 0) {
			throw unusable(expression, value);
		}
		return permits;
	}

	/* Returns -1 for a value that is not a whole number. */
	private static long whole(@Nullable Object value) {
		if (value instanceof Integer || value instanceof Long) {
			return ((Number) value).longValue();
		}
		BigDecimal number = exact(value);
		if (number == null) {
			return -1;
		}
		try {
			return number.longValueExact();
		}
		catch (ArithmeticException ex) {
			return -1;
		}
	}

	/**
	 * Reads a condition: whether a call is limited at all.
	 */
	static boolean condition(ParsedExpression expression, @Nullable Object value) {
		if (value instanceof Boolean condition) {
			return condition;
		}
		throw unusable(expression, value);
	}

	/**
	 * Reads a charge: the number of permits that a call has used.
	 * @param reserved what the call has reserved
	 * @return the next whole number, or the largest for all that are larger
	 */
	static long charge(ParsedExpression expression, @Nullable Object value, long reserved) {
		if (value instanceof Boolean all) {
			return all ? reserved : 0;
		}

		return ceiling(used(expression, value));
	}

	/**
	 * Rounds a number from 0 up.
	 * @return the next whole number, or the largest for all that are larger
	 */
	static long ceiling(BigDecimal number) {
		if (number.compareTo(MAX_CHARGE) >= 0) {
			return Long.MAX_VALUE;
		}
		// A number of few digits may have a billion once it is written out.
		if (number.compareTo(BigDecimal.ONE) <= 0) {
			return number.signum();
		}
		return number.setScale(0, RoundingMode.CEILING).longValue();
	}

	/**
	 * Reads a charge for an element.
	 * @return a number from 0 that is exact to a millionth, or the largest charge for all
	 * that are larger; 1 for {@code true}
	 */
	static BigDecimal chargeEach(ParsedExpression expression, @Nullable Object value) {
		if (value instanceof Boolean counts) {
			return counts ? BigDecimal.ONE : BigDecimal.ZERO;
		}

		BigDecimal number = used(expression, value);
		if (number.compareTo(MAX_CHARGE) >= 0) {
			return MAX_CHARGE;
		}
		// A number of few digits may have a billion once it is written out.
		if (number.signum() > 0 && number.compareTo(LEAST_FRACTION) < 0) {
			return LEAST_FRACTION;
		}
		return number.setScale(LEAST_FRACTION.scale(), RoundingMode.HALF_UP);
	}

	/**
	 * Adds two charges of elements.
	 */
	static BigDecimal sum(BigDecimal one, BigDecimal other) {
		return one.add(other).min(MAX_CHARGE);
	}

	private static BigDecimal used(ParsedExpression expression, @Nullable Object value) {
		BigDecimal number = exact(value);
		if (number == null || number.signum() < 0) {
			throw unusable(expression, value);
		}
		return number;
	}

	/* Returns null for a value that is no number, and for an infinite one. */
	private static @Nullable BigDecimal exact(@Nullable Object value) {
		if (value instanceof BigInteger number) {
			return new BigDecimal(number);
		}
		if (value instanceof BigDecimal number) {
			return number;
		}
		if (!(value instanceof Number number)) {
			return null;
		}
		if (INTEGRAL.contains(value.getClass())) {
			return BigDecimal.valueOf(number.longValue());
		}
		return Double.isFinite(number.doubleValue()) ? new BigDecimal(number.doubleValue()) : null;
	}

	private static FailedExpressionException unusable(ParsedExpression expression, @Nullable Object value) {
		ExpressionLocation location = expression.location();
		boolean pending = value != null && PendingValue.isOf(value.getClass());
		String given = ReadableText.typeOf(value);
		if (pending) {
			given += ", which " + PendingValue.OBSTACLE + ",";
		}
		return new FailedExpressionException(location,
				"it gave " + given + " in place of " + expected(location.purpose()), pending);
	}

	private static String expected(RateLimitExpression purpose) {
		return switch (purpose) {
			case COST -> "a whole number from 1";
			case CONDITION -> "true or false";
			case CHARGE, CHARGE_EACH -> "true, false or a number from 0";
			case KEY, PLAN -> "a text";
		};
	}

}
