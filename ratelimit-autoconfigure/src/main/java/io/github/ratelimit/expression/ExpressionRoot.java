package io.github.ratelimit.expression;

import java.security.Principal;

import org.jspecify.annotations.Nullable;

/**
 * The root object of every expression, whose properties and methods users may use. Those
 * of the request are {@code null} outside a request.
 */
record ExpressionRoot(RateLimitContext context) {

	public @Nullable String getClientAddress() {
		RequestView request = this.context.request();
		return (request != null) ? request.clientAddress() : null;
	}

	public @Nullable Principal getPrincipal() {
		RequestView request = this.context.request();
		return (request != null) ? request.principal() : null;
	}

	public @Nullable String getPath() {
		RequestView request = this.context.request();
		return (request != null) ? request.path() : null;
	}

	public @Nullable String getMethod() {
		RequestView request = this.context.request();
		return (request != null) ? request.method() : null;
	}

	public @Nullable String getSession() {
		RequestView request = this.context.request();
		return (request != null) ? request.session() : null;
	}

	public @Nullable Object getRequest() {
		RequestView request = this.context.request();
		return (request != null) ? request.request() : null;
	}

	public @Nullable Integer getStatus() {
		CallOutcome outcome = this.context.outcome();
		return (outcome != null) ? outcome.status() : null;
	}

	public @Nullable Object getResult() {
		CallOutcome outcome = this.context.outcome();
		return (outcome != null) ? outcome.result() : null;
	}

	public @Nullable Throwable getException() {
		CallOutcome outcome = this.context.outcome();
		return (outcome != null) ? outcome.exception() : null;
	}

	public @Nullable Boolean getAuthenticationFailed() {
		CallOutcome outcome = this.context.outcome();
		return (outcome != null) ? outcome.authenticationFailed() : null;
	}

	public @Nullable Object getTarget() {
		return this.context.target();
	}

	public @Nullable String header(@Nullable String name) {
		RequestView request = this.context.request();
		return (request != null && name != null) ? request.header(name) : null;
	}

	public @Nullable String parameter(@Nullable String name) {
		RequestView request = this.context.request();
		return (request != null && name != null) ? request.parameter(name) : null;
	}

	public @Nullable String folded(@Nullable String text) {
		return (text != null) ? KeyNormalizer.folded(text) : null;
	}

	public @Nullable String cookie(@Nullable String name) {
		RequestView request = this.context.request();
		return (request != null && name != null) ? request.cookie(name) : null;
	}

	public @Nullable Object claim(@Nullable String name) {
		return (name != null) ? TokenClaims.find(getPrincipal(), name) : null;
	}

	public @Nullable String pathVariable(@Nullable String name) {
		RequestView request = this.context.request();
		return (request != null && name != null) ? request.pathVariable(name) : null;
	}

}
