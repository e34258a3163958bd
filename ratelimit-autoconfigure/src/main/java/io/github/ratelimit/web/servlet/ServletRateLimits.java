package io.github.ratelimit.web.servlet;

import java.util.List;
import java.util.function.Consumer;

import io.github.ratelimit.RateLimitInfo;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.request.AcquisitionEntry;
import io.github.ratelimit.request.CurrentRequest;
import io.github.ratelimit.request.LimitedRequest;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.web.HeaderSettings;
import io.github.ratelimit.web.address.AddressGate;
import io.github.ratelimit.web.address.ClientAddressResolver;
import io.github.ratelimit.web.mcp.McpMessages;
import io.github.ratelimit.web.rules.RateLimitRule;
import io.github.ratelimit.web.rules.RulesInForce;
import jakarta.servlet.ServletContext;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.SmartLifecycle;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Has what all servlet requests share when their limits are enforced, and finds the one
 * that a thread is serving.
 *
 * @since 0.1.0
 */
public final class ServletRateLimits implements CurrentRequest, Consumer<List<RateLimitRule>> {

	final ClientAddressResolver clientAddresses;

	final HeaderSettings headers;

	final RateLimiterRegistry registry;

	final WaitingRoom room;

	final long longestWaitNanos;

	final @Nullable McpMessages messages;

	final DelayedDispatch dispatch = new DelayedDispatch();

	final MvcServlets mvcServlets = new MvcServlets();

	/* Whether the server reports when it has done with a request. */
	private volatile boolean listening;

	/* Whether a valve does so, in place of a listener. */
	private boolean valve;

	/* What operators have decided of addresses. Nearly always nothing. */
	volatile @Nullable AddressGate gate;

	/* Whether the first filter decides by that, so that no later one does. */
	volatile boolean gateFirst;

	private volatile RulesInForce rules = new RulesInForce(List.of());

	/**
	 * Creates the shared part.
	 * @param clientAddresses finds the client's address
	 * @param headers renders the response's header fields
	 * @param registry knows all policies
	 * @param room where requests wait
	 * @param longestWaitNanos a policy that could delay a request for longer does not
	 * delay it
	 * @param messages reads the messages of requests for an MCP server, or {@code null}
	 * if there is none
	 */
	public ServletRateLimits(ClientAddressResolver clientAddresses, HeaderSettings headers,
			RateLimiterRegistry registry, WaitingRoom room, long longestWaitNanos, @Nullable McpMessages messages) {
		this.clientAddresses = clientAddresses;
		this.headers = headers;
		this.registry = registry;
		this.room = room;
		this.longestWaitNanos = longestWaitNanos;
		this.messages = messages;
	}

	/**
	 * Enforces rules in place of those before. Requests that are under way keep the rules
	 * that they began with.
	 * @param rules the rules, which do not change
	 */
	@Override
	public void accept(List<RateLimitRule> rules) {
		this.rules = new RulesInForce(rules);
	}

	/**
	 * Lets requests pass a gate from now on.
	 * @param gate decides on them by their address, or {@code null} if nothing does
	 */
	public void use(@Nullable AddressGate gate) {
		this.gate = gate;
	}

	/**
	 * Has the first filter let requests pass the gate, because there is one.
	 */
	public void useGateFirst() {
		this.gateFirst = true;
	}

	/**
	 * Returns the rules that requests begin with.
	 */
	RulesInForce rules() {
		return this.rules;
	}

	/**
	 * Sees to it that a message can be read here and by whoever serves the request, if a
	 * rule reads messages.
	 * @param request the request as a filter has it
	 * @param messages reads messages
	 * @return what goes on in place of the request
	 */
	HttpServletRequest shareMessage(HttpServletRequest request, McpMessages messages) {
		if (!this.rules.areReadingMessages()) {
			return request;
		}
		if (!request.getMethod().equalsIgnoreCase("POST") || MessageRequest.find(request) != null) {
			return request;
		}
		return new MessageRequest(request, messages);
	}

	/**
	 * Finds the request that Spring has bound to the calling thread. A thread that has
	 * inherited a request may outlive it, and would then read, or answer, another
	 * client's.
	 * @return the request, or {@code null} if there is none or it is over
	 */
	@Override
	public @Nullable LimitedRequest find() {
		if (!(RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)) {
			return null;
		}
		LimitedServletRequest limited = LimitedServletRequest.served(attributes);
		if (limited != null) {
			limited.useBound(attributes);
			return limited;
		}

		InheritedServletRequest inherited = new InheritedServletRequest(this, attributes);
		if (inherited.isServed()) {
			return inherited;
		}
		return null;
	}

	/**
	 * Tells what was decided on a request by now, whichever thread asks.
	 * @param request the request
	 * @return looks it up whenever it is asked
	 */
	public RateLimitInfo info(HttpServletRequest request) {
		return AcquisitionEntry.info(() -> {
			LimitedServletRequest limited = LimitedServletRequest.find(request);
			if (limited == null) {
				return List.of();
			}
			return limited.reportedEntries();
		}, this.registry);
	}

	/**
	 * Listens for the end of requests, to settle what they have reserved, unless a valve
	 * notices it. The first of them show what is wrong with rules.
	 * @param context the application on its server
	 * @param findings where that is added
	 */
	public void listen(ServletContext context, RateLimitFindings findings) {
		if (!this.valve) {
			context.addListener(new CompletedRequests(this, findings, context.getServerInfo().contains("Tomcat")));
		}
		this.listening = true;
	}

	/**
	 * Notes that a valve will notice the end of requests, once there is a server.
	 */
	void noteValve() {
		this.valve = true;
	}

	/**
	 * Whether the server will report the end of each request.
	 * @return {@code false} if nobody listens, or the server stops
	 */
	boolean isEndReported() {
		return this.listening && this.dispatch.isRunning();
	}

	/**
	 * Returns what lets requests wait, and rejects those that still do when the
	 * application stops.
	 * @return a part of the application that is stopped before its server
	 */
	public SmartLifecycle waiting() {
		return this.dispatch;
	}

	/**
	 * Notices authentications that fail or succeed, with Spring Security.
	 * @return what listens for their events, and puts another manager in the place of
	 * each that may publish none
	 */
	public static BeanPostProcessor authenticationOutcomes() {
		return new AuthenticationOutcomes();
	}

}
