package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.web.RateLimitProblem;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

import org.springframework.lang.Contract;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.method.HandlerMethod;

/**
 * Answers rejected requests: with headers in any case, and with the body that the
 * application wants.
 *
 * @since 0.1.0
 */
public final class RateLimitRejections {

	private static final int MOST_WRAPPERS = 8;

	final ServletRateLimits limits;

	private final Supplier<RateLimitRejectionHandler> handler;

	private final @Nullable ExceptionHandlers exceptionHandlers;

	private final RejectionCors cors;

	/**
	 * Creates the answers.
	 * @param limits what all requests share
	 * @param handler gives what writes the answer where the application has no exception
	 * handler, when it is first needed: it may itself need what this is part of
	 * @param exceptionHandlers the application's exception handlers, or {@code null}
	 * without Spring MVC
	 * @param cors makes the answer readable for scripts of other origins
	 */
	public RateLimitRejections(ServletRateLimits limits, Supplier<RateLimitRejectionHandler> handler,
			@Nullable ExceptionHandlers exceptionHandlers, RejectionCors cors) {
		this.limits = limits;
		this.handler = SingletonSupplier.of(handler);
		this.exceptionHandlers = exceptionHandlers;
		this.cors = cors;
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
		return handler instanceof ProblemRejectionHandler;
	}

	/**
	 * Finds the rejection that ended a request.
	 * @param thrown what the request ended with
	 * @return the rejection, if it is one or was wrapped on its way through the call
	 */
	static @Nullable RateLimitExceededException find(@Nullable Object thrown) {
		Object cause = thrown;
		for (int i = 0; i < MOST_WRAPPERS && isWrapper(cause); i++) {
			cause = ((Throwable) cause).getCause();
		}
		return (cause instanceof RateLimitExceededException rejection) ? rejection : null;
	}

	@Contract("null -> false")
	private static boolean isWrapper(@Nullable Object thrown) {
		return thrown instanceof ServletException || thrown instanceof CompletionException
				|| thrown instanceof ExecutionException;
	}

	/**
	 * Answers a request that a filter rejects.
	 * @param limited what the request has acquired, of which one is a rejection
	 * @param request the request
	 * @param response the response
	 */
	void reject(LimitedServletRequest limited, HttpServletRequest request, HttpServletResponse response)
			throws IOException, ServletException {
		Acquisition.Entry rejection = limited.rejection();
		if (rejection != null && !response.isCommitted()) {
			this.cors.apply(request, response);
			answer(rejection.policy(), rejection.decision(), request, report(limited, rejection.decision(), response));
		}
	}

	/**
	 * Answers a request that is rejected before its handler is called: without an
	 * exception if it can be, which would be reported as a failure of the request.
	 * @param limited what the request has acquired, of which one is a rejection
	 * @param handler the handler
	 * @param request the request
	 * @param response the response
	 * @throws RateLimitExceededException if the application handles that itself, or the
	 * response is that of the request that includes this one
	 */
	void reject(LimitedServletRequest limited, HandlerMethod handler, HttpServletRequest request,
			HttpServletResponse response) throws IOException, ServletException {
		Acquisition.Entry rejection = limited.rejection();
		if (rejection == null || response.isCommitted()) {
			return;
		}
		HttpServletResponse rejected = report(limited, rejection.decision(), response);
		if (request.getDispatcherType() == DispatcherType.INCLUDE
				|| this.exceptionHandlers != null && this.exceptionHandlers.exist(handler)) {
			throw new RateLimitExceededException(rejection.policy(), rejection.decision());
		}
		write(rejection.policy(), rejection.decision(), request, rejected);
	}

	/**
	 * Answers a request that something rejected which Spring MVC knows nothing of.
	 * @param rejection what was thrown
	 * @param limited what the request has acquired
	 * @param request the request
	 * @param response the response, not committed
	 */
	void reject(RateLimitExceededException rejection, LimitedServletRequest limited, HttpServletRequest request,
			HttpServletResponse response) throws IOException, ServletException {
		this.cors.apply(request, response);
		answer(rejection.policy(), rejection.decision(), request, report(rejection, limited, response));
	}

	private void answer(RateLimitPolicy policy, RateLimitDecision decision, HttpServletRequest request,
			HttpServletResponse rejected) throws IOException, ServletException {
		if (this.exceptionHandlers == null || !this.exceptionHandlers.handle(request, rejected, policy, decision)) {
			write(policy, decision, request, rejected);
		}
	}

	/**
	 * Answers a request that the application has no exception handler for.
	 * @param policy the policy that rejected
	 * @param decision its decision
	 * @param request the request
	 * @param rejected the response to answer with
	 */
	void write(RateLimitPolicy policy, RateLimitDecision decision, HttpServletRequest request,
			HttpServletResponse rejected) throws IOException, ServletException {
		this.handler.get().handle(request, rejected, policy, decision);
	}

	/**
	 * Tells the client when to come back, and refunds what its request has taken.
	 * @param rejection what was thrown
	 * @param limited what the request has acquired
	 * @param response the response, not committed
	 * @return the response to answer with
	 */
	HttpServletResponse report(RateLimitExceededException rejection, LimitedServletRequest limited,
			HttpServletResponse response) {
		limited.refundUncharged();
		RateLimiter limiter = this.limits.registry.find(rejection.policy().name());
		if (limiter != null) {
			limited.add(List.of(Acquisition.Entry.ofRejection(limiter, rejection)));
		}
		return report(limited, rejection.decision(), response);
	}

	/*
	 * The response keeps its header fields if the application begins it anew.
	 */
	private static HttpServletResponse report(LimitedServletRequest limited, RateLimitDecision rejection,
			HttpServletResponse response) {
		limited.tell(rejection);
		return new HttpServletResponseWrapper(response) {

			@Override
			public void reset() {
				super.reset();
				limited.tell(rejection);
			}

		};
	}

	/**
	 * The application's own handlers of rejections, if its web framework has such a
	 * thing.
	 */
	public interface ExceptionHandlers {

		/**
		 * Whether the application handles rejections of a handler itself.
		 * @param handler the request's handler
		 * @return {@code true} if it has an exception handler that names the exception
		 */
		boolean exist(HandlerMethod handler);

		/**
		 * Has the application handle the rejection of a request that has no handler yet.
		 * @param request the request
		 * @param response the response
		 * @param policy the policy that rejected
		 * @param decision its decision
		 * @return {@code true} if the application has answered; {@code false} if it has
		 * no handler that names the exception
		 * @throws IOException if the answer cannot be written
		 * @throws ServletException if the answer fails otherwise
		 */
		boolean handle(HttpServletRequest request, HttpServletResponse response, RateLimitPolicy policy,
				RateLimitDecision decision) throws IOException, ServletException;

	}

}
