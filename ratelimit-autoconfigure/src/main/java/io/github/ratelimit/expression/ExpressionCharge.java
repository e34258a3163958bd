package io.github.ratelimit.expression;

import java.util.HashMap;
import java.util.Map;

import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.request.CallOutcome;
import io.github.ratelimit.request.Charge;
import org.jspecify.annotations.Nullable;

/**
 * A charge expression, with the call that it sees.
 */
final class ExpressionCharge implements Charge {

	private static final Word RESERVED = new Word("reserved", "");

	private final ParsedExpression expression;

	private final ExpressionFailures failures;

	private final RateLimitContext context;

	/* Null if no expression reads anything of elements. */
	private final @Nullable CountedElements elements;

	/* Of another reading of the request, which is charged the higher of both. */
	private final @Nullable Charge other;

	/*
	 * It is evaluated once for an outcome and a reservation, though shadow limits are
	 * charged too.
	 */
	private @Nullable CallOutcome evaluated;

	private long reserved;

	private @Nullable Object value;

	private boolean failed;

	ExpressionCharge(ParsedExpression expression, ExpressionFailures failures, RateLimitContext context,
			@Nullable CountedElements elements) {
		this(expression, failures, context, elements, null);
	}

	private ExpressionCharge(ParsedExpression expression, ExpressionFailures failures, RateLimitContext context,
			@Nullable CountedElements elements, @Nullable Charge other) {
		this.other = other;
		this.expression = expression;
		this.failures = failures;
		this.context = context;
		this.elements = elements;
	}

	@Override
	public boolean readsPrincipal() {
		return this.expression.principal() != ParsedExpression.PrincipalUse.NONE
				|| (this.elements != null && this.elements.readsPrincipal());
	}

	@Override
	public boolean readsAuthentication() {
		return this.expression.reads("authenticationFailed");
	}

	@Override
	public boolean mayBlock() {
		return this.expression.callsBean();
	}

	@Override
	public boolean isWrittenAs(Charge other) {
		return other instanceof ExpressionCharge that && this.expression.text().equals(that.expression.text())
				&& CountedElements.areWrittenAlike(this.elements, that.elements);
	}

	@Override
	public Charge and(Charge other) {
		return new ExpressionCharge(this.expression, this.failures, this.context, this.elements, other);
	}

	@Override
	public Charge anew() {
		CountedElements none = (this.elements != null) ? this.elements.anew() : null;
		Charge other = (this.other != null) ? this.other.anew() : null;
		return new ExpressionCharge(this.expression, this.failures, this.context, none, other);
	}

	@Override
	public boolean countsElements() {
		return this.elements != null;
	}

	@Override
	public void count(@Nullable Object element) {
		if (this.elements != null) {
			this.elements.add(element);
		}
		if (this.other != null) {
			this.other.count(element);
		}
	}

	@Override
	public long used(long reserved, CallOutcome outcome) {
		return used(reserved, outcome, reserved);
	}

	/*
	 * Rounds of one conversation share the charge, and may be settled at the same time.
	 */
	@Override
	public synchronized long used(long reserved, CallOutcome outcome, long ifUnknown) {
		long used = usedByThis(reserved, outcome, ifUnknown);
		if (this.other == null) {
			return used;
		}
		return Math.max(used, this.other.used(reserved, outcome, ifUnknown));
	}

	private long usedByThis(long reserved, CallOutcome outcome, long ifUnknown) {
		evaluateOnce(reserved, outcome);
		if (this.failed) {
			return Math.max(ifUnknown, countedSoFar());
		}

		long used = ExpressionValues.charge(this.expression, this.value, reserved);
		return isIncomplete(outcome) ? Math.max(used, reserved) : used;
	}

	/* What is known, even if it is not known what the call is charged. */
	private long countedSoFar() {
		return (this.elements != null) ? this.elements.charged() : 0;
	}

	/*
	 * Whether the call was cancelled, which the expression knows nothing of. Whoever
	 * leaves before what they have used is told would pay nothing.
	 */
	private boolean isIncomplete(CallOutcome outcome) {
		return outcome.cancelled() && !this.expression.reads("cancelled");
	}

	private void evaluateOnce(long reserved, CallOutcome outcome) {
		if (this.evaluated == outcome && this.reserved == reserved) {
			return;
		}

		this.evaluated = outcome;
		this.reserved = reserved;
		evaluate(reserved, outcome);
	}

	private void evaluate(long reserved, CallOutcome outcome) {
		this.failed = outcome == CallOutcome.UNKNOWN && isIncomplete(outcome);
		if (this.failed) {
			return;
		}

		try {
			if (!outcome.cancelled() || isIncomplete(outcome)) {
				checkKnown("status", "the handler", outcome.status());
				checkKnown("authenticationFailed", "part", outcome.authenticationFailed());
			}
			this.value = this.expression.evaluate(this.context.withOutcome(outcome, words(reserved)));
			ExpressionValues.charge(this.expression, this.value, 1);
		}
		catch (RuntimeException | StackOverflowError ex) {
			this.failed = true;
			// what is missing may be what the caller did not wait for
			if (!isIncomplete(outcome)) {
				this.failures.record(RateLimitExpression.CHARGE, ex, this.context);
			}
		}
	}

	/* What the call has reserved and passed, by the words for it. */
	private Map<Word, Object> words(long reserved) {
		Map<Word, Object> words = new HashMap<>();
		words.put(RESERVED, reserved);
		if (this.elements != null) {
			this.elements.addTo(words);
		}
		return words;
	}

	/*
	 * Without a status, status >= 400 would be false, and nobody would ever be charged.
	 */
	private void checkKnown(String word, String part, @Nullable Object value) {
		if (value == null && this.expression.reads(word)) {
			throw new FailedExpressionException(this.expression.location(),
					"it reads " + word + ", and the call is not " + part + " of an HTTP request", false);
		}
	}

}
