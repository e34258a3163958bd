package io.github.ratelimit.request;

import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.Expression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * A charge that a test writes as an expression of the outcome and the request's headers.
 */
final class WrittenCharge implements Charge {

	private static final SpelExpressionParser PARSER = new SpelExpressionParser();

	private final Expression expression;

	private final Map<String, String> headers;

	WrittenCharge(String text, Map<String, String> headers) {
		this.expression = PARSER.parseExpression(text);
		this.headers = headers;
	}

	@Override
	public boolean readsPrincipal() {
		return this.expression.getExpressionString().contains("principal");
	}

	@Override
	public boolean mayBlock() {
		return false;
	}

	@Override
	public boolean isWrittenAs(Charge other) {
		return other instanceof WrittenCharge that
				&& this.expression.getExpressionString().equals(that.expression.getExpressionString());
	}

	@Override
	public long used(long reserved, CallOutcome outcome) {
		if (outcome.cancelled()) {
			return reserved;
		}
		Object used = this.expression.getValue(new Words(outcome, this.headers));
		if (used instanceof Boolean all) {
			return all ? reserved : 0;
		}
		return ((Number) used).longValue();
	}

	/**
	 * What the expression can read.
	 */
	private static final class Words {

		private final CallOutcome outcome;

		private final Map<String, String> headers;

		Words(CallOutcome outcome, Map<String, String> headers) {
			this.outcome = outcome;
			this.headers = headers;
		}

		public @Nullable Integer status() {
			return this.outcome.status();
		}

		public @Nullable Object result() {
			return this.outcome.result();
		}

		public @Nullable Throwable exception() {
			return this.outcome.exception();
		}

		public @Nullable Boolean authenticationFailed() {
			return this.outcome.authenticationFailed();
		}

		public @Nullable String principal() {
			return null;
		}

		public @Nullable String header(String name) {
			return this.headers.get(name);
		}

	}

}
