package io.github.ratelimit.expression;

import java.security.Principal;
import java.util.function.Function;

import io.github.ratelimit.request.CallOutcome;
import io.github.ratelimit.request.RequestView;
import org.jspecify.annotations.Nullable;

/**
 * The root object of every expression, whose properties and methods users may use. Those
 * of the request are {@code null} outside a request.
 */
record ExpressionRoot(RateLimitContext context) {

	public @Nullable String getClientAddress() {
		return ofRequest(RequestView::clientAddress);
	}

	public @Nullable Principal getPrincipal() {
		return ofRequest(RequestView::principal);
	}

	public @Nullable String getPath() {
		return ofRequest(RequestView::path);
	}

	public @Nullable String getMethod() {
		return ofRequest(RequestView::method);
	}

	public @Nullable String getSession() {
		return ofRequest(RequestView::session);
	}

	public @Nullable Object getRequest() {
		return ofRequest(RequestView::request);
	}

	public @Nullable Integer getStatus() {
		return ofOutcome(CallOutcome::status);
	}

	public @Nullable Object getResult() {
		return ofOutcome(CallOutcome::result);
	}

	public @Nullable Throwable getException() {
		return ofOutcome(CallOutcome::exception);
	}

	public @Nullable Boolean getAuthenticationFailed() {
		return ofOutcome(CallOutcome::authenticationFailed);
	}

	public @Nullable Object getTarget() {
		return this.context.target();
	}

	public @Nullable String header(@Nullable String name) {
		return (name != null) ? ofRequest((request) -> request.header(name)) : null;
	}

	public @Nullable String parameter(@Nullable String name) {
		return (name != null) ? ofRequest((request) -> request.parameter(name)) : null;
	}

	public @Nullable String folded(@Nullable String text) {
		return (text != null) ? KeyNormalizer.folded(text) : null;
	}

	public @Nullable String cookie(@Nullable String name) {
		return (name != null) ? ofRequest((request) -> request.cookie(name)) : null;
	}

	public @Nullable Object claim(@Nullable String name) {
		return (name != null) ? SecurityUsers.claim(getPrincipal(), name) : null;
	}

	public @Nullable String pathVariable(@Nullable String name) {
		return (name != null) ? ofRequest((request) -> request.pathVariable(name)) : null;
	}

	private <T> @Nullable T ofRequest(Function<RequestView, @Nullable T> part) {
		RequestView request = this.context.request();
		return (request != null) ? part.apply(request) : null;
	}

	private <T> @Nullable T ofOutcome(Function<CallOutcome, @Nullable T> part) {
		CallOutcome outcome = this.context.outcome();
		return (outcome != null) ? part.apply(outcome) : null;
	}

}
