package io.github.ratelimit.web.servlet;

import java.lang.reflect.Method;
import java.security.Principal;
import java.util.Map;
import java.util.Objects;

import io.github.ratelimit.enforce.Acquisition;
import io.github.ratelimit.enforce.LimitedHttpRequest;
import io.github.ratelimit.expression.RequestView;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.RequestAttributes;

/**
 * A servlet request. An attribute of the request, so that it lives through all its
 * dispatches; what expressions see is the request as the current dispatch has it, which
 * filters may have wrapped.
 * <p>
 * The attributes of Spring MVC's {@code HandlerMapping} are read by name, because bean
 * methods are also called where there is no Spring MVC.
 */
class LimitedServletRequest extends LimitedHttpRequest implements RequestView {

	private static final String ATTRIBUTE = LimitedServletRequest.class.getName();

	private static final String PATTERN = "org.springframework.web.servlet.HandlerMapping.bestMatchingPattern";

	private static final String VARIABLES = "org.springframework.web.servlet.HandlerMapping.uriTemplateVariables";

	private final ServletRateLimits limits;

	private HttpServletRequest request;

	private @Nullable HttpServletResponse response;

	private volatile @Nullable Thread servedBy;

	private @Nullable String matchedPath;

	private @Nullable String matchedMethod;

	private @Nullable String clientAddress;

	private volatile boolean reportPending;

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
		}
		limited.use(request, response);
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
			this.response = ReportingResponse.original(response);
		}
	}

	/**
	 * Notes which thread serves the request from here on.
	 * @param thread the thread, or {@code null} while none does
	 * @return which thread did before
	 */
	@Nullable Thread serve(@Nullable Thread thread) {
		Thread before = this.servedBy;
		this.servedBy = thread;
		return before;
	}

	/**
	 * Whether the calling thread serves the request. Another may have inherited it, and
	 * may outlive it.
	 */
	boolean isServedHere() {
		return this.servedBy == Thread.currentThread();
	}

	@Override
	public void enter(Method handler, boolean proxied, boolean enforced) {
		this.servedBy = Thread.currentThread();
		super.enter(handler, proxied, enforced);
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
	 * @param response the response as a filter has it
	 * @return the response to go on with
	 */
	HttpServletResponse reportLater(HttpServletResponse response) {
		this.reportPending = true;
		return (response instanceof ReportingResponse) ? response : new ReportingResponse(response, this);
	}

	/**
	 * Reports what is pending, before it would be too late.
	 */
	void reportPending() {
		if (this.reportPending) {
			report();
		}
	}

	/**
	 * Reports what is pending at the end of a dispatch, unless another thread has the
	 * response by now.
	 * @param request the request as the dispatch began
	 * @param response the response as the dispatch began
	 */
	void endDispatch(HttpServletRequest request, HttpServletResponse response) {
		if (this.reportPending && !request.isAsyncStarted()) {
			use(request, response);
			report();
		}
	}

	/**
	 * Whether the response does not tell yet what the policies have said.
	 */
	boolean isReportPending() {
		return this.reportPending;
	}

	/**
	 * Sets the header fields for what the policies have said so far, in place of earlier
	 * ones. Leaves a committed response alone. What is included cannot set fields, so
	 * that what is pending stays so.
	 */
	synchronized void report() {
		boolean included = this.reportPending && this.request.getDispatcherType() == DispatcherType.INCLUDE;
		this.reportPending = false;
		HttpServletResponse response = this.response;
		if (response != null && !response.isCommitted()) {
			this.limits.headers.write(entries(), HeaderFields.of(response));
			this.limits.exposed.apply(this.request, response);
		}
		this.reportPending = included;
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
	public @Nullable Principal principal() {
		return this.request.getUserPrincipal();
	}

	@Override
	public @Nullable String header(String name) {
		return this.request.getHeader(name);
	}

	@Override
	public @Nullable String parameter(String name) {
		return RequestValues.parameter(this.request, name);
	}

	@Override
	public @Nullable String cookie(String name) {
		return RequestValues.cookie(this.request, name);
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
	public String method() {
		return this.request.getMethod();
	}

	@Override
	public @Nullable String session() {
		return session(this.request);
	}

	static @Nullable String session(HttpServletRequest request) {
		HttpSession session = request.getSession(false);
		return (session != null) ? session.getId() : null;
	}

	@Override
	public HttpServletRequest request() {
		return this.request;
	}

}
