package io.github.ratelimit.expression;

import java.security.Principal;

import io.github.ratelimit.request.CallOutcome;
import io.github.ratelimit.request.RequestView;
import org.jspecify.annotations.Nullable;

/**
 * The root object of every expression, whose properties and methods users may use. Those
 * of the request are {@code null} outside a request.
 */
record ExpressionRoot(RateLimitContext context) {

	public @Nullable String getClientAddress() {
		return this.context.ofRequest(RequestView::clientAddress);
	}

	public @Nullable Principal getPrincipal() {
		return this.context.ofRequest(RequestView::principal);
	}

	public @Nullable String getPath() {
		return this.context.ofRequest(RequestView::path);
	}

	public @Nullable String getMethod() {
		return this.context.ofRequest(RequestView::method);
	}

	public @Nullable String getSession() {
		return this.context.ofRequest(RequestView::session);
	}

	public @Nullable Object getRequest() {
		return this.context.ofRequest(RequestView::request);
	}

	public @Nullable Integer getStatus() {
		return this.context.ofOutcome(CallOutcome::status);
	}

	public @Nullable Object getResult() {
		return this.context.ofOutcome(CallOutcome::result);
	}

	public @Nullable Throwable getException() {
		return this.context.ofOutcome(CallOutcome::exception);
	}

	public @Nullable Boolean getAuthenticationFailed() {
		return this.context.ofOutcome(CallOutcome::authenticationFailed);
	}

	public @Nullable Object getTarget() {
		return this.context.target();
	}

	public @Nullable String header(@Nullable String name) {
		return (name != null) ? this.context.ofRequest((request) -> request.header(name)) : null;
	}

	public @Nullable String parameter(@Nullable String name) {
		return (name != null) ? this.context.ofRequest((request) -> request.parameter(name)) : null;
	}

	public @Nullable String folded(@Nullable String text) {
		return (text != null) ? KeyNormalizer.folded(text) : null;
	}

	public @Nullable String cookie(@Nullable String name) {
		return (name != null) ? this.context.ofRequest((request) -> request.cookie(name)) : null;
	}

	public @Nullable Object claim(@Nullable String name) {
		return (name != null) ? SecurityUsers.claim(getPrincipal(), name) : null;
	}

	public @Nullable String pathVariable(@Nullable String name) {
		return (name != null) ? this.context.ofRequest((request) -> request.pathVariable(name)) : null;
	}

}
