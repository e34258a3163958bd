package io.github.ratelimit.web.reactive;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

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
import org.springframework.security.web.server.authentication.AuthenticationWebFilter;
import org.springframework.security.web.server.authentication.ServerAuthenticationConverter;
import org.springframework.security.web.server.authentication.ServerAuthenticationFailureHandler;
import org.springframework.security.web.server.authentication.ServerAuthenticationSuccessHandler;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Notes whether somebody could log in with a request, for charges. Reactive Spring
 * Security publishes no events, and makes most managers itself, where nothing else sees
 * them. So all attempts of its filters are observed at what the filters do before and
 * next, and those that an application makes itself at the managers that are beans.
 */
final class AuthenticationOutcomes extends AbstractBeanFactoryAwareAdvisingPostProcessor {

	/* A filter may be a bean, belong to a chain that is one, and to the proxy of it. */
	private final Set<AuthenticationWebFilter> watched = Collections
		.newSetFromMap(Collections.synchronizedMap(new WeakHashMap<>()));

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

	private void watch(AuthenticationWebFilter filter) {
		if (this.watched.add(filter)) {
			observe(filter);
		}
	}

	/*
	 * A filter has no getters for its handlers.
	 */
	private static void observe(AuthenticationWebFilter filter) {
		ServerAuthenticationConverter converter = handler(filter, ServerAuthenticationConverter.class);
		if (converter != null) {
			filter.setServerAuthenticationConverter((exchange) -> converter.convert(exchange)
				.flatMap((credentials) -> Mono.deferContextual((context) -> begin(context, filter))
					.thenReturn(credentials)));
		}
		ServerAuthenticationFailureHandler failed = handler(filter, ServerAuthenticationFailureHandler.class);
		if (failed != null) {
			filter.setAuthenticationFailureHandler((exchange, ex) -> noteThen((context) -> noteFailure(context, filter),
					() -> failed.onAuthenticationFailure(exchange, ex)));
		}
		ServerAuthenticationSuccessHandler succeeded = handler(filter, ServerAuthenticationSuccessHandler.class);
		if (succeeded != null) {
			filter.setAuthenticationSuccessHandler(
					(exchange, user) -> noteThen((context) -> noteResult(context, filter, user),
							() -> succeeded.onAuthenticationSuccess(exchange, user)));
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

	private static Mono<Void> noteThen(Consumer<ContextView> outcome, Supplier<Mono<Void>> next) {
		return Mono.deferContextual((context) -> {
			outcome.accept(context);
			return next.get();
		});
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
	 * Of managers that ask one another, the first one is observed.
	 */
	private static Mono<?> observed(Mono<?> attempt, List<?> arguments) {
		return Mono.deferContextual((context) -> {
			if (context.hasKey(AuthenticationOutcomes.class)) {
				return attempt;
			}
			return beginOrEnforce(context, arguments).then(attempt)
				.doOnNext((result) -> noteResult(context, arguments, result))
				.doOnError(AuthenticationException.class, (ex) -> noteFailure(context, arguments))
				.contextWrite((inner) -> inner.put(AuthenticationOutcomes.class, true));
		});
	}

	/*
	 * A manager's own method of the same name, with other arguments, may never give
	 * anything.
	 */
	private static Mono<Void> beginOrEnforce(ContextView context, List<?> arguments) {
		if (arguments.size() == 1 && arguments.get(0) instanceof Authentication) {
			return begin(context, arguments);
		}
		return enforce(context);
	}

	private static Mono<Void> begin(ContextView context, Object attempt) {
		return enforce(context).then(Mono.fromRunnable(() -> {
			LimitedExchange exchange = exchange(context);
			if (exchange != null) {
				exchange.attempts.begin(attempt);
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
	private static void noteResult(ContextView context, Object attempt, Object result) {
		LimitedExchange exchange = exchange(context);
		if (exchange == null) {
			return;
		}
		if (result instanceof Authentication user && user.isAuthenticated()) {
			exchange.noteAuthentication(false);
		}
		if (attempt instanceof AuthenticationWebFilter) {
			exchange.attempts.endWithInner(attempt);
		}
		else {
			exchange.attempts.end(attempt);
		}
	}

	private static void noteFailure(ContextView context, Object attempt) {
		LimitedExchange exchange = exchange(context);
		if (exchange != null) {
			exchange.noteAuthentication(true);
			exchange.attempts.end(attempt);
		}
	}

	private static @Nullable LimitedExchange exchange(ContextView context) {
		return (LimitedExchange) context.getOrDefault(LimitedExchange.KEY, null);
	}

}
