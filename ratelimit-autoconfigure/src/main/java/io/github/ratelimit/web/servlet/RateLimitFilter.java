package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.List;
import java.util.Objects;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.request.AcquisitionEntry;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.web.address.AddressGate;
import io.github.ratelimit.web.mcp.McpMessages;
import io.github.ratelimit.web.mcp.SentMessage;
import io.github.ratelimit.web.mcp.SentMessage.Refusal;
import io.github.ratelimit.web.rules.RateLimitRule;
import io.github.ratelimit.web.rules.RequestedPath;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.catalina.connector.ClientAbortException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.filter.ServerHttpObservationFilter;

/**
 * Enforces the rules that match a request, and answers what is rejected further inside
 * where Spring MVC does not. Decides, and does not wait: a delay is waited for after all
 * filters have run.
 *
 * @since 0.1.0
 */
public final class RateLimitFilter extends HttpFilter {

	private static final boolean TOMCAT = ClassUtils.isPresent("org.apache.catalina.connector.ClientAbortException",
			RateLimitFilter.class.getClassLoader());

	private final Position position;

	private final transient RateLimitRejections rejections;

	private final transient ServletRateLimits limits;

	/* Whether any policy limits a request. */
	private volatile boolean limiting;

	/**
	 * Creates the filter.
	 * @param position where it is
	 * @param rejections answers those that are rejected
	 */
	public RateLimitFilter(Position position, RateLimitRejections rejections) {
		this.position = position;
		this.rejections = rejections;
		this.limits = rejections.limits;
		this.limits.registry.observe((limiter) -> this.limiting = true);
	}

	@Override
	protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		AddressGate gate = this.limits.gate;
		if (gate != null && !passAddress(gate, request, response)) {
			return;
		}
		if (!this.limiting) {
			chain.doFilter(request, response);
			return;
		}
		HttpServletRequest shared = request;
		if (this.limits.messages != null) {
			shared = this.limits.shareMessage(request, this.limits.messages);
		}
		switch (this.position) {
			case BEFORE_SECURITY -> serve(shared, response, chain);
			case AFTER_SECURITY -> {
				if (enforceAfterSecurity(shared, response)) {
					chain.doFilter(shared, response);
				}
			}
			case INNERMOST -> {
				if (enforceLast(shared, response)) {
					chain.doFilter(shared, response);
				}
			}
		}
	}

	/**
	 * Decides on a request by its client's address, before anything else does, unless an
	 * {@link AddressFilter} has.
	 * @return {@code false} if it has been denied
	 */
	private boolean passAddress(AddressGate gate, HttpServletRequest request, HttpServletResponse response)
			throws IOException {
		if (this.limits.gateFirst || this.position != Position.BEFORE_SECURITY) {
			return true;
		}
		return request.getDispatcherType() != DispatcherType.REQUEST
				|| AddressFilter.pass(gate, request, response, this.limits);
	}

	private void serve(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		LimitedServletRequest limited = LimitedServletRequest.of(request, response, this.limits);
		Thread servedBefore = limited.serveOn(Thread.currentThread());
		try {
			serveOrAnswer(limited, request, response, chain);
		}
		catch (IOException | ServletException | RuntimeException | Error ex) {
			limited.noteThrown();
			throw ex;
		}
		finally {
			if (limited.isUnfinished()) {
				CompletedRequests.endDispatch(request, limited, this.limits.isEndReported());
			}
			limited.leave(servedBefore);
		}
	}

	private void serveOrAnswer(LimitedServletRequest limited, HttpServletRequest request, HttpServletResponse response,
			FilterChain chain) throws IOException, ServletException {
		try {
			if (enforceBeforeSecurity(limited, request, response)) {
				chain.doFilter(request, response);
			}
		}
		catch (ServletException | RuntimeException ex) {
			limited.noteException(ex);
			// filters further in may have wrapped both
			limited.use(request, response);
			if (answerRejection(ex, limited, request, response)) {
				complete(request);
			}
			else if (isHalfSent(ex, response)) {
				throw Tomcat.abort(ex);
			}
			else {
				throw ex;
			}
		}
		catch (IOException | Error ex) {
			limited.noteException(ex);
			throw ex;
		}
	}

	/**
	 * Enforces the rules before Spring Security, or answers an error that is a rejection.
	 * @return {@code false} if the request has been answered
	 */
	private boolean enforceBeforeSecurity(LimitedServletRequest limited, HttpServletRequest request,
			HttpServletResponse response) throws IOException, ServletException {
		return switch (request.getDispatcherType()) {
			case REQUEST, FORWARD -> {
				limited.noteDispatched();
				limited.noteMatched(request.getRequestURI(), request.getMethod());
				yield enforceOrAnswer(limited.rules().beforeSecurity(), limited, request, response);
			}
			case ERROR -> {
				limited.noteDispatched();
				limited.forgoDelay();
				Object thrown = request.getAttribute(RequestDispatcher.ERROR_EXCEPTION);
				if (thrown instanceof Throwable failure) {
					limited.noteException(failure);
				}
				yield !answerRejection(thrown, limited, request, response);
			}
			case ASYNC -> {
				if (!limited.isRewritten(request.getRequestURI(), request.getMethod())) {
					yield true;
				}
				limited.noteDispatched();
				yield enforceOrAnswer(limited.rules().beforeSecurity(), limited, request, response);
			}
			default -> true;
		};
	}

	/**
	 * Enforces the rules after Spring Security.
	 * @return {@code false} if the request has been answered
	 */
	private boolean enforceAfterSecurity(HttpServletRequest request, HttpServletResponse response)
			throws IOException, ServletException {
		LimitedServletRequest limited = LimitedServletRequest.of(request, response, this.limits);
		List<RateLimitRule> rules = limited.rules().afterSecurity();
		if (!rules.isEmpty() && limited.isCharged()) {
			limited.noteUser(request);
		}
		return enforceOrAnswer(rules, limited, request, response);
	}

	/**
	 * Enforces all rules once more if the request was rewritten, and lets it wait.
	 * Nothing comes between this filter and the servlet. Only Spring MVC's may meet more
	 * limits.
	 * @return {@code false} if the request has been answered, or will be dispatched again
	 */
	private boolean enforceLast(HttpServletRequest request, HttpServletResponse response)
			throws IOException, ServletException {
		LimitedServletRequest limited = LimitedServletRequest.find(request);
		if (limited == null) {
			return true;
		}
		boolean rewritten = limited.isRewritten(request.getRequestURI(), request.getMethod());
		if (limited.isCharged()) {
			limited.noteUser(request);
		}
		if (rewritten && request.getDispatcherType() != DispatcherType.FORWARD) {
			limited.use(request, response);
			limited.noteDispatched();
			if (!enforceOrAnswer(limited.rules().all(), limited, request, response)) {
				return false;
			}
			limited.noteMatched(request.getRequestURI(), request.getMethod());
		}

		if (this.limits.mvcServlets.isTargetOf(request)) {
			return true;
		}
		// what the servlet calls is to see the user, as Spring MVC's handlers do
		limited.use(request, response);
		limited.passOn();
		return this.limits.dispatch.letWait(limited, request, response);
	}

	/**
	 * Takes what the matching rules ask for, or answers the request. Only Spring MVC
	 * answers a preflight request without running a handler. That of a browser has no
	 * credentials, but Spring Security would check those of a guesser.
	 * @return {@code false} if the request has been answered
	 */
	private boolean enforceOrAnswer(List<RateLimitRule> rules, LimitedServletRequest limited,
			HttpServletRequest request, HttpServletResponse response) throws IOException, ServletException {
		boolean forwarded = request.getDispatcherType() == DispatcherType.FORWARD;
		if (rules.isEmpty() || limited.isExempt() || (forwarded && isForView(request))) {
			return true;
		}

		RequestedPath path = new ServletPath(this.limits.mvcServlets, request, limited);
		boolean preflight = CorsUtils.isPreFlightRequest(request) && !limited.isAuthorized();
		if (preflight && this.limits.mvcServlets.isTargetOf(request)) {
			limited.postpone(() -> enforce(rules, path, limited));
			return true;
		}
		if (!take(rules, path, limited)) {
			reject(rules, path, limited, request, response);
			return false;
		}

		McpMessages messages = this.limits.messages;
		boolean refused = messages != null && refuseMessage(messages, limited, request, response);
		return !refused;
	}

	/*
	 * Answers a message that a rule has read, and that not everybody would read alike. By
	 * now it has paid.
	 */
	private boolean refuseMessage(McpMessages messages, LimitedServletRequest limited, HttpServletRequest request,
			HttpServletResponse response) throws IOException {
		SentMessage message = limited.messageRead();
		Refusal refusal = (message != null) ? message.refusal() : null;
		if (message == null || refusal == null) {
			return false;
		}
		this.rejections.refuse(messages.refusal(message, refusal), refusal, request, response);
		return true;
	}

	private void reject(List<RateLimitRule> rules, RequestedPath path, LimitedServletRequest limited,
			HttpServletRequest request, HttpServletResponse response) throws IOException, ServletException {
		RateLimiter limiter = Objects.requireNonNull(limited.rejection()).request().limiter();
		this.rejections.reject(limited, request, response);
		ServerHttpObservationFilter.findObservationContext(request)
			.ifPresent((context) -> context.setPathPattern(RateLimitRule.patternOf(rules, limiter, path)));
	}

	private static boolean take(List<RateLimitRule> rules, RequestedPath path, LimitedServletRequest limited) {
		List<PermitRequest> asked = RateLimitRule.resolve(rules, path, limited);
		if (asked.isEmpty()) {
			return true;
		}
		boolean allowed = limited.take(asked, true);
		if (allowed) {
			limited.writeHeaders(null);
		}
		return allowed;
	}

	private static void enforce(List<RateLimitRule> rules, RequestedPath path, LimitedServletRequest limited) {
		if (!take(rules, path, limited)) {
			AcquisitionEntry rejection = Objects.requireNonNull(limited.rejection());
			throw new RateLimitExceededException(rejection.policy(), rejection.decision());
		}
	}

	/*
	 * No client can ask for a view, and what a pattern's variables would make of its path
	 * is nobody's key.
	 */
	private static boolean isForView(HttpServletRequest request) {
		String path = request.getServletPath();
		return path.startsWith("/WEB-INF/") || path.startsWith("/META-INF/");
	}

	private boolean answerRejection(@Nullable Object thrown, LimitedServletRequest limited, HttpServletRequest request,
			HttpServletResponse response) throws IOException, ServletException {
		RateLimitExceededException rejection = RateLimitRejections.find(thrown);
		if (rejection == null || response.isCommitted()) {
			return false;
		}
		this.rejections.reject(rejection, limited, request, response);
		return true;
	}

	/*
	 * What suspended the request before it was rejected will not complete it.
	 */
	private static void complete(HttpServletRequest request) {
		if (!request.isAsyncStarted()) {
			return;
		}
		try {
			request.getAsyncContext().complete();
		}
		catch (IllegalStateException ex) {
			// it has been dispatched or completed already
		}
	}

	/*
	 * Whether the response was half sent when the rest of it was rejected, as a stream
	 * may be, on a server that can end it so.
	 */
	private static boolean isHalfSent(Throwable thrown, HttpServletResponse response) {
		return TOMCAT && response.isCommitted() && RateLimitRejections.find(thrown) != null;
	}

	/**
	 * The position of a filter.
	 */
	public enum Position {

		/**
		 * The filter comes before Spring Security. It enforces the rules that need nobody
		 * to be authenticated, and answers what is rejected further inside. It is for all
		 * dispatches but includes.
		 */
		BEFORE_SECURITY,

		/**
		 * The filter comes after Spring Security. It enforces the rules that read the
		 * user. It is for requests and forwards.
		 */
		AFTER_SECURITY,

		/**
		 * The filter comes after all others. It enforces all rules once more for a
		 * request whose path or method one of them has changed, and lets a request wait
		 * if its servlet is not Spring MVC's, where a handler adapter does so even later.
		 * It is for requests, forwards and asynchronous dispatches.
		 */
		INNERMOST

	}

	private static final class Tomcat {

		/*
		 * The one exception that Tomcat closes the connection for without logging an
		 * error and without adding an error page to what was sent.
		 */
		static IOException abort(Throwable cause) {
			return new ClientAbortException(cause);
		}

	}

}
