package io.github.ratelimit.web.reactive;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.expression.PolicyBinding;
import io.github.ratelimit.request.AcquisitionEntry;
import io.github.ratelimit.web.address.AddressGate;
import io.github.ratelimit.web.rules.RateLimitRule;
import reactor.core.publisher.Mono;

import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.observation.ServerRequestObservationContext;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import org.springframework.web.server.WebHandler;

/**
 * Enforces the rules that match a request. Decides, and does not wait: a delay is waited
 * for after all filters have run.
 *
 * @since 0.1.0
 */
public final class RateLimitWebFilter implements WebFilter, Ordered {

	private final boolean afterSecurity;

	private final RateLimitRejections rejections;

	/**
	 * Creates the filter.
	 * @param afterSecurity whether it enforces the rules that read the user, after Spring
	 * Security; otherwise it enforces those that do not, before it, and settles what
	 * requests have reserved
	 * @param rejections answers those that are rejected
	 */
	public RateLimitWebFilter(boolean afterSecurity, RateLimitRejections rejections) {
		this.afterSecurity = afterSecurity;
		this.rejections = rejections;
	}

	/**
	 * Creates a filter that decides on requests by their client's address before other
	 * filters see them, in place of this one.
	 * @param limits has what operators have decided of addresses
	 * @return the filter, which has an order
	 */
	public static WebFilter ofAddresses(ReactiveRateLimits limits) {
		return new AddressWebFilter(limits);
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		AddressGate gate = this.rejections.limits.gate;
		if (gate != null && !passAddress(gate, exchange)) {
			return RateLimitRejections.deny(exchange);
		}
		if (!this.rejections.limits.isLimiting()) {
			return chain.filter(exchange);
		}
		LimitedExchange limited = LimitedExchange.of(exchange, this.rejections.limits);
		if (this.afterSecurity) {
			return enforceAfterSecurity(limited, exchange, chain);
		}
		return limited.serve(Mono.defer(() -> {
			ServerWebExchange begun = limited.begin(exchange);
			return enforce(limited.rules().beforeSecurity(), limited, begun, chain);
		}));
	}

	/**
	 * Decides on a request by its client's address, before anything else does, unless an
	 * {@link AddressWebFilter} has.
	 * @return {@code false} if it is denied
	 */
	private boolean passAddress(AddressGate gate, ServerWebExchange exchange) {
		ReactiveRateLimits limits = this.rejections.limits;
		return this.afterSecurity || limits.gateFirst || AddressWebFilter.pass(gate, exchange, limits);
	}

	private Mono<Void> enforceAfterSecurity(LimitedExchange limited, ServerWebExchange exchange, WebFilterChain chain) {
		List<RateLimitRule> rules = limited.rules().afterSecurity();
		if (rules.isEmpty() || !limited.isCharged()) {
			return enforce(rules, limited, exchange, chain);
		}
		return limited.noteUser(exchange).then(Mono.defer(() -> enforce(rules, limited, exchange, chain)));
	}

	private Mono<Void> enforce(List<RateLimitRule> rules, LimitedExchange limited, ServerWebExchange exchange,
			WebFilterChain chain) {
		return decide(rules, limited, exchange, () -> chain.filter(exchange), (answer) -> answer);
	}

	/*
	 * Takes what the matching rules ask for, or answers the request. No handler is called
	 * for a preflight request. That of a browser has no credentials, but Spring Security
	 * would check those of a guesser.
	 */
	private <T> Mono<T> decide(List<RateLimitRule> rules, LimitedExchange limited, ServerWebExchange exchange,
			Supplier<Mono<T>> allowed, Function<Mono<Void>, Mono<T>> answered) {
		if (rules.isEmpty() || limited.isExempt()) {
			return allowed.get();
		}
		if (CorsUtils.isPreFlightRequest(exchange.getRequest()) && !limited.isAuthorized()) {
			limited.postpone(Mono.defer(() -> take(rules, limited, exchange, Mono::empty, (path) -> fail(limited))));
			return allowed.get();
		}

		return take(rules, limited, exchange, allowed,
				(path) -> answered.apply(reject(rules, path, limited, exchange)));
	}

	private <T> Mono<T> take(List<RateLimitRule> rules, LimitedExchange limited, ServerWebExchange exchange,
			Supplier<Mono<T>> allowed, Function<ExchangePath, Mono<T>> rejected) {
		ExchangePath path = new ExchangePath(exchange.getRequest(), limited.view());
		List<PolicyBinding> slow = new ArrayList<>(0);
		for (int i = 0; i < rules.size(); i++) {
			RateLimitRule rule = rules.get(i);
			if (!rule.binding().isPrompt() && rule.matches(path)) {
				slow.add(rule.binding());
			}
		}
		return limited.decide(exchange, slow, () -> RateLimitRule.resolve(rules, path, limited), allowed,
				() -> rejected.apply(path));
	}

	private static Mono<Void> fail(LimitedExchange limited) {
		AcquisitionEntry rejection = Objects.requireNonNull(limited.rejection());
		return Mono.error(new RateLimitExceededException(rejection.policy(), rejection.decision()));
	}

	private Mono<Void> reject(List<RateLimitRule> rules, ExchangePath path, LimitedExchange limited,
			ServerWebExchange exchange) {
		RateLimiter limiter = Objects.requireNonNull(limited.rejection()).request().limiter();
		return this.rejections.application.get().allowOrigin(exchange, () -> {
			ServerRequestObservationContext.findCurrent(exchange.getAttributes())
				.ifPresent((context) -> context.setPathPattern(RateLimitRule.patternOf(rules, limiter, path)));
			return this.rejections.reject(limited, exchange, null);
		});
	}

	/**
	 * Enforces all rules once more for a request whose path or method another filter has
	 * changed. What is asked before all mappings comes after all filters, and costs those
	 * requests nothing that no filter has changed.
	 * @return the first mapping, which knows no handler
	 */
	public HandlerMapping innermost() {
		return new Innermost();
	}

	/*
	 * Spring Security's filter has the order -100.
	 */
	@Override
	public int getOrder() {
		return this.afterSecurity ? -99 : -101;
	}

	/*
	 * Spring asks with each request, for the traces of exceptions.
	 */
	@Override
	public String toString() {
		return "RateLimitWebFilter";
	}

	@Order(Ordered.HIGHEST_PRECEDENCE)
	final class Innermost implements HandlerMapping {

		@Override
		public Mono<Object> getHandler(ServerWebExchange exchange) {
			ReactiveRateLimits limits = RateLimitWebFilter.this.rejections.limits;
			if (!limits.isLimiting()) {
				return Mono.empty();
			}
			LimitedExchange limited = LimitedExchange.of(exchange, limits);
			limited.noteDispatched();
			if (limited.isCharged()) {
				return limited.noteUser(exchange).then(Mono.defer(() -> decideIfRewritten(limited, exchange)));
			}
			return decideIfRewritten(limited, exchange);
		}

		private Mono<Object> decideIfRewritten(LimitedExchange limited, ServerWebExchange exchange) {
			ServerHttpRequest request = exchange.getRequest();
			String path = request.getPath().pathWithinApplication().value();
			if (!limited.isRewritten(path, request.getMethod().name())) {
				return Mono.empty();
			}
			return decide(limited.rules().all(), limited, exchange, Mono::empty, Innermost::handleAnswered);
		}

		/*
		 * A request that has been answered has a handler that does nothing.
		 */
		private static Mono<Object> handleAnswered(Mono<Void> answer) {
			return answer.thenReturn((WebHandler) (exchange) -> Mono.empty());
		}

	}

}
