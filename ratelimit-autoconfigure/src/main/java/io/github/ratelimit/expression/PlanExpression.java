package io.github.ratelimit.expression;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.policy.PlanQuestion;
import org.jspecify.annotations.Nullable;

/**
 * Asks for the plan of a call by an expression.
 *
 * @param expression names the plan
 * @param failures handles its failures
 * @param context the call
 */
record PlanExpression(ParsedExpression expression, ExpressionFailures failures,
		RateLimitContext context) implements PlanQuestion {

	/*
	 * A bean that the expression calls may take its time. The request itself is gone
	 * afterwards.
	 */
	@Override
	public boolean isQuick() {
		return this.expression.needsRequest() || !this.expression.callsBean();
	}

	@Override
	public boolean mayBlock() {
		return this.expression.callsBean();
	}

	/*
	 * A failure is recorded before anybody can know of it. A plan that nobody waits for
	 * any longer fails too.
	 */
	@Override
	public CompletableFuture<@Nullable String> ask() {
		try {
			CompletableFuture<@Nullable Object> value = PendingValue.await(this.expression.evaluate(this.context));
			CompletableFuture<@Nullable String> plan = value
				.<@Nullable String>thenApply((result) -> KeyText.of(result, this.expression.location()))
				.whenComplete(this::recordFailure);
			plan.whenComplete((name, failure) -> {
				if (plan.isCancelled()) {
					value.cancel(true);
					recordFailure(name, failure);
				}
			});
			return plan;
		}
		catch (RuntimeException | StackOverflowError ex) {
			record(ex);
			throw ex;
		}
	}

	private void recordFailure(@Nullable String plan, @Nullable Throwable failure) {
		if (failure instanceof CompletionException && failure.getCause() != null) {
			record(failure.getCause());
		}
		else if (failure != null) {
			record(failure);
		}
	}

	private void record(Throwable failure) {
		this.failures.record(RateLimitExpression.PLAN, failure, this.context);
	}

	@Override
	public long bytes() {
		return this.context.notedBytes();
	}

	@Override
	public PlanQuestion detached() {
		RateLimitContext detached = this.context.detached(this.expression.words());
		if (!this.expression.needsArguments()) {
			detached = detached.withoutArguments();
		}
		return new PlanExpression(this.expression, this.failures, detached);
	}

}
