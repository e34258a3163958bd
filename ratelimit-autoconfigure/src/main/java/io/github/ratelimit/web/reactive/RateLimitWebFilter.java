package io.github.ratelimit.web.reactive;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

import io.github.ratelimit.expression.PolicyBinding;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.web.RateLimitRule;
import reactor.core.publisher.Mono;

import org.springframework.core.Ordered;
import org.springframework.http.server.reactive.observation.ServerRequestObservationContext;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

/**
 * Enforces the rules that match a request. Decides, and does not wait: a delay is waited
 * for after all filters have run.
 *
 * @since 0.1.0
 */
public final class RateLimitWebFilter implements WebFilter, Ordered {

	private final Position position;

	private final RateLimitRejections rejections;

	private final ReactiveRateLimits limits;

	/**
	 * Creates the filter.
	 * @param position where it is
	 * @param rejections answers those that are rejected
	 */
	public RateLimitWebFilter(Position position, RateLimitRejections rejections) {
		this.position = position;
		this.rejections = rejections;
		this.limits = rejections.limits;
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		if (!this.limits.isLimited(exchange)) {
			return chain.filter(exchange);
		}
		LimitedExchange limited = LimitedExchange.of(exchange, this.limits);
		return switch (this.position) {
			case BEFORE_SECURITY -> {
				ServerWebExchange begun = limited.begin(exchange);
				yield limited.serve(pass((rule) -> !rule.isAfterSecurity(), limited, begun, chain));
			}
			case AFTER_SECURITY -> pass(RateLimitRule::isAfterSecurity, limited, exchange, chain);
			case INNERMOST -> {
				Mono<Void> passed = limited.isRewritten(exchange.getRequest())
						? pass((rule) -> true, limited, exchange, chain) : chain.filter(exchange);
				yield (this.limits.charging && limited.isCharged()) ? limited.noteUser(exchange).then(passed) : passed;
			}
		};
	}

	/*
	 * Takes what the matching rules ask for, or answers the request. No handler is called
	 * for a pre-flight request.
	 */
	private Mono<Void> pass(Predicate<RateLimitRule> here, LimitedExchange limited, ServerWebExchange exchange,
			WebFilterChain chain) {
		if (limited.rules.isEmpty() || CorsUtils.isPreFlightRequest(exchange.getRequest())) {
			return chain.filter(exchange);
		}
		ExchangePath path = new ExchangePath(exchange.getRequest(), limited);
		List<RateLimitRule> applying = new ArrayList<>(1);
		List<PolicyBinding> bindings = new ArrayList<>(1);
		for (RateLimitRule rule : limited.rules) {
			if (here.test(rule) && rule.applies(path)) {
				applying.add(rule);
				bindings.add(rule.binding());
			}
		}
		return applying.isEmpty() ? chain.filter(exchange)
				: limited.decide(exchange, bindings, () -> RateLimitRule.ask(applying, path))
					.flatMap((taken) -> taken ? chain.filter(exchange) : reject(limited, applying, exchange));
	}

	/*
	 * A request that a rule has rejected has no handler whose pattern could be its uri in
	 * http.server.requests, and has the rule's instead.
	 */
	private Mono<Void> reject(LimitedExchange limited, List<RateLimitRule> applying, ServerWebExchange exchange) {
		Acquisition.Entry rejection = Objects.requireNonNull(limited.rejection());
		return this.rejections.reject(limited, exchange)
			.doOnTerminate(() -> ServerRequestObservationContext.findCurrent(exchange.getAttributes())
				.ifPresent((context) -> applying.stream()
					.filter((rule) -> rule.binding().limiter().equals(rejection.request().limiter()))
					.findFirst()
					.ifPresent((rule) -> context.setPathPattern(rule.pattern().getPatternString()))));
	}

	@Override
	public int getOrder() {
		return this.position.order;
	}

	/**
	 * Where a filter is.
	 */
	public enum Position {

		/**
		 * Before Spring Security. Enforces the rules that need nobody to be
		 * authenticated, and settles what requests have reserved.
		 */
		BEFORE_SECURITY(-101),

		/**
		 * After Spring Security, whose filter has the order -100. Enforces the rules that
		 * read the user.
		 */
		AFTER_SECURITY(-99),

		/**
		 * After all other filters. Enforces all rules once more for a request whose path
		 * or method one of them has changed.
		 */
		INNERMOST(Ordered.LOWEST_PRECEDENCE);

		private final int order;

		Position(int order) {
			this.order = order;
		}

	}

}
