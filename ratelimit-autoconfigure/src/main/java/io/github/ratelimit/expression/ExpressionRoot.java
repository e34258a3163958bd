package io.github.ratelimit.expression;

import java.security.Principal;
import java.util.function.Function;

import io.github.ratelimit.request.CallOutcome;
import io.github.ratelimit.request.RequestView;
import org.jspecify.annotations.Nullable;

import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.core.ClaimAccessor;
import org.springframework.util.ClassUtils;

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
		return (name != null) ? TokenClaims.find(getPrincipal(), name) : null;
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

	/**
	 * The claims of the token that a user was authenticated with, as Spring Security
	 * knows them.
	 */
	static final class TokenClaims {

		static final boolean PRESENT = ClassUtils.isPresent("org.springframework.security.oauth2.core.ClaimAccessor",
				TokenClaims.class.getClassLoader());

		private TokenClaims() {
		}

		/**
		 * Finds a claim.
		 * @param user the authenticated user
		 * @param name the claim's name
		 * @return its value, or {@code null} if the user has no token with such a claim
		 */
		static @Nullable Object find(@Nullable Principal user, String name) {
			return (PRESENT && user != null) ? Tokens.claim(user, name) : null;
		}

		/*
		 * Loaded only with Spring Security's tokens.
		 */
		private static final class Tokens {

			private static @Nullable Object claim(Principal user, String name) {
				if (!(user instanceof Authentication authentication)) {
					return null;
				}
				ClaimAccessor token = (authentication.getPrincipal() instanceof ClaimAccessor principal) ? principal
						: (authentication.getCredentials() instanceof ClaimAccessor credentials) ? credentials : null;
				return (token != null) ? token.getClaims().get(name) : null;
			}

		}

	}

}
