package io.github.ratelimit.expression;

import java.math.BigDecimal;
import java.util.Map;

import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.request.CallOutcome;
import org.jspecify.annotations.Nullable;

/**
 * The elements that one call has passed to its caller: how many, and what they are
 * charged together. They pass on one thread after another, and another thread may see the
 * call end.
 */
final class CountedElements {

	private static final Word ELEMENTS = new Word("elements", "");

	private static final Word CHARGED = new Word("charged", "");

	private final @Nullable ParsedExpression each;

	private final ExpressionFailures failures;

	private final RateLimitContext context;

	private long count;

	private BigDecimal charged = BigDecimal.ZERO;

	/**
	 * Creates an instance for a call that has passed nothing.
	 * @param each what each element is charged, or {@code null} if they are only counted
	 * @param failures handles its failures
	 * @param context the call
	 */
	CountedElements(@Nullable ParsedExpression each, ExpressionFailures failures, RateLimitContext context) {
		this.each = each;
		this.failures = failures;
		this.context = context;
	}

	/**
	 * Creates an instance for another call of the same method.
	 */
	CountedElements anew() {
		return new CountedElements(this.each, this.failures, this.context);
	}

	void add(@Nullable Object element) {
		BigDecimal charge = (this.each != null) ? charge(this.each, element) : BigDecimal.ZERO;
		synchronized (this) {
			this.count++;
			this.charged = ExpressionValues.sum(this.charged, charge);
		}
	}

	private BigDecimal charge(ParsedExpression each, @Nullable Object element) {
		try {
			CallOutcome passed = new CallOutcome(null, element, null, null);
			return ExpressionValues.chargeEach(each, each.evaluate(this.context.withOutcome(passed)));
		}
		catch (RuntimeException | StackOverflowError ex) {
			this.failures.record(RateLimitExpression.CHARGE_EACH, ex, this.context);
			return BigDecimal.ONE;
		}
	}

	/**
	 * What they are charged together by now.
	 */
	synchronized long charged() {
		return ExpressionValues.ceiling(this.charged);
	}

	/**
	 * Adds what is known of them by words.
	 */
	synchronized void addTo(Map<Word, Object> words) {
		words.put(ELEMENTS, this.count);
		if (this.each != null) {
			words.put(CHARGED, this.charged);
		}
	}

	boolean readsPrincipal() {
		return this.each != null && this.each.principal() != ParsedExpression.PrincipalUse.NONE;
	}

	/**
	 * Whether the elements of two calls, if they are counted, are charged by the same
	 * text.
	 */
	static boolean areWrittenAlike(@Nullable CountedElements one, @Nullable CountedElements other) {
		return text(one).equals(text(other));
	}

	private static String text(@Nullable CountedElements elements) {
		if (elements == null || elements.each == null) {
			return "";
		}
		return elements.each.text();
	}

}
