package io.github.ratelimit.web.servlet;

import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.request.CurrentRequest;
import io.github.ratelimit.web.RateLimitProblem;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletContext;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.ApplicationListener;

/**
 * The entry to this package: the filters that enforce the limits of servlet requests, and
 * what else takes part.
 *
 * @since 0.1.0
 */
public final class ServletEnforcement {

	private ServletEnforcement() {
	}

	/**
	 * Creates the filter that comes before authentication. Decides, and does not wait: a
	 * delay is waited for after all filters have run.
	 * @param rejections answers those that are rejected
	 * @param dispatch lets requests wait
	 * @return the filter, for all dispatches but includes
	 */
	public static Filter filter(RateLimitRejections rejections, DelayedDispatch dispatch) {
		return new RateLimitFilter(rejections, dispatch);
	}

	/**
	 * Creates the filter that comes after authentication.
	 * @param rejections answers those that are rejected
	 * @return the filter, for requests and forwards
	 */
	public static Filter principalFilter(RateLimitRejections rejections) {
		return new RuleFilter(rejections);
	}

	/**
	 * Creates the filter that comes after all others, and enforces all rules on requests
	 * that a filter has rewritten.
	 * @param rejections answers those that are rejected
	 * @param dispatch lets requests wait
	 * @return the filter, for requests, forwards and asynchronous dispatches
	 */
	public static Filter innermostFilter(RateLimitRejections rejections, DelayedDispatch dispatch) {
		return new InnermostFilter(rejections, dispatch);
	}

	/**
	 * Finds the servlet request that a thread is serving.
	 * @param limits what all requests share
	 * @return the way in for methods that are called while it is served
	 */
	public static CurrentRequest currentRequest(ServletRateLimits limits) {
		return () -> LimitedServletRequest.current(limits);
	}

	/**
	 * Listens for the end of requests, to settle what they have reserved.
	 * @param context the application on its server
	 * @param limits what all requests share
	 */
	public static void settle(ServletContext context, ServletRateLimits limits) {
		context.addListener(new CompletedRequests(context.getServerInfo().contains("Tomcat")));
		limits.listening = true;
	}

	/**
	 * Listens for the first requests, which show what is wrong with rules.
	 * @param context the application on its server
	 * @param limits what all requests share
	 * @param findings where they are added
	 */
	public static void watch(ServletContext context, ServletRateLimits limits, RateLimitFindings findings) {
		context.addListener(new FirstRequests(limits, findings));
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
		return new AuthenticationOutcomes.NoticedProviderManager.Beans();
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
