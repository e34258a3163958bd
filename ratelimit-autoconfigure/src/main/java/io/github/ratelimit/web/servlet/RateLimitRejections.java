package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.request.AcquisitionEntry;
import io.github.ratelimit.web.RateLimitProblem;
import io.github.ratelimit.web.mcp.McpMessages;
import io.github.ratelimit.web.mcp.SentMessage;
import io.github.ratelimit.web.mcp.SentMessage.Refusal;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.filter.ServerHttpObservationFilter;
import org.springframework.web.method.HandlerMethod;

/**
 * Answers rejected requests: with header fields in any case, and with the body that the
 * application wants.
 *
 * @since 0.1.0
 */
public final class RateLimitRejections implements SmartInitializingSingleton {

	final ServletRateLimits limits;

	private final Supplier<RateLimitRejectionHandler> handler;

	private final @Nullable MvcRateLimits mvc;

	private final Supplier<RejectionCors> cors;

	private final RateLimitProblem problem;

	/**
	 * Creates the answers.
	 * @param limits what all requests share
	 * @param handlers the application's own answer, looked up when all beans are there:
	 * it may itself need what this is part of
	 * @param mvc the application's exception handlers and error pages, or {@code null}
	 * without Spring MVC
	 * @param cors the application's configurations for other origins, looked up when they
	 * are first needed
	 */
	public RateLimitRejections(ServletRateLimits limits, ObjectProvider<RateLimitRejectionHandler> handlers,
			@Nullable MvcRateLimits mvc, ObjectProvider<CorsConfigurationSource> cors) {
		this.limits = limits;
		this.problem = new RateLimitProblem(limits.headers);
		this.handler = SingletonSupplier.of(() -> handlers.getIfAvailable(() -> this::answerByDefault));
		this.mvc = mvc;

		this.cors = SingletonSupplier.of(() -> {
			List<CorsConfigurationSource> sources = new ArrayList<>(cors.orderedStream().toList());
			if (mvc != null) {
				sources.add(mvc.origins());
			}
			return new RejectionCors(sources);
		});
	}

	/*
	 * Two answers are a mistake that is not to show at the first rejection.
	 */
	@Override
	public void afterSingletonsInstantiated() {
		this.handler.get();
	}

	/**
	 * Answers a request whose message nobody is to serve.
	 * @param answer the answer, as it is sent
	 * @param refusal why nobody is
	 * @param request the request
	 * @param response the response
	 */
	void refuse(byte[] answer, Refusal refusal, HttpServletRequest request, HttpServletResponse response)
			throws IOException {
		this.cors.get().apply(request, response);
		write(refusal.status(), McpMessages.MEDIA_TYPE, answer, response);
	}

	/**
	 * Answers a request of a client whose address is denied.
	 * @param response the response, of which nothing is sent
	 */
	static void deny(HttpServletResponse response) throws IOException {
		write(HttpStatus.FORBIDDEN.value(), RateLimitProblem.MEDIA_TYPE, RateLimitProblem.denied(), response);
	}

	/**
	 * Finds the rejection that ended a request.
	 * @param thrown what the request ended with
	 * @return the rejection, if it is one or was wrapped on its way through the call
	 */
	static @Nullable RateLimitExceededException find(@Nullable Object thrown) {
		if (thrown instanceof Throwable failure) {
			return RateLimitExceededException.find(failure, ServletException.class);
		}
		return null;
	}

	/**
	 * Answers a request that a filter rejects.
	 * @param limited what the request has acquired, of which one is a rejection
	 * @param request the request
	 * @param response the response
	 */
	void reject(LimitedServletRequest limited, HttpServletRequest request, HttpServletResponse response)
			throws IOException, ServletException {
		RateLimitExceededException rejection = rejection(limited);
		if (rejection != null && !response.isCommitted()) {
			answer(rejection, limited, request, response);
		}
	}

	private static @Nullable RateLimitExceededException rejection(LimitedServletRequest limited) {
		AcquisitionEntry rejection = limited.rejection();
		if (rejection == null) {
			return null;
		}
		return new RateLimitExceededException(rejection.policy(), rejection.decision());
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
		RateLimitExceededException rejection = rejection(limited);
		if (rejection == null || response.isCommitted()) {
			return;
		}
		HttpServletResponse rejected = beginAnswer(rejection, limited, request, response);
		if (request.getDispatcherType() == DispatcherType.INCLUDE) {
			throw rejection;
		}
		if (this.mvc != null && this.mvc.handles(handler)) {
			throw rejection;
		}
		write(rejection, request, rejected);
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
		refund(rejection, limited);
		answer(rejection, limited, request, response);
	}

	private void answer(RateLimitExceededException rejection, LimitedServletRequest limited, HttpServletRequest request,
			HttpServletResponse response) throws IOException, ServletException {
		this.cors.get().apply(request, response);
		HttpServletResponse rejected = beginAnswer(rejection, limited, request, response);
		if (this.mvc == null || !this.mvc.handle(request, rejected, rejection)) {
			write(rejection, request, rejected);
		}
	}

	/**
	 * Answers a request that the application has no exception handler for.
	 * @param rejection why the request is rejected
	 * @param request the request
	 * @param rejected the response to answer with
	 */
	void write(RateLimitExceededException rejection, HttpServletRequest request, HttpServletResponse rejected)
			throws IOException, ServletException {
		this.handler.get().handle(request, rejected, rejection.policy(), rejection.decision());
	}

	/**
	 * Refunds what a request has taken, because something that it called was rejected.
	 * @param rejection what was thrown
	 * @param limited what the request has acquired
	 */
	void refund(RateLimitExceededException rejection, LimitedServletRequest limited) {
		limited.refundUncharged();
		limited.add(AcquisitionEntry.ofRejection(this.limits.registry, rejection));
	}

	/**
	 * Begins the answer to a rejected request, whose observation is told of it: takes
	 * back what was about to be written, and sets the header fields. A request that is
	 * included writes into another's response.
	 * @return the response to answer with, which keeps the fields if the application
	 * begins it anew
	 */
	static HttpServletResponse beginAnswer(RateLimitExceededException rejection, LimitedServletRequest limited,
			HttpServletRequest request, HttpServletResponse response) {
		ServerHttpObservationFilter.findObservationContext(request)
			.ifPresent((observed) -> RateLimitProblem.addTo(observed, rejection));
		if (request.getDispatcherType() != DispatcherType.INCLUDE) {
			clear(response);
		}
		limited.writeHeaders(rejection.decision());
		return new HttpServletResponseWrapper(response) {

			@Override
			public void reset() {
				super.reset();
				limited.writeHeaders(rejection.decision());
			}

		};
	}

	/*
	 * The answer is an error of JSON-RPC to a message for an MCP server, a page where the
	 * request prefers HTML, and a problem otherwise.
	 */
	private void answerByDefault(HttpServletRequest request, HttpServletResponse response, RateLimitPolicy policy,
			RateLimitDecision decision) throws IOException, ServletException {
		HttpStatus status = HttpStatus.valueOf(RateLimitProblem.status(decision));
		McpMessages messages = this.limits.messages;
		if (messages != null && hasMessage(request, messages)) {
			String violated = this.problem.violatedPolicies(policy, decision);
			byte[] error = messages.rejection(message(request, messages).id(), decision, violated);
			write(status.value(), McpMessages.MEDIA_TYPE, error, response);
			return;
		}
		if (this.mvc != null && this.mvc.showPage(request, response, policy, decision, status)) {
			return;
		}
		write(status.value(), RateLimitProblem.MEDIA_TYPE, this.problem.body(policy, decision), response);
	}

	private boolean hasMessage(HttpServletRequest request, McpMessages messages) {
		return request.getHeader(McpMessages.METHOD_FIELD) != null || isAtEndpoint(request, messages);
	}

	private boolean isAtEndpoint(HttpServletRequest request, McpMessages messages) {
		return messages.areAt(new ServletPath(this.limits.mvcServlets, request, null));
	}

	/*
	 * What is sent elsewhere, and only claims to be a message, is not read: a thread
	 * would wait for a body that comes as slowly as the client likes.
	 */
	private SentMessage message(HttpServletRequest request, McpMessages messages) {
		if (!isAtEndpoint(request, messages)) {
			return SentMessage.unread(Refusal.UNREAD);
		}
		MessageRequest shared = MessageRequest.find(request);
		if (shared == null) {
			shared = new MessageRequest(request, messages);
		}
		return shared.message();
	}

	private static void write(int status, String mediaType, byte[] body, HttpServletResponse response)
			throws IOException {
		clear(response);
		response.setStatus(status);
		response.setContentType(mediaType);
		try {
			response.getOutputStream().write(body);
		}
		catch (IllegalStateException ex) {
			// somebody has begun to write characters
			response.getWriter().write(new String(body, StandardCharsets.US_ASCII));
		}
	}

	/**
	 * Takes back what the handler was about to write, and what it has said of it. Its
	 * encoding may be that of a filter, which encodes what is written now, too.
	 * @param response the response, not committed
	 */
	static void clear(HttpServletResponse response) {
		response.resetBuffer();
		if (response.containsHeader(HttpHeaders.CONTENT_LENGTH)) {
			response.setContentLength(-1);
		}
		if (response.containsHeader(HttpHeaders.CONTENT_DISPOSITION)) {
			response.setHeader(HttpHeaders.CONTENT_DISPOSITION, null);
		}
	}

}
