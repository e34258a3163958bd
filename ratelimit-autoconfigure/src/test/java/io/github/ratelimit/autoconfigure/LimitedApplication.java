package io.github.ratelimit.autoconfigure;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.store.RateLimitStore;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * An application of whatever kind the class path makes it. Asks three times where two are
 * allowed, in every way that there is, prints the answers and ends.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class LimitedApplication {

	public static void main(String[] arguments) {
		String[] defaults = { "--server.port=0", "--server.address=127.0.0.1",
				"--server.servlet.register-default-servlet=true", "--spring.jmx.enabled=true",
				"--management.endpoints.web.exposure.include=ratelimits",
				"--management.endpoints.jmx.exposure.include=ratelimits", "--spring.main.banner-mode=off",
				"--ratelimit.policies.twice.limits[0].limit=2", "--ratelimit.policies.twice.limits[0].window=1d",
				"--ratelimit.policies.twice.limits[0].algorithm=sliding-window-log",
				"--ratelimit.rules[0].path=/limited", "--ratelimit.rules[0].policy=twice" };
		String[] all = Stream.of(defaults, arguments).flatMap(Arrays::stream).toArray(String[]::new);
		try (ConfigurableApplicationContext context = SpringApplication.run(LimitedApplication.class, all)) {
			System.out.println("by hand: " + byHand(context.getBeanProvider(RateLimiterRegistry.class)));
			System.out.println("by annotation: " + byAnnotation(context.getBean(Annotated.class)));
			System.out.println("by rule: " + byRule(context.getEnvironment().getProperty("local.server.port")));
		}
	}

	private static String byHand(ObjectProvider<RateLimiterRegistry> registries) {
		RateLimiterRegistry registry = registries.getIfAvailable();
		return (registry != null) ? threeTimes(() -> registry.decide("twice", "me").allowed()) : "nothing to ask";
	}

	private static String byAnnotation(Annotated bean) {
		return threeTimes(() -> {
			try {
				bean.method();
				return true;
			}
			catch (RateLimitExceededException ex) {
				return false;
			}
		});
	}

	private static String byRule(String port) {
		if (port == null) {
			return "no server";
		}
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/limited")).build();
		HttpClient client = HttpClient.newHttpClient();
		return threeTimes(() -> client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() != 429);
	}

	private static String threeTimes(Callable<Boolean> allowed) {
		return IntStream.range(0, 3).mapToObj((i) -> {
			try {
				return allowed.call() ? "allowed" : "rejected";
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}).collect(Collectors.joining(", "));
	}

	@Bean
	@ConditionalOnBooleanProperty("own-store")
	RateLimitStore ownStore() {
		return new FixedAnswerStore();
	}

	@Bean
	Annotated annotated() {
		return new Annotated();
	}

	static class Annotated {

		@RateLimited(limit = 2, window = "1d", key = "'global'")
		public void method() {
		}

	}

}
