package io.github.ratelimit.integration.gateway;

import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.integration.fixtures.Target;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.cloud.gateway.filter.factory.rewrite.RewriteFunction;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.core.annotation.Order;

/**
 * A gateway before a target, with the routes of {@code application.yml}.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class Gateway {

	/* What a circuit breaker would count. */
	static final AtomicInteger FAILURES = new AtomicInteger();

	static ConfigurableApplicationContext start(Target target, Class<?> configuration, String... arguments) {
		return new SpringApplicationBuilder(configuration).properties("target=" + target.uri()).run(arguments);
	}

	static int port(ConfigurableApplicationContext context) {
		return context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
	}

	/* Fails without a caller, as that of Gateway's documentation does. */
	@Bean
	KeyResolver callers() {
		return (exchange) -> Mono.just(exchange.getRequest().getHeaders().getFirst(Target.CALLER));
	}

	@Bean
	GlobalFilter bodyLog() {
		return new BodyLog();
	}

	@Bean
	ParameterizedTypeReference<String> text() {
		return ParameterizedTypeReference.forType(String.class);
	}

	@Bean
	RewriteFunction<String, String> unchanged() {
		return (exchange, body) -> Mono.justOrEmpty(body);
	}

	/* Puts a name into the form that no client has sent. */
	@Bean
	RewriteFunction<String, String> signed() {
		return (exchange, body) -> Mono.justOrEmpty(body).map((form) -> form + "&username=gateway");
	}

	@Bean
	@Order(Ordered.HIGHEST_PRECEDENCE)
	GlobalFilter failures() {
		return (exchange, chain) -> chain.filter(exchange).doOnError((ex) -> FAILURES.incrementAndGet());
	}

}
