package io.github.ratelimit.web.servlet;

import java.util.Collection;
import java.util.List;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.enforce.CurrentRequest;
import io.github.ratelimit.enforce.StoreRateLimiter;
import io.github.ratelimit.enforce.WaitingRoom;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.web.ClientAddressResolver;
import io.github.ratelimit.web.HeaderFamily;
import io.github.ratelimit.web.RateLimitHeaders;
import io.github.ratelimit.web.RateLimitProblem;
import io.github.ratelimit.web.RateLimitRule;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletContext;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;

/**
 * The entry to this package: what all servlet requests share when their limits are
 * enforced, and the filters that enforce them.
 *
 * @since 0.1.0
 */
public final class ServletRateLimits {

	final RateLimitClock clock;

	final ClientAddressResolver clientAddresses;

	final RateLimitHeaders headers;

	final ExposedHeaders exposed;

	final RateLimiterRegistry registry;

	final WaitingRoom room;

	final long longestWaitNanos;

	final ServletPaths paths;

	final DelayedDispatch dispatch = new DelayedDispatch();

	/* Whether the server tells when it has done with a request. */
	private volatile boolean listening;

	/* Whether any policy limits a request. */
	volatile boolean limiting;

	/* Whether any policy makes a request wait. */
	volatile boolean delaying;

	/* The rules that requests begin with. */
	volatile ServletRules rules = new ServletRules(List.of(), List.of());

	/**
	 * Creates the shared part.
	 * @param clock this process' clock, which measures delays
	 * @param clientAddresses finds the client's address
	 * @param headers renders the response's header fields
	 * @param exposed the families of fields that scripts of allowed origins may read, or
	 * {@code null} if that is left to the application
	 * @param registry knows all policies
	 * @param room where requests wait
	 * @param longestWaitNanos a policy that could delay a request for longer does not
	 * delay it
	 * @param dispatcherType the class of Spring MVC's servlet, or {@code null} without
	 * Spring MVC
	 */
	public ServletRateLimits(RateLimitClock clock, ClientAddressResolver clientAddresses, RateLimitHeaders headers,
			@Nullable Collection<HeaderFamily> exposed, RateLimiterRegistry registry, WaitingRoom room,
			long longestWaitNanos, @Nullable Class<?> dispatcherType) {
		this.clock = clock;
		this.clientAddresses = clientAddresses;
		this.headers = headers;
		this.exposed = (exposed != null) ? ExposedHeaders.of(exposed) : ExposedHeaders.none();
		this.registry = registry;
		this.room = room;
		this.longestWaitNanos = longestWaitNanos;
		this.paths = new ServletPaths(dispatcherType);
		registry.observe((limiter) -> {
			this.limiting = true;
			if (limiter.policy().underAllPlans().stream().anyMatch(RateLimitPolicy::delays)
					|| limiter instanceof StoreRateLimiter store && store.isDelaying()) {
				expectDelays();
			}
		});
	}

	/**
	 * Gets ready for requests that wait, before a policy makes the first one wait.
	 */
	public void expectDelays() {
		this.delaying = true;
	}

	/**
	 * Enforces rules in place of those before. Requests that are under way keep the rules
	 * that they began with.
	 * @param beforeSecurity those that need nobody to be authenticated
	 * @param afterSecurity those that need the user
	 */
	public void enforce(List<RateLimitRule> beforeSecurity, List<RateLimitRule> afterSecurity) {
		this.rules = new ServletRules(beforeSecurity, afterSecurity);
	}

	/**
	 * Listens for the end of requests, to settle what they have reserved.
	 * @param context the application on its server
	 */
	public void listen(ServletContext context) {
		context.addListener(new SettledRequests(context.getServerInfo().contains("Tomcat")));
		this.listening = true;
	}

	/**
	 * Listens for requests that another filter answers before ours.
	 * @param context the application on its server
	 * @param findings where they are added
	 */
	public void listen(ServletContext context, RateLimitFindings findings) {
		context.addListener(new UnseenRequests(this, findings));
	}

	/**
	 * Whether a request is over with its filters: nobody tells of its end in a test
	 * without a server, and a server that stops may not any more.
	 */
	boolean endsWithItsFilters() {
		return !this.listening || !this.dispatch.isRunning();
	}

	/**
	 * Listens for authentications that fail or succeed, with Spring Security.
	 * @return the listener, for its events
	 */
	public static ApplicationListener<?> authenticationOutcomes() {
		return new AuthenticationOutcomes();
	}

	/**
	 * Notices the authentications of managers that may publish none, with Spring
	 * Security.
	 * @return what puts another in the place of each
	 */
	public static BeanPostProcessor noticedAuthentications() {
		return new NoticedAuthentications();
	}

	/**
	 * Finds the servlet request that a thread is serving.
	 * @return the way in for methods that are called while it is served
	 */
	public CurrentRequest currentRequest() {
		return new ServletCurrentRequest(this);
	}

	/**
	 * Creates the filter that comes before authentication. Decides, and does not wait: a
	 * delay is waited for after all filters have run.
	 * @param rejections answers those that are rejected
	 * @return the filter, for all dispatches but includes
	 */
	public Filter filter(RateLimitRejections rejections) {
		return new RateLimitFilter(new RuleEnforcement(ServletRules::beforeSecurity, this.paths, rejections), this,
				rejections);
	}

	/**
	 * Creates the filter that comes after authentication.
	 * @param rejections answers those that are rejected
	 * @return the filter, for requests and forwards
	 */
	public Filter principalFilter(RateLimitRejections rejections) {
		return new RuleFilter(new RuleEnforcement(ServletRules::afterSecurity, this.paths, rejections), this);
	}

	/**
	 * Creates the filter that comes after all others, and enforces all rules on requests
	 * that a filter has rewritten.
	 * @param rejections answers those that are rejected
	 * @return the filter, for requests, forwards and asynchronous dispatches
	 */
	public Filter innermostFilter(RateLimitRejections rejections) {
		return new InnermostFilter(new RuleEnforcement(ServletRules::all, this.paths, rejections), this.paths,
				this.dispatch);
	}

	/**
	 * Lets requests wait without a thread.
	 * @return rejects those that still wait when the application stops; to be closed
	 */
	public SmartLifecycle dispatch() {
		return this.dispatch;
	}

	/**
	 * Creates the answer of applications that have none of their own.
	 * @param problem its body
	 * @return the handler
	 */
	public static RateLimitRejectionHandler problem(RateLimitProblem problem) {
		return new ProblemRejectionHandler(problem);
	}

	/**
	 * Whether a handler answers rejections with a problem, as it does by default.
	 * @param handler the handler
	 * @return {@code false} if it is the application's own
	 */
	public static boolean isProblem(RateLimitRejectionHandler handler) {
		return handler instanceof ProblemRejectionHandler || handler instanceof ErrorPageRejectionHandler;
	}

}
