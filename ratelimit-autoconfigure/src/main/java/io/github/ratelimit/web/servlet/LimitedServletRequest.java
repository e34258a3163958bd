package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.Map;
import java.util.Objects;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.enforce.Acquisition;
import io.github.ratelimit.enforce.LimitedHttpRequest;
import io.github.ratelimit.expression.RequestView;
import io.github.ratelimit.web.HeaderFieldSetter;
import io.github.ratelimit.web.HeaderName;
import io.github.ratelimit.web.RateLimitHeaders;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * A servlet request. An attribute of the request, so that it lives through all its
 * dispatches; what expressions see is the request as the current dispatch has it, which
 * filters may have wrapped.
 * <p>
 * The attributes of Spring MVC's {@code HandlerMapping} are read by name, because bean
 * methods are also called where there is no Spring MVC.
 */
class LimitedServletRequest extends LimitedHttpRequest implements ServletRequestView {

	private static final String ATTRIBUTE = LimitedServletRequest.class.getName();

	private static final String PATTERN = "org.springframework.web.servlet.HandlerMapping.bestMatchingPattern";

	private static final String VARIABLES = "org.springframework.web.servlet.HandlerMapping.uriTemplateVariables";

	private final ServletRateLimits limits;

	private HttpServletRequest request;

	private @Nullable HttpServletResponse response;

	/* Another thread may have inherited the request, and may outlive it. */
	volatile @Nullable Thread servedBy;

	private @Nullable String matchedPath;

	private @Nullable String matchedMethod;

	private @Nullable String clientAddress;

	/* Whether the response does not tell yet what the policies have said. */
	volatile boolean reportPending;

	private boolean reported;

	private boolean reporting;

	/* What rejected the request, once its client is told when to come back. */
	private @Nullable RateLimitDecision rejection;

	/* Whether a servlet has the response without our wrapper around it. */
	private boolean unwatched;

	LimitedServletRequest(ServletRateLimits limits, HttpServletRequest request,
			@Nullable HttpServletResponse response) {
		super(new Acquisition(limits.clock, limits.room, limits.longestWaitNanos));
		this.limits = limits;
		this.request = request;
		this.response = response;
	}

	/**
	 * Finds what is known of a request, or begins to know it.
	 * @param request the request as the caller has it
	 * @param response the response as the caller has it
	 * @param limits what all requests share
	 */
	static LimitedServletRequest of(HttpServletRequest request, HttpServletResponse response,
			ServletRateLimits limits) {
		LimitedServletRequest limited = (LimitedServletRequest) request.getAttribute(ATTRIBUTE);
		if (limited == null) {
			limited = new LimitedServletRequest(limits, request, response);
			request.setAttribute(ATTRIBUTE, limited);
			return limited;
		}
		limited.request = request;
		limited.response = response;
		return limited;
	}

	static @Nullable LimitedServletRequest find(HttpServletRequest request) {
		return (LimitedServletRequest) request.getAttribute(ATTRIBUTE);
	}

	/**
	 * Finds what is known of the request that a thread is bound to.
	 * @param attributes the binding
	 * @return the request, or {@code null} if nothing is known of it
	 * @throws IllegalStateException if the request is over
	 */
	static @Nullable LimitedServletRequest find(RequestAttributes attributes) {
		return (LimitedServletRequest) attributes.getAttribute(ATTRIBUTE, RequestAttributes.SCOPE_REQUEST);
	}

	/**
	 * Notes how the current dispatch has the request.
	 * @param request the request
	 * @param response the response, or {@code null} if the request was bound without
	 */
	final void use(HttpServletRequest request, @Nullable HttpServletResponse response) {
		this.request = request;
		if (response != null) {
			this.response = response;
		}
	}

	/**
	 * Whether the request is bound to the calling thread, for the methods that are called
	 * while it is served. A thread of the server that was started while another request
	 * was served may have inherited that one.
	 */
	boolean isBound() {
		RequestAttributes bound = RequestContextHolder.getRequestAttributes();
		try {
			return bound != null && (!(bound instanceof ServletRequestAttributes) || find(bound) == this);
		}
		catch (IllegalStateException ex) {
			return false;
		}
	}

	/**
	 * Notes what the rules were last matched with.
	 */
	void match(HttpServletRequest request) {
		this.matchedPath = request.getRequestURI();
		this.matchedMethod = request.getMethod();
	}

	/**
	 * Whether the rules were matched with another path or method than a request has,
	 * which a filter has changed since.
	 */
	boolean isRewritten(HttpServletRequest request) {
		return this.matchedPath != null && !(this.matchedPath.equals(request.getRequestURI())
				&& Objects.equals(this.matchedMethod, request.getMethod()));
	}

	/**
	 * Reports what the policies have said so far, but not yet: other policies may follow,
	 * and the header fields are set once for all.
	 * @param request the request as a filter has it
	 * @param response the response as a filter has it
	 * @param chain how to go on
	 */
	void reportLater(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		this.reportPending = true;
		this.request = (request instanceof ReportingRequest) ? request : new ReportingRequest(request, this);
		chain.doFilter(this.request, watch(response));
	}

	/**
	 * Sees what becomes of a response, which decides whether it has our fields.
	 * @param response the response as a filter has it
	 * @return the response to go on with
	 */
	HttpServletResponse watch(HttpServletResponse response) {
		return (response instanceof ReportingResponse) ? response : new ReportingResponse(response, this);
	}

	/**
	 * Gives a response to a servlet that needs the container's own.
	 * @param response the response as a filter has it
	 * @return the response to go on with
	 */
	HttpServletResponse unwatch(HttpServletResponse response) {
		this.unwatched = true;
		return ReportingResponse.original(response);
	}

	/**
	 * Reports what is pending at the end of a dispatch, unless another thread has the
	 * response by now.
	 * @param request the request as the dispatch began
	 * @param response the response as the dispatch began
	 */
	void endDispatch(HttpServletRequest request, HttpServletResponse response) {
		if ((this.reportPending || this.unwatched) && !request.isAsyncStarted()) {
			use(request, response);
			report();
		}
	}

	/**
	 * Sets the header fields for what the policies have said so far, in place of earlier
	 * ones. Leaves a committed response alone. What is included may commit it, but cannot
	 * set fields, so that they go to the server's own response.
	 */
	synchronized void report() {
		this.reportPending = false;
		boolean included = this.request.getDispatcherType() == DispatcherType.INCLUDE;
		HttpServletResponse response = included ? ReportingResponse.innermost(this.response)
				: ReportingResponse.original(this.response);
		if (response != null && !HeaderFields.areSent(response)) {
			report(response, RateLimitHeaders.isSentWith(response.getStatus()));
		}
	}

	private void report(HttpServletResponse response, boolean sent) {
		this.reporting = true;
		try {
			if (sent) {
				this.limits.headers.write(entries(), HeaderFields.of(response));
				restoreRetry(response);
				this.limits.exposed.apply(this.request, response);
			}
			else {
				withdraw(HeaderFields.without(response));
			}
			this.reported = sent;
		}
		finally {
			this.reporting = false;
		}
	}

	/* The application may have removed them, or set its own. */
	private void restoreRetry(HttpServletResponse response) {
		RateLimitDecision rejection = this.rejection;
		if (rejection != null && !response.containsHeader(HeaderName.RETRY_AFTER.text())) {
			this.limits.headers.writeRetry(rejection, HeaderFields.of(response));
		}
	}

	private void withdraw(HeaderFieldSetter fields) {
		if (this.reported) {
			this.limits.headers.write(entries(), fields);
		}
		if (this.rejection != null) {
			this.limits.headers.writeRetry(this.rejection, fields);
		}
	}

	/**
	 * Takes the header fields away before a redirection: what remains is no reason not to
	 * follow it.
	 */
	synchronized void withdraw() {
		this.reportPending = false;
		HttpServletResponse response = ReportingResponse.original(this.response);
		if (response != null && !HeaderFields.areSent(response)) {
			report(response, false);
		}
	}

	/**
	 * Sets or takes away the header fields as a changed status has it.
	 */
	void reportStatus() {
		if (!this.reportPending) {
			report();
		}
	}

	/**
	 * Sets the header fields again, after the application has set one of them.
	 */
	void reportAgain() {
		if (this.reported && !this.reporting && !this.reportPending) {
			report();
		}
	}

	/**
	 * Notes that the application has removed all header fields.
	 */
	void restore() {
		this.reported = false;
		this.reportPending = true;
	}

	/**
	 * Tells a rejected client when to come back.
	 * @param decision the decision that rejected its request
	 * @param response the response, which is left alone if it is committed
	 */
	void reportRetry(RateLimitDecision decision, HttpServletResponse response) {
		if (!response.isCommitted()) {
			this.limits.headers.writeRetry(decision, HeaderFields.of(ReportingResponse.original(response)));
			this.limits.exposed.apply(this.request, response);
			this.rejection = decision;
		}
	}

	@Override
	public void report(Acquisition acquisition) {
		if (this.response != null) {
			add(acquisition);
			report();
		}
	}

	@Override
	public RequestView view() {
		return this;
	}

	@Override
	public String clientAddress() {
		String address = this.clientAddress;
		if (address == null) {
			address = this.limits.clientAddresses.resolve(this.request.getRemoteAddr(), this.request,
					HttpServletRequest::getHeaders);
			this.clientAddress = address;
		}
		return address;
	}

	@Override
	public String path() {
		Object pattern = this.request.getAttribute(PATTERN);
		return (pattern != null) ? pattern.toString() : this.request.getServletPath();
	}

	@Override
	public @Nullable String pathVariable(String name) {
		return (this.request.getAttribute(VARIABLES) instanceof Map<?, ?> variables
				&& variables.get(name) instanceof String value) ? value : null;
	}

	@Override
	public HttpServletRequest request() {
		return this.request;
	}

}
