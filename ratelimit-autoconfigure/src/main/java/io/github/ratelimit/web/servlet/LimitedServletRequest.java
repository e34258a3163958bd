package io.github.ratelimit.web.servlet;

import java.lang.reflect.Method;
import java.security.Principal;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.CallOutcome;
import io.github.ratelimit.request.LimitedHttpRequest;
import io.github.ratelimit.request.RequestView;
import io.github.ratelimit.web.rules.RateLimitRule;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.ServletResponseWrapper;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.context.request.async.AsyncRequestTimeoutException;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncManager;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.util.DisconnectedClientHelper;

/**
 * A servlet request. An attribute of the request, so that it lives through all its
 * dispatches; what expressions see is the request as the current dispatch has it, which
 * filters may have wrapped. What shows an error is no request of its own: there they see
 * the one that has failed.
 * <p>
 * The attributes of Spring MVC's {@code HandlerMapping} are read by name, because bean
 * methods are also called where there is no Spring MVC.
 */
final class LimitedServletRequest extends LimitedHttpRequest implements ServletRequestView {

	private static final String ATTRIBUTE = LimitedServletRequest.class.getName();

	private static final String PATTERN = "org.springframework.web.servlet.HandlerMapping.bestMatchingPattern";

	private static final String VARIABLES = "org.springframework.web.servlet.HandlerMapping.uriTemplateVariables";

	final ServletRateLimits limits;

	/* Those that were in force when the request came. */
	final RateLimitRule.InForce rules;

	/* Of a thread that does not serve the request. */
	private final @Nullable RequestAttributes inherited;

	/* As the last dispatch had it that did not show an error. */
	private HttpServletRequest viewed;

	/* What that one has matched, once an error is shown, whose handler matches too. */
	private @Nullable Matched matched;

	/* As the current dispatch has them. */
	private HttpServletRequest request;

	private @Nullable HttpServletResponse response;

	/* Once a policy has said something. */
	private @Nullable HeaderFields fields;

	/* Whether the request has left its filters with an exception. */
	volatile boolean thrown;

	/* Another thread may have inherited the request, and may outlive it. */
	volatile @Nullable Thread servedBy;

	/* Whether a thread of Spring MVC runs the handler's Callable. */
	volatile boolean working;

	/* Whether its asynchronous end will be told. */
	boolean watched;

	/* What the rules are matched with. */
	@Nullable String matchedPath;

	@Nullable String matchedMethod;

	/* What decides on a request that was let through as a preflight. */
	private @Nullable Runnable postponed;

	private @Nullable String clientAddress;

	/* The user, for charges: Spring Security forgets them before the request is over. */
	private @Nullable Principal user;

	/**
	 * Creates the request.
	 * @param limits what all requests share
	 * @param request the request
	 * @param response the response, unless it is not the thread's to change
	 * @param inherited how a thread has the request that does not serve it: what it tells
	 * then holds only if the request is still served afterwards
	 */
	LimitedServletRequest(ServletRateLimits limits, HttpServletRequest request, @Nullable HttpServletResponse response,
			@Nullable RequestAttributes inherited) {
		super(limits.room, limits.longestWaitNanos);
		this.limits = limits;
		this.rules = limits.rules;
		this.viewed = request;
		this.request = request;
		this.response = response;
		this.inherited = inherited;
	}

	/**
	 * Finds what is known of a request, and creates it on first use.
	 * @param request the request as the caller has it
	 * @param response the response as the caller has it
	 * @param limits what all requests share
	 */
	static LimitedServletRequest of(HttpServletRequest request, HttpServletResponse response,
			ServletRateLimits limits) {
		LimitedServletRequest limited = (LimitedServletRequest) request.getAttribute(ATTRIBUTE);
		if (limited == null) {
			limited = new LimitedServletRequest(limits, request, response, null);
			request.setAttribute(ATTRIBUTE, limited);
			return limited;
		}
		limited.use(request, response);
		return limited;
	}

	static @Nullable LimitedServletRequest find(HttpServletRequest request) {
		return (LimitedServletRequest) request.getAttribute(ATTRIBUTE);
	}

	/**
	 * Finds what is known of the request that the calling thread serves.
	 * @param bound the request that is bound to the thread, if one is
	 * @return the request, or {@code null} if nothing is known of it, or another thread
	 * serves it
	 */
	static @Nullable LimitedServletRequest served(@Nullable RequestAttributes bound) {
		try {
			return (bound != null
					&& bound.getAttribute(ATTRIBUTE,
							RequestAttributes.SCOPE_REQUEST) instanceof LimitedServletRequest limited
					&& limited.servedBy == Thread.currentThread()) ? limited : null;
		}
		catch (IllegalStateException ex) {
			// it is over
			return null;
		}
	}

	/**
	 * Finds the request that Spring has bound to the calling thread. A thread that has
	 * inherited a request may outlive it, and would then read, or answer, another
	 * client's.
	 * @param limits what all requests share
	 * @return the request, or {@code null} if there is none or it is over
	 */
	static @Nullable LimitedServletRequest current(ServletRateLimits limits) {
		if (!(RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)) {
			return null;
		}
		LimitedServletRequest limited = served(attributes);
		if (limited != null) {
			limited.use(attributes.getRequest(), attributes.getResponse());
			return limited;
		}
		LimitedServletRequest inherited = new LimitedServletRequest(limits, attributes.getRequest(), null, attributes);
		return inherited.isServed() ? inherited : null;
	}

	/**
	 * Notes how the current dispatch has the request.
	 * @param request the request
	 * @param response the response, or {@code null} if the request was bound without
	 */
	void use(HttpServletRequest request, @Nullable HttpServletResponse response) {
		this.request = request;
		if (response != null) {
			this.response = response;
		}
		if (request.getDispatcherType() != DispatcherType.ERROR) {
			this.viewed = request;
			this.matched = null;
		}
		else if (this.matched == null) {
			this.matched = new Matched(request.getAttribute(PATTERN), request.getAttribute(VARIABLES));
			showError();
		}
	}

	/**
	 * Sets the header fields for what the policies have said so far, and those of a
	 * rejected request, unless the response is committed. What is included cannot set
	 * fields, so that they go to the server's own response.
	 * @param rejection the decision that rejected it, or {@code null} if none did
	 */
	synchronized void tell(@Nullable RateLimitDecision rejection) {
		List<Entry> told = reportedEntries();
		if (told.isEmpty() && rejection == null) {
			return;
		}
		HttpServletResponse response = (this.request.getDispatcherType() == DispatcherType.INCLUDE)
				? innermost(this.response) : this.response;
		if (response == null || response.isCommitted()) {
			return;
		}
		HeaderFields fields = this.fields;
		if (fields == null) {
			fields = new HeaderFields(response);
			this.fields = fields;
		}
		else {
			fields.use(response);
		}
		this.limits.headers.write(told, rejection, fields);
		if (rejection != null) {
			expose();
		}
	}

	/**
	 * Lets scripts of other origins read the header fields, once it is known whether they
	 * may read the response.
	 */
	void expose() {
		HttpServletResponse response = this.response;
		if (this.fields != null && response != null && this.request.getHeader(HttpHeaders.ORIGIN) != null
				&& !response.isCommitted()) {
			this.limits.headers.expose(response::getHeaders, response::addHeader);
		}
	}

	@Override
	public void report(Acquisition acquisition) {
		if (this.response != null) {
			if (acquisition != this) {
				add(acquisition.entries());
			}
			tell(null);
		}
	}

	/* A wrapper may tell another status than the client gets. */
	private static @Nullable HttpServletResponse innermost(@Nullable HttpServletResponse response) {
		ServletResponse inner = response;
		while (inner instanceof ServletResponseWrapper wrapper) {
			inner = wrapper.getResponse();
		}
		return (inner instanceof HttpServletResponse http) ? http : response;
	}

	/**
	 * Settles what the request has reserved, now that its status is final. Spring MVC
	 * answers nothing to an exception whose message reads like a lost connection.
	 * @param errorShown whether an exception has its status by now
	 */
	void settle(boolean errorShown) {
		HttpServletResponse response = innermost(this.response);
		int status = (response != null) ? response.getStatus() : HttpServletResponse.SC_OK;
		boolean pending = status == HttpServletResponse.SC_OK && (response == null || !response.isCommitted())
				&& (this.thrown && !errorShown || DisconnectedClientHelper.isClientDisconnectedException(exception()));
		settle(pending ? HttpServletResponse.SC_INTERNAL_SERVER_ERROR : status);
	}

	/**
	 * Settles a request that the server ends while the application may still work for it:
	 * by the status that its client has seen, or else as if all that it has reserved were
	 * used.
	 */
	void settleUnfinished() {
		HttpServletResponse response = innermost(this.response);
		if (response != null && response.isCommitted()) {
			settle(true);
		}
		else {
			settle(CallOutcome.UNKNOWN);
		}
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
	 * Lets a request through that looks like a preflight, and decides on it only if
	 * somebody checks its credentials: that of a browser has none.
	 * @param decision decides on it, and throws a rejection
	 */
	void postpone(Runnable decision) {
		Runnable before = this.postponed;
		this.postponed = (before == null) ? decision : () -> {
			before.run();
			decision.run();
		};
	}

	/**
	 * Decides on what was postponed.
	 * @throws RateLimitExceededException if the request is rejected
	 */
	void enforcePostponed() {
		Runnable decision = this.postponed;
		if (decision != null) {
			this.postponed = null;
			decision.run();
		}
	}

	/**
	 * Notes who is authenticated, if a charge reads it, and that credentials which came
	 * with the request were right, whoever has checked them.
	 * @param request the request as it is after Spring Security
	 */
	void noteUser(HttpServletRequest request) {
		boolean authorized = isAuthorized();
		Principal principal = (authorized || isChargedByPrincipal()) ? request.getUserPrincipal() : null;
		if (principal != null) {
			this.user = principal;
			if (authorized) {
				noteAuthentication(false);
			}
		}
	}

	@Override
	public @Nullable Principal principal() {
		checkServed();
		return principal(this.request);
	}

	/**
	 * The authenticated user.
	 * @param request the request as the caller has it
	 */
	@Nullable Principal principal(HttpServletRequest request) {
		Principal principal = request.getUserPrincipal();
		return (principal != null) ? principal : this.user;
	}

	/**
	 * Notes what an asynchronous handler has come to.
	 * @param request the request, dispatched again
	 */
	void noteConcurrentResult(HttpServletRequest request) {
		WebAsyncManager manager = WebAsyncUtils.getAsyncManager(request);
		Object result = result();
		boolean pending = result instanceof Callable<?> || result instanceof DeferredResult<?>
				|| result instanceof WebAsyncTask<?>;
		if (pending && manager.hasConcurrentResult()) {
			Object concurrent = manager.getConcurrentResult();
			if (concurrent instanceof Throwable failure) {
				endCall(null, failure);
			}
			else {
				endCall(concurrent, null);
			}
		}
	}

	/**
	 * Whether the application has an answer of its own to the time-out that the server
	 * has just told of, and has nothing left to do.
	 */
	boolean isAnsweredInTime() {
		return !this.working && !request().isAsyncStarted() && !(WebAsyncUtils.getAsyncManager(request())
			.getConcurrentResult() instanceof AsyncRequestTimeoutException);
	}

	@Override
	public RequestView view() {
		return this;
	}

	@Override
	public String clientAddress() {
		HttpServletRequest request = request();
		String address = this.clientAddress;
		if (address == null) {
			address = this.limits.clientAddresses.resolve(request.getRemoteAddr(), request::getHeaders);
			this.clientAddress = address;
		}
		return address;
	}

	@Override
	public String path() {
		HttpServletRequest request = request();
		Matched matched = this.matched;
		Object pattern = (matched != null) ? matched.pattern : request.getAttribute(PATTERN);
		return (pattern != null) ? pattern.toString() : request.getServletPath();
	}

	@Override
	public @Nullable String pathVariable(String name) {
		HttpServletRequest request = request();
		Matched matched = this.matched;
		Object variables = (matched != null) ? matched.variables : request.getAttribute(VARIABLES);
		return (variables instanceof Map<?, ?> map && map.get(name) instanceof String value) ? value : null;
	}

	/**
	 * {@inheritDoc}
	 * @throws IllegalStateException if a thread has inherited the request, and it is
	 * over: a server may have given the object to another request by now
	 */
	@Override
	public HttpServletRequest request() {
		checkServed();
		return this.viewed;
	}

	private void checkServed() {
		if (this.inherited != null && !isServed()) {
			throw new IllegalStateException("The request that the thread has inherited is over");
		}
	}

	@Override
	public boolean isServed() {
		try {
			if (this.inherited != null) {
				this.inherited.getAttribute(ATTRIBUTE, RequestAttributes.SCOPE_REQUEST);
			}
			return true;
		}
		catch (IllegalStateException ex) {
			return false;
		}
	}

	@Override
	public Acquisition acquisition(Method method) {
		return (this.inherited != null) ? new Acquisition(this.limits.room) : super.acquisition(method);
	}

	/**
	 * What a handler mapping has matched.
	 *
	 * @param pattern the pattern, or {@code null} if none has matched
	 * @param variables its variables
	 */
	private record Matched(@Nullable Object pattern, @Nullable Object variables) {

	}

}
