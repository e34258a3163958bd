package io.github.ratelimit.web.reactive;

import java.util.List;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.annotation.LimitedMethod;
import io.github.ratelimit.annotation.RateLimitedAdvisor;
import io.github.ratelimit.annotation.RateLimitedMethods;
import io.github.ratelimit.expression.RateLimitContext;
import io.github.ratelimit.request.AcquisitionEntry;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.DispatchExceptionHandler;
import org.springframework.web.reactive.HandlerAdapter;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebHandler;

/**
 * Calls handlers through the adapter that would have called them otherwise: enforces the
 * limits of a handler method before its arguments are resolved, so that a malformed body
 * counts too, lets a request wait at the last moment, and answers what something rejects
 * that a handler calls.
 * <p>
 * A handler with an expression that reads its arguments is left to the interceptor around
 * it, and so is one that is charged by its outcome, if it can be.
 * <p>
 * It is the first of adapters, and of advice.
 *
 * @since 0.1.0
 */
@ControllerAdvice
@Order(Ordered.HIGHEST_PRECEDENCE)
public final class RateLimitHandlerAdapter implements HandlerAdapter {

	private final RateLimitedMethods methods;

	private final RateLimitRejections rejections;

	private final Supplier<List<HandlerAdapter>> adapters;

	/**
	 * Creates the adapter.
	 * @param methods the limits of methods
	 * @param rejections answers those that are rejected
	 * @param adapters all of the application's adapters
	 */
	public RateLimitHandlerAdapter(RateLimitedMethods methods, RateLimitRejections rejections,
			ObjectProvider<HandlerAdapter> adapters) {
		this.methods = methods;
		this.rejections = rejections;
		this.adapters = SingletonSupplier
			.of(() -> adapters.orderedStream().filter((adapter) -> adapter != this).toList());
	}

	@Override
	public boolean supports(Object handler) {
		return this.rejections.limits.isLimiting();
	}

	@Override
	public Mono<HandlerResult> handle(ServerWebExchange exchange, Object target) {
		LimitedExchange limited = LimitedExchange.of(exchange, this.rejections.limits);
		if (target instanceof WebHandler) {
			// it may add the fields of a server that it asks
			limited.writeHeadersAtCommit();
		}
		if (!(target instanceof HandlerMethod handler)) {
			return callInTime(limited, exchange, target, null);
		}
		LimitedMethod limits = this.methods.limitedMethod(handler.getMethod(), handler.getBeanType());
		if (limits.isUnlimited()) {
			return callInTime(limited, exchange, handler, null);
		}

		boolean around = isEnforcedAround(limits, handler);
		limited.enter(handler.getMethod(), AopUtils.isAopProxy(handler.getBean()), !around);
		if (around) {
			return callInTime(limited, exchange, handler, limits);
		}
		return limited.decide(exchange, limits.bindings(),
				() -> limits.resolve(
						RateLimitContext.ofCall(limited.view(), handler.getBean(), handler.getMethod(), null), limited),
				RateLimitedAdvisor.fallback(limits, handler.getBean()),
				() -> callInTime(limited, exchange, handler, limits),
				() -> answerOrReject(limited, exchange, handler, limits));
	}

	private Mono<HandlerResult> answerOrReject(LimitedExchange limited, ServerWebExchange exchange,
			HandlerMethod handler, LimitedMethod limits) {
		AcquisitionEntry rejection = limited.rejection();
		if (rejection != null && RateLimitedAdvisor.fallback(limits, handler.getBean()).test(rejection)) {
			limited.fallBack();
			return limited.failIfUnreadable(() -> callInTime(limited, exchange, handler, limits));
		}
		return this.rejections.reject(limited, exchange, handler).then(Mono.empty());
	}

	/*
	 * Whether the limits are left to the interceptor around the handler.
	 */
	private static boolean isEnforcedAround(LimitedMethod limits, HandlerMethod handler) {
		if (!limits.isReactive()) {
			return false;
		}
		if (limits.needsArguments()) {
			return true;
		}
		return limits.reservesWithArguments() && RateLimitedAdvisor.sees(limits, handler.getBean());
	}

	private Mono<HandlerResult> callInTime(LimitedExchange limited, ServerWebExchange exchange, Object target,
			@Nullable LimitedMethod limits) {
		Mono<HandlerResult> called = call(limited, exchange, target, limits);
		if (!this.rejections.limits.isDelaying()) {
			return called;
		}
		if (!limited.waits()) {
			limited.releaseSlot();
			return called;
		}
		return limited.letWait().flatMap((proceeds) -> proceeds ? called : Mono.empty());
	}

	private Mono<HandlerResult> call(LimitedExchange limited, ServerWebExchange exchange, Object target,
			@Nullable LimitedMethod limits) {
		return Mono.defer(() -> passOn(limited, exchange, target))
			.map((result) -> observe(result, limited, target, limits))
			.onErrorResume((thrown) -> fail(thrown, limited, exchange, target, null));
	}

	private Mono<HandlerResult> passOn(LimitedExchange limited, ServerWebExchange exchange, Object target) {
		limited.notePassedOn();
		return adapter(target).handle(exchange, target);
	}

	/*
	 * Some handlers fail only when their result is written.
	 */
	private HandlerResult observe(HandlerResult result, LimitedExchange limited, Object target,
			@Nullable LimitedMethod limits) {
		DispatchExceptionHandler application = result.getExceptionHandler();
		HandlerResult observed = result;
		if (isAnsweredByAnother(result, target)) {
			// the adapter keeps the exception to itself
			limited.noteException(new IllegalStateException("Answered by " + result.getHandler()));
		}
		else if (limits != null && limited.isCharged()) {
			observed = new HandlerResult(result.getHandler(), limits.observe(result.getReturnValue(), limited),
					result.getReturnTypeSource(), result.getBindingContext());
		}
		return observed.setExceptionHandler((same, thrown) -> fail(thrown, limited, same, target, application));
	}

	private static boolean isAnsweredByAnother(HandlerResult result, Object target) {
		return target instanceof HandlerMethod called && result.getHandler() instanceof HandlerMethod answering
				&& !answering.getMethod().equals(called.getMethod());
	}

	private HandlerAdapter adapter(Object target) {
		for (HandlerAdapter adapter : this.adapters.get()) {
			if (adapter.supports(target)) {
				return adapter;
			}
		}
		throw new IllegalStateException("No HandlerAdapter: " + target);
	}

	private Mono<HandlerResult> fail(Throwable thrown, LimitedExchange limited, ServerWebExchange exchange,
			Object target, @Nullable DispatchExceptionHandler application) {
		limited.noteException(thrown);
		HandlerMethod handler = (target instanceof HandlerMethod method) ? method : null;
		RateLimitExceededException rejection = RateLimitExceededException.find(thrown);
		if (rejection != null && !exchange.getResponse().isCommitted()) {
			return this.rejections.reject(rejection, limited, exchange, handler).then(Mono.empty());
		}

		Mono<HandlerResult> handled = Mono.error(thrown);
		if (application != null) {
			handled = application.handleError(exchange, thrown);
		}
		if (rejection == null && isCausedByRejection(thrown)) {
			return handled.onErrorResume((same) -> askApplication(thrown, exchange, handler));
		}
		return handled;
	}

	private static boolean isCausedByRejection(Throwable thrown) {
		return RateLimitExceededException.find(thrown, Throwable.class) != null;
	}

	/*
	 * Spring WebFlux chooses handOn for what a rejection has caused, before it asks the
	 * application's advice.
	 */
	private Mono<HandlerResult> askApplication(Throwable thrown, ServerWebExchange exchange,
			@Nullable HandlerMethod handler) {
		return this.rejections.application.get().handle(thrown, exchange, handler, () -> Mono.error(thrown));
	}

	/**
	 * Keeps a rejection that a handler method has thrown from the application's advice
	 * for all exceptions, and hands it on to where rejections are answered. Spring
	 * WebFlux also chooses this for an exception that a rejection has caused.
	 * @param rejection what was thrown
	 */
	@ExceptionHandler
	void handOn(RateLimitExceededException rejection) {
		throw rejection;
	}

	/**
	 * Handles what nobody throws, as an example of how Spring WebFlux calls exception
	 * handlers.
	 * @param example what is given to Spring WebFlux
	 * @return the same
	 */
	@ExceptionHandler
	Example handle(Example example) {
		return example;
	}

	/*
	 * This is no exception, because those are handled by the application's advice for all
	 * exceptions.
	 */
	@SuppressWarnings("serial")
	static final class Example extends Error {

		Example() {
			super(null, null, false, false);
		}

	}

}
