package io.github.ratelimit.autoconfigure;

import java.util.List;
import java.util.Map;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.annotation.Interception;
import io.github.ratelimit.annotation.RateLimitedMethods;
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.request.CurrentRequest;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.web.HeaderSettings;
import io.github.ratelimit.web.address.AddressGates;
import io.github.ratelimit.web.address.ClientAddressResolver;
import io.github.ratelimit.web.mcp.McpMessages;
import io.github.ratelimit.web.reactive.RateLimitHandlerAdapter;
import io.github.ratelimit.web.reactive.RateLimitRejectionHandler;
import io.github.ratelimit.web.reactive.RateLimitRejections;
import io.github.ratelimit.web.reactive.RateLimitWebFilter;
import io.github.ratelimit.web.reactive.ReactiveRateLimits;
import io.github.ratelimit.web.rules.RateLimitRule;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.web.WebProperties;
import org.springframework.boot.web.error.ErrorAttributeOptions;
import org.springframework.boot.webflux.autoconfigure.error.DefaultErrorWebExceptionHandler;
import org.springframework.boot.webflux.error.ErrorAttributes;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.http.server.reactive.HttpHandlerDecoratorFactory;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.HandlerAdapter;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.config.PathMatchConfigurer;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.function.server.RequestPredicates;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.reactive.handler.AbstractHandlerMapping;
import org.springframework.web.reactive.result.method.RequestMappingInfoHandlerMapping;
import org.springframework.web.reactive.result.method.annotation.ArgumentResolverConfigurer;
import org.springframework.web.reactive.result.view.ViewResolver;
import org.springframework.web.server.WebExceptionHandler;
import org.springframework.web.server.WebFilter;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Auto-configuration for reactive web applications: the filters that enforce rules, what
 * limits handlers before their body is read, and how rejections are answered.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = { RateLimitAutoConfiguration.class, RateLimitMethodAutoConfiguration.class })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(DispatcherHandler.class)
@ConditionalOnBean(RateLimitAutoConfiguration.class)
public final class RateLimitReactiveAutoConfiguration {

	/* Spring WebFlux may be used without Boot's module for it. */
	private static final String ERROR_PAGES = "org.springframework.boot.webflux.autoconfigure.error.ErrorWebFluxAutoConfiguration";

	private static final String AUTHENTICATION = "org.springframework.security.web.server.authentication.AuthenticationWebFilter";

	private static final List<String> PREFIXES = List.of("spring.webflux.base-path");

	@Bean
	ReactiveRateLimits reactiveRateLimits(ClientAddressResolver clientAddresses, HeaderSettings headers,
			StoreRateLimiterRegistry registry, PolicyBinder binder, WaitingRoom room,
			ObjectProvider<ServerCodecConfigurer> codecs, ObjectProvider<McpMessages> messages) {
		ReactiveRateLimits limits = new ReactiveRateLimits(clientAddresses, headers, registry, binder, room,
				codecs.getIfAvailable(ServerCodecConfigurer::create), messages.getIfAvailable());
		registry.enforceAddresses(new AddressGates(clientAddresses, limits::use));
		return limits;
	}

	@Bean
	@ConditionalOnClass(name = AUTHENTICATION)
	static BeanPostProcessor rateLimitAuthenticationOutcomes() {
		return ReactiveRateLimits.authenticationOutcomes();
	}

	@Bean
	@ConditionalOnClass(name = "io.micrometer.context.ContextRegistry")
	static CurrentRequest rateLimitCurrentExchange() {
		return ReactiveRateLimits.current();
	}

	@Bean
	SmartLifecycle rateLimitDelayedExchanges(ReactiveRateLimits limits) {
		return limits.waiting();
	}

	@Bean
	RateLimitRejections rateLimitRejections(ReactiveRateLimits limits,
			ObjectProvider<RateLimitRejectionHandler> handlers, ApplicationContext context) {
		return new RateLimitRejections(limits, handlers, context, () -> errorPages(context));
	}

	private static WebExceptionHandler errorPages(ApplicationContext context) {
		if (context.containsBean(ERROR_PAGES)) {
			return new BootErrorPages(context);
		}
		return (exchange, error) -> Mono.error(error);
	}

	/*
	 * The first is the innermost, which sees no request that another one answers.
	 */
	@Bean
	@Order(Ordered.HIGHEST_PRECEDENCE)
	HttpHandlerDecoratorFactory rateLimitWatchedRequests(ReactiveRateLimits limits, RateLimitFindings findings) {
		return limits.watch(findings);
	}

	/*
	 * Never lazily, so that a mistake in a rule fails start-up.
	 */
	@Bean(RuleCompiler.BEAN_NAME)
	@Lazy(false)
	RuleCompiler rateLimitRules(StoreRateLimiterRegistry registry, PolicyBinder binder, ReactiveRateLimits limits,
			ObjectProvider<WebFluxConfigurer> configurers, Environment environment, RateLimitProperties properties,
			ObjectProvider<McpMessages> messages) {
		Matching matching = new Matching();
		configurers.orderedStream().forEach((configurer) -> configurer.configurePathMatching(matching));
		return new RuleCompiler(registry, binder, limits, matching.parser(), environment, PREFIXES,
				messages.getIfAvailable())
			.begin(properties);
	}

	/*
	 * Rules could be bypassed by other spellings.
	 */
	@Bean
	SmartInitializingSingleton rateLimitRuleMatching(RuleCompiler rules, ApplicationContext context) {
		return () -> {
			if (rules.mayBeEnforced()) {
				context.getBeansOfType(AbstractHandlerMapping.class)
					.forEach((name, mapping) -> rules.checkMapping(name, mapping, mapping.getPathPatternParser(),
							"Let everything ignore case, by WebFluxConfigurer.configurePathMatching, or nothing."));
			}
		};
	}

	@Bean
	SmartInitializingSingleton rateLimitPathVariables(RateLimitedMethods methods,
			ObjectProvider<RequestMappingInfoHandlerMapping> mappings) {
		return () -> new HandlerPatterns(methods).check((patterns) -> mappings.forEach((mapping) -> mapping
			.getHandlerMethods()
			.forEach((info, handler) -> patterns.add(handler,
					info.getPatternsCondition().getPatterns().stream().map(PathPattern::getPatternString).toList()))));
	}

	/*
	 * The filter is left out where no addresses are configured. Those that operators
	 * decide on meanwhile meet the next one.
	 */
	@Bean
	@Nullable WebFilter rateLimitAddressWebFilter(ReactiveRateLimits limits, RateLimitProperties properties) {
		if (!properties.decidesOnAddresses()) {
			return null;
		}
		return RateLimitWebFilter.ofAddresses(limits);
	}

	@Bean
	RateLimitWebFilter rateLimitWebFilter(RuleCompiler rules, RateLimitRejections rejections) {
		return new RateLimitWebFilter(false, rejections);
	}

	/*
	 * The filter is left out where no rule reads the user, or ever will, because each
	 * filter costs all requests something.
	 */
	@Bean
	@Nullable RateLimitWebFilter rateLimitPrincipalWebFilter(RuleCompiler rules, RateLimitRejections rejections) {
		boolean used = RuleCompiler.MAY_CHANGE || rules.all().stream().anyMatch(RateLimitRule::isAfterSecurity);
		if (!used) {
			return null;
		}
		return new RateLimitWebFilter(true, rejections);
	}

	@Bean
	HandlerMapping rateLimitInnermostMapping(@Qualifier("rateLimitWebFilter") RateLimitWebFilter filter) {
		return filter.innermost();
	}

	@Bean
	WebFluxConfigurer rateLimitArguments(ObjectProvider<ReactiveRateLimits> limits) {
		return new WebFluxConfigurer() {

			@Override
			public void configureArgumentResolvers(ArgumentResolverConfigurer resolvers) {
				resolvers.addCustomResolver(
						ReactiveRateLimits.argumentResolver((exchange) -> limits.getObject().info(exchange)));
			}

		};
	}

	@Bean(Interception.HANDLER_ADAPTER)
	RateLimitHandlerAdapter rateLimitHandlerAdapter(RateLimitedMethods methods, RateLimitRejections rejections,
			ObjectProvider<HandlerAdapter> adapters) {
		return new RateLimitHandlerAdapter(methods, rejections, adapters);
	}

	/**
	 * Takes up how the application matches paths.
	 */
	private static final class Matching extends PathMatchConfigurer {

		PathPatternParser parser() {
			PathPatternParser parser = new PathPatternParser();
			parser.setCaseSensitive(!Boolean.FALSE.equals(isUseCaseSensitiveMatch()));
			return parser;
		}

	}

	/**
	 * The pages of Spring Boot's error handler, even if the application has replaced it.
	 */
	private static final class BootErrorPages extends DefaultErrorWebExceptionHandler {

		BootErrorPages(ApplicationContext context) {
			super(context.getBean(ErrorAttributes.class), context.getBean(WebProperties.class).getResources(),
					context.getBean(WebProperties.class).getError(), context);
			setMessageWriters(context.getBean(ServerCodecConfigurer.class).getWriters());
			setViewResolvers(context.getBeanProvider(ViewResolver.class).orderedStream().toList());
		}

		@Override
		protected RouterFunction<ServerResponse> getRoutingFunction(ErrorAttributes errorAttributes) {
			return RouterFunctions.route(RequestPredicates.all(), this::renderErrorView);
		}

		@Override
		protected Map<String, @Nullable Object> getErrorAttributes(ServerRequest request,
				ErrorAttributeOptions options) {
			Map<String, @Nullable Object> attributes = super.getErrorAttributes(request, options);
			Throwable error = getError(request);
			if (error != null && error.getCause() instanceof RateLimitExceededException rejection) {
				attributes.put("policy", rejection.policy().name());
				long retryAfter = HeaderSettings.retryAfterSeconds(rejection.decision());
				if (retryAfter > 0) {
					attributes.put("retryAfter", retryAfter);
				}
			}
			return attributes;
		}

	}

}
