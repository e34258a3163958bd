package io.github.ratelimit.benchmarks.http.server;

import java.net.InetSocketAddress;

import reactor.core.publisher.Mono;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * A gateway whose only route leads to a handler of its own, so that no way to a target
 * hides what a limiter costs. Gateway's own limiter counts by address, as ours does.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@RestController
public class GatewayApplication {

	@Bean
	KeyResolver clientAddress() {
		return (exchange) -> Mono.justOrEmpty(exchange.getRequest().getRemoteAddress())
			.map(InetSocketAddress::getHostString);
	}

	@GetMapping("/word")
	String word() {
		return "Hello";
	}

}
