package io.github.ratelimit.web.servlet;

import java.security.Principal;
import java.util.Collections;
import java.util.List;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.AcquisitionEntry;
import io.github.ratelimit.request.McpMessage;
import io.github.ratelimit.request.RequestView;
import io.github.ratelimit.web.mcp.McpMessages;
import io.github.ratelimit.web.mcp.SentMessage;
import io.github.ratelimit.web.mcp.SentMessage.Refusal;
import io.github.ratelimit.web.rules.RuledRequest;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.ServletResponseWrapper;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * A servlet request. It is an attribute of the request, so that it lives through all its
 * dispatches; what expressions see is the request as the current dispatch has it, which
 * filters may have wrapped. What shows an error is no request of its own: there they see
 * the one that has failed.
 */
final class LimitedServletRequest extends RuledRequest implements ServletRequestView {

	static final String ATTRIBUTE = LimitedServletRequest.class.getName();

	final ServletRateLimits limits;

	/* The request as the last dispatch had it that did not show an error. */
	private HttpServletRequest viewed;

	/* The match of that one, kept once an error is shown, whose handler matches too. */
	private @Nullable Matched matched;

	/* The request and the response as the current dispatch has them. */
	private HttpServletRequest dispatched;

	private @Nullable HttpServletResponse response;

	/* The header fields, once a policy has said something. */
	private @Nullable ServletResponseFields fields;

	/*
	 * Decides on a request that looks like a preflight, if somebody checks credentials.
	 */
	private volatile @Nullable Runnable postponed;

	/* Whether the request has left its filters with an exception. */
	private volatile boolean thrown;

	/* Another thread may have inherited the request, and may outlive it. */
	private volatile @Nullable Thread servedBy;

	/* Whether something was decided elsewhere that the response does not tell yet. */
	private boolean unwritten;

	/* Whether something listens for its asynchronous end. */
	private boolean followed;

	private @Nullable String clientAddress;

	/* The message for an MCP server, once a rule has read it. */
	private @Nullable SentMessage message;

	/* The user, for charges: Spring Security forgets them before the request is over. */
	private @Nullable Principal user;

	/**
	 * Creates the request.
	 * @param limits what all requests share
	 * @param request the request
	 * @param response the response, unless it is not the thread's to change
	 */
	LimitedServletRequest(ServletRateLimits limits, HttpServletRequest request,
			@Nullable HttpServletResponse response) {
		super(limits.rules(), limits.room, limits.longestWaitNanos);
		this.limits = limits;
		this.viewed = request;
		this.dispatched = request;
		this.response = settable(response, request.getDispatcherType());
	}

	/**
	 * Returns what is known of a request, which is created on first use.
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
		if (bound == null) {
			return null;
		}
		try {
			Object known = bound.getAttribute(ATTRIBUTE, RequestAttributes.SCOPE_REQUEST);
			if (known instanceof LimitedServletRequest limited && limited.servedBy == Thread.currentThread()) {
				return limited;
			}
			return null;
		}
		catch (IllegalStateException ex) {
			// it is over
			return null;
		}
	}

	/**
	 * Notes how the current dispatch has the request.
	 * @param request the request
	 * @param response the response, or {@code null} if the request was bound without
	 */
	void use(HttpServletRequest request, @Nullable HttpServletResponse response) {
		this.dispatched = request;
		DispatcherType dispatch = request.getDispatcherType();
		if (response != null) {
			this.response = settable(response, dispatch);
		}

		if (dispatch != DispatcherType.ERROR) {
			this.viewed = request;
			this.matched = null;
		}
		else if (this.matched == null) {
			this.matched = new Matched(request.getAttribute(PATTERN), request.getAttribute(VARIABLES));
			showError();
		}
	}

	/**
	 * Notes how Spring has bound the request to the thread, unless the current dispatch
	 * has wrapped that since: Spring binds it before Spring Security knows the user, and
	 * only Spring MVC binds it again.
	 * @param bound the request and the response
	 */
	void useBound(ServletRequestAttributes bound) {
		HttpServletRequest request = bound.getRequest();
		boolean wrapped = this.dispatched instanceof ServletRequestWrapper wrapper && wrapper.isWrapperFor(request)
				&& wrapper.getDispatcherType() == request.getDispatcherType();
		if (!wrapped) {
			use(request, bound.getResponse());
		}
	}

	/**
	 * Notes which thread serves the request.
	 * @param thread the thread, or {@code null} if none does any more
	 * @return the thread that has served it before
	 */
	@Nullable Thread serveOn(@Nullable Thread thread) {
		Thread before = this.servedBy;
		this.servedBy = thread;
		return before;
	}

	/**
	 * Sets the header fields for what the policies have said so far, and those of a
	 * rejected request, unless the response is committed.
	 * @param rejection the decision that rejected it, or {@code null} if none did
	 */
	synchronized void writeHeaders(@Nullable RateLimitDecision rejection) {
		List<AcquisitionEntry> reported = reportedEntries();
		if (reported.isEmpty() && rejection == null) {
			return;
		}
		HttpServletResponse response = this.response;
		if (response == null || response.isCommitted()) {
			return;
		}

		ServletResponseFields fields = this.fields;
		if (fields == null) {
			fields = new ServletResponseFields(response, this.limits.headers);
			this.fields = fields;
		}
		else {
			fields.use(response);
		}
		fields.write(reported, rejection);
		if (rejection != null) {
			expose();
		}
	}

	/**
	 * Notes that the request is passed on to a handler or a servlet. By now it is known
	 * whether scripts of other origins may read the response, and so the header fields.
	 */
	void passOn() {
		notePassedOn();
		expose();
	}

	/* Lets scripts of other origins read the header fields. */
	private void expose() {
		HttpServletResponse response = this.response;
		if (this.fields == null || response == null) {
			return;
		}
		if (this.dispatched.getHeader(HttpHeaders.ORIGIN) != null && !response.isCommitted()) {
			this.limits.headers.expose(response::getHeaders, response::addHeader);
		}
	}

	@Override
	public void report(Acquisition acquisition) {
		if (this.response == null) {
			return;
		}
		if (acquisition != this) {
			add(acquisition.entries());
		}
		if (this.servedBy == Thread.currentThread()) {
			writeHeaders(null);
		}
		else {
			tryToWriteHeaders();
		}
	}

	/*
	 * A call may be decided on by another thread. Once the request is asynchronous, the
	 * thread that has served it leaves through filters that set fields of their own, and
	 * then sets ours. Before, it most often waits for what was decided; what it writes to
	 * the response meanwhile is written beside this. If no thread serves a request that
	 * is not asynchronous, it is over, and the response another client's.
	 */
	private synchronized void tryToWriteHeaders() {
		boolean isServed = this.servedBy != null;
		try {
			boolean isAsynchronous = this.dispatched.isAsyncStarted();
			if (isServed && isAsynchronous) {
				this.unwritten = true;
			}
			else if (isServed || isAsynchronous) {
				writeHeaders(null);
			}
		}
		catch (IllegalStateException ex) {
			// the server has taken the response back
		}
	}

	/**
	 * Notes that a thread has served the request, and sets the header fields for what
	 * others have decided meanwhile.
	 * @param servedBefore the thread that has served it before, or {@code null}
	 */
	synchronized void leave(@Nullable Thread servedBefore) {
		if (this.unwritten) {
			this.unwritten = false;
			writeHeaders(null);
		}
		this.servedBy = servedBefore;
	}

	@Override
	public void reportFallback(Acquisition acquisition) {
		AcquisitionEntry rejection = acquisition.rejection();
		if (acquisition == this && rejection != null) {
			writeHeaders(rejection.decision());
		}
	}

	/*
	 * What is included cannot set fields, so that they go to the server's own response.
	 */
	private static @Nullable HttpServletResponse settable(@Nullable HttpServletResponse response,
			DispatcherType dispatch) {
		return (dispatch == DispatcherType.INCLUDE) ? innermost(response) : response;
	}

	/*
	 * A wrapper may have another status than the client gets.
	 */
	private static @Nullable HttpServletResponse innermost(@Nullable HttpServletResponse response) {
		ServletResponse inner = response;
		while (inner instanceof ServletResponseWrapper wrapper) {
			inner = wrapper.getResponse();
		}
		if (inner instanceof HttpServletResponse http) {
			return http;
		}
		return response;
	}

	/**
	 * Notes that the request has left its filters with an exception.
	 */
	void noteThrown() {
		this.thrown = true;
	}

	/**
	 * Settles what the request has reserved, now that its status is final.
	 * @param errorShown whether an exception has its status by now
	 */
	void settleByResponse(boolean errorShown) {
		ServletOutcome outcome = outcome(errorShown);
		if (isCharged() && outcome.detectLostReader()) {
			noteCancelled();
		}
		settleByStatus(outcome.status());
	}

	/**
	 * Settles what the request has reserved, if its status has been sent, and is final.
	 */
	void settleSent() {
		if (outcome(true).isSent()) {
			settleByResponse(true);
		}
	}

	/**
	 * Settles a request that the server ends while the application may still work for it,
	 * by the status that its client has seen, if it has seen any.
	 */
	void settleUnfinished() {
		ServletOutcome outcome = outcome(true);
		if (outcome.isSent()) {
			settleCancelled(outcome.status());
		}
		else {
			settleCancelled(null);
		}
	}

	private ServletOutcome outcome(boolean errorShown) {
		return new ServletOutcome(innermost(this.response), exception(), this.thrown, errorShown);
	}

	/**
	 * Whether something listens for the asynchronous end of the request already.
	 */
	boolean isFollowed() {
		return this.followed;
	}

	void noteFollowed() {
		this.followed = true;
	}

	/**
	 * Lets a request through that looks like a preflight, and decides on it only if
	 * somebody checks its credentials: that of a browser has none.
	 * @param decision decides on it, and fails with a rejection
	 */
	void postpone(Runnable decision) {
		Runnable before = this.postponed;
		if (before == null) {
			this.postponed = decision;
			return;
		}
		this.postponed = () -> {
			before.run();
			decision.run();
		};
	}

	/**
	 * Takes out what was postponed, because somebody is about to check credentials.
	 * @return decides on the request, and fails with a rejection; {@code null} if nothing
	 * was postponed, or it was taken out before
	 */
	@Nullable Runnable takePostponed() {
		Runnable decision = this.postponed;
		this.postponed = null;
		return decision;
	}

	/**
	 * Notes who is authenticated, if a charge reads it, and that credentials which came
	 * with the request were right, whoever has checked them: those of a session's user
	 * may be anything.
	 * @param request the request as it is after Spring Security
	 */
	void noteUser(HttpServletRequest request) {
		boolean authorized = isAuthorized() && !isAuthenticationNoted();
		if (!authorized && !isChargedByPrincipal()) {
			return;
		}
		Principal principal = request.getUserPrincipal();
		if (principal == null) {
			return;
		}
		this.user = principal;
		if (authorized && !hasUserOfSession(request)) {
			noteAuthentication(false);
		}
	}

	private static boolean hasUserOfSession(HttpServletRequest request) {
		HttpSession session = request.getSession(false);
		if (session == null) {
			return false;
		}
		return Collections.list(session.getAttributeNames())
			.stream()
			.anyMatch((name) -> isUserOfSession(session.getAttribute(name)));
	}

	/**
	 * Reads the message for an MCP server, and notes it. One that cannot be read in one
	 * way only is refused, once the rules have been paid.
	 * @param request the request as the caller has it
	 * @param path its path
	 * @return what the message asks, or nothing if the path takes none
	 * @throws IllegalStateException if it is refused
	 */
	McpMessage readMessage(HttpServletRequest request, ServletPath path) {
		McpMessages messages = this.limits.messages;
		if (messages == null || !rules().areReadingMessages() || !messages.areAt(path)) {
			return McpMessage.NONE;
		}
		MessageRequest shared = MessageRequest.find(request);
		SentMessage message = (shared != null) ? shared.message() : SentMessage.unread(Refusal.UNREAD);
		this.message = message;
		return message.message();
	}

	/**
	 * Returns the message for an MCP server that a rule has read; {@code null} if none
	 * has.
	 */
	@Nullable SentMessage messageRead() {
		return this.message;
	}

	@Override
	public @Nullable Principal principal() {
		return principal(this.dispatched);
	}

	/**
	 * Finds the authenticated user.
	 * @param request the request as the caller has it
	 */
	@Nullable Principal principal(HttpServletRequest request) {
		Principal principal = request.getUserPrincipal();
		return (principal != null) ? principal : this.user;
	}

	/**
	 * Returns what the handler has returned by now.
	 */
	@Nullable Object returned() {
		return result();
	}

	@Override
	public RequestView view() {
		return this;
	}

	@Override
	public String clientAddress() {
		String address = this.clientAddress;
		if (address == null) {
			HttpServletRequest request = this.viewed;
			address = this.limits.clientAddresses.resolve(request.getRemoteAddr(), request::getHeaders);
			this.clientAddress = address;
		}
		return address;
	}

	@Override
	public String path() {
		Matched matched = this.matched;
		if (matched == null) {
			return ServletRequestView.super.path();
		}
		return ServletRequestView.path(matched.pattern, request());
	}

	@Override
	public @Nullable String pathVariable(String name) {
		Matched matched = this.matched;
		if (matched == null) {
			return ServletRequestView.super.pathVariable(name);
		}
		return ServletRequestView.pathVariable(matched.variables, name);
	}

	@Override
	public HttpServletRequest request() {
		return this.viewed;
	}

	/**
	 * The match of a handler mapping.
	 *
	 * @param pattern the pattern, or {@code null} if none has matched
	 * @param variables its variables
	 */
	private record Matched(@Nullable Object pattern, @Nullable Object variables) {

	}

}
