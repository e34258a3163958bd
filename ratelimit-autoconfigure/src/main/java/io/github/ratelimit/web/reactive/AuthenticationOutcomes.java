package io.github.ratelimit.web.reactive;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.annotation.Interception;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.security.authentication.ReactiveAuthenticationManager;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.WebFilterChainProxy;
import org.springframework.security.web.server.WebFilterExchange;
import org.springframework.security.web.server.authentication.AuthenticationWebFilter;
import org.springframework.security.web.server.authentication.ServerAuthenticationConverter;
import org.springframework.security.web.server.authentication.ServerAuthenticationFailureHandler;
import org.springframework.security.web.server.authentication.ServerAuthenticationSuccessHandler;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.server.ServerWebExchange;

/**
 * Notes whether somebody could log in with a request, for charges. Reactive Spring
 * Security publishes no events, and makes most managers itself, where nothing else sees
 * them. So all attempts of its filters are observed at what the filters do before and
 * next, and those that an application makes itself at the managers that are beans.
 */
final class AuthenticationOutcomes extends AbstractBeanFactoryAwareAdvisingPostProcessor {

	AuthenticationOutcomes() {
		this.advisor = new DefaultPointcutAdvisor((MethodInterceptor) (call) -> {
			if (!isAuthentication(call.getMethod())) {
				return call.proceed();
			}
			return observed(attempt(call), Arrays.asList(call.getArguments()));
		});
		setProxyTargetClass(true);
	}

	/*
	 * Beans of other classes may be asked for by their class.
	 */
	@Override
	protected boolean isEligible(Class<?> type) {
		return ReactiveAuthenticationManager.class.isAssignableFrom(type)
				&& (Interception.isReplaceable(type) || ClassUtils.isLambdaClass(type));
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof SecurityWebFilterChain chain) {
			watch(chain);
		}
		else if (bean instanceof WebFilterChainProxy proxy) {
			watch(proxy);
		}
		else if (bean instanceof AuthenticationWebFilter filter) {
			watch(filter);
		}
		return super.postProcessAfterInitialization(bean, beanName);
	}

	/*
	 * The chain that Spring Security makes by default is no bean, and a proxy has no
	 * getter for its chains.
	 */
	private void watch(WebFilterChainProxy proxy) {
		List<?> chains = read(proxy, WebFilterChainProxy.class, List.class);
		if (chains == null) {
			return;
		}
		for (Object each : chains) {
			if (each instanceof SecurityWebFilterChain chain) {
				watch(chain);
			}
		}
	}

	private void watch(SecurityWebFilterChain chain) {
		chain.getWebFilters().ofType(AuthenticationWebFilter.class).subscribe(this::watch);
	}

	/*
	 * A filter may be a bean, belong to a chain that is one, and to the proxy of it. It
	 * is watched each time it is seen, because it may have been configured in between. It
	 * has no getters for its handlers.
	 */
	private void watch(AuthenticationWebFilter filter) {
		ServerAuthenticationConverter converter = handler(filter, ServerAuthenticationConverter.class);
		if (converter != null && !(converter instanceof WatchedConverter)) {
			filter.setServerAuthenticationConverter(new WatchedConverter(filter, converter));
		}
		ServerAuthenticationFailureHandler failed = handler(filter, ServerAuthenticationFailureHandler.class);
		if (failed != null && !(failed instanceof WatchedFailureHandler)) {
			filter.setAuthenticationFailureHandler(new WatchedFailureHandler(filter, failed));
		}
		ServerAuthenticationSuccessHandler succeeded = handler(filter, ServerAuthenticationSuccessHandler.class);
		if (succeeded != null && !(succeeded instanceof WatchedSuccessHandler)) {
			filter.setAuthenticationSuccessHandler(new WatchedSuccessHandler(filter, succeeded));
		}
	}

	private static <T> @Nullable T handler(AuthenticationWebFilter filter, Class<T> type) {
		return read(filter, AuthenticationWebFilter.class, type);
	}

	private static <T> @Nullable T read(Object owner, Class<?> declaring, Class<T> type) {
		Field field = ReflectionUtils.findField(declaring, null, type);
		if (field == null) {
			return null;
		}
		ReflectionUtils.makeAccessible(field);
		return type.cast(ReflectionUtils.getField(field, owner));
	}

	private static boolean isAuthentication(Method method) {
		return method.getName().equals("authenticate") && Mono.class.isAssignableFrom(method.getReturnType());
	}

	/*
	 * A manager may throw at once what it should let its publisher fail with.
	 */
	private static Mono<?> attempt(MethodInvocation call) throws Throwable {
		try {
			return (Mono<?>) Objects.requireNonNull(call.proceed());
		}
		catch (RuntimeException ex) {
			return Mono.error(ex);
		}
	}

	/*
	 * Of managers that ask one another, the first one is observed. A manager's own method
	 * of the same name, with other arguments, may never give anything.
	 */
	private static Mono<?> observed(Mono<?> attempt, List<?> arguments) {
		return Mono.deferContextual((context) -> {
			if (context.hasKey(AuthenticationOutcomes.class)) {
				return attempt;
			}
			if (arguments.size() != 1 || !(arguments.get(0) instanceof Authentication)) {
				return enforce(context).then(attempt);
			}
			return begin(context, arguments).then(attempt)
				.doOnSuccess((result) -> noteResult(context, arguments, result))
				.doOnError((ex) -> noteFailure(context, arguments, ex))
				.contextWrite((inner) -> inner.put(AuthenticationOutcomes.class, true));
		});
	}

	private static Mono<Void> begin(ContextView context, Object attempt) {
		return enforce(context).then(Mono.fromRunnable(() -> {
			LimitedExchange exchange = exchange(context);
			if (exchange != null && exchange.isServed()) {
				exchange.attempts().begin(attempt);
			}
		}));
	}

	private static Mono<Void> enforce(ContextView context) {
		LimitedExchange exchange = exchange(context);
		return (exchange != null) ? exchange.decidePostponed() : Mono.empty();
	}

	/*
	 * What nobody is known by yet, such as the first of two factors, is no success.
	 */
	private static void noteResult(ContextView context, Object attempt, @Nullable Object result) {
		LimitedExchange exchange = exchange(context);
		if (exchange == null) {
			return;
		}
		if (result == null) {
			exchange.attempts().endFruitless(attempt);
			return;
		}

		boolean succeeded = result instanceof Authentication user && user.isAuthenticated();
		if (succeeded && attempt instanceof AuthenticationWebFilter) {
			exchange.attempts().succeed(attempt);
		}
		exchange.attempts().end(attempt, succeeded);
		if (succeeded) {
			exchange.noteAuthentication(false);
		}
	}

	/*
	 * A manager that breaks has found nobody, and another one may.
	 */
	private static void noteFailure(ContextView context, Object attempt, Throwable failure) {
		LimitedExchange exchange = exchange(context);
		if (exchange == null) {
			return;
		}
		if (failure instanceof AuthenticationException) {
			exchange.noteAuthentication(true);
			exchange.attempts().end(attempt, false);
		}
		else if (RateLimitExceededException.find(failure) == null) {
			exchange.attempts().endFruitless(attempt);
		}
		else {
			exchange.attempts().end(attempt, false);
		}
	}

	private static @Nullable LimitedExchange exchange(ContextView context) {
		return (context.getOrDefault(LimitedExchange.KEY, null) instanceof LimitedExchange exchange) ? exchange : null;
	}

	/**
	 * Gives the credentials of a request, once the request may be an attempt.
	 *
	 * @param filter the filter that checks them
	 * @param converter finds them
	 */
	private record WatchedConverter(AuthenticationWebFilter filter,
			ServerAuthenticationConverter converter) implements ServerAuthenticationConverter {

		@Override
		public Mono<Authentication> convert(ServerWebExchange exchange) {
			return this.converter.convert(exchange)
				.flatMap((credentials) -> Mono.deferContextual((context) -> begin(context, this.filter))
					.thenReturn(credentials));
		}

	}

	/**
	 * Answers an attempt that has failed, once that is noted.
	 *
	 * @param filter the filter that has made it
	 * @param handler answers it
	 */
	private record WatchedFailureHandler(AuthenticationWebFilter filter,
			ServerAuthenticationFailureHandler handler) implements ServerAuthenticationFailureHandler {

		@Override
		public Mono<Void> onAuthenticationFailure(WebFilterExchange exchange, AuthenticationException ex) {
			return Mono.deferContextual((context) -> {
				noteFailure(context, this.filter, ex);
				return this.handler.onAuthenticationFailure(exchange, ex);
			});
		}

	}

	/**
	 * Goes on after an attempt that has succeeded, once that is noted.
	 *
	 * @param filter the filter that has made it
	 * @param handler goes on
	 */
	private record WatchedSuccessHandler(AuthenticationWebFilter filter,
			ServerAuthenticationSuccessHandler handler) implements ServerAuthenticationSuccessHandler {

		@Override
		public Mono<Void> onAuthenticationSuccess(WebFilterExchange exchange, Authentication user) {
			return Mono.deferContextual((context) -> {
				noteResult(context, this.filter, user);
				return this.handler.onAuthenticationSuccess(exchange, user);
			});
		}

	}

}
