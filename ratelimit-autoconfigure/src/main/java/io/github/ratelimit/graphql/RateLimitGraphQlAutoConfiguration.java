package io.github.ratelimit.graphql;

import io.github.ratelimit.annotation.RateLimitedMethods;
import io.github.ratelimit.request.CurrentRequest;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.web.address.ClientAddressResolver;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.graphql.autoconfigure.GraphQlAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.graphql.execution.GraphQlSource;
import org.springframework.graphql.server.WebGraphQlInterceptor;

/**
 * Auto-configuration for Spring for GraphQL: makes the request available to the keys of
 * its handlers, and turns rejections into GraphQL errors.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = GraphQlAutoConfiguration.class,
		afterName = { "io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration",
				"io.github.ratelimit.autoconfigure.RateLimitServletAutoConfiguration" })
@ConditionalOnClass({ GraphQlSource.class, WebGraphQlInterceptor.class })
@ConditionalOnBean({ WaitingRoom.class, GraphQlSource.class })
public final class RateLimitGraphQlAutoConfiguration {

	/** Name of the bean that finds a thread's HTTP request, and needs servlets. */
	private static final String HTTP_REQUEST = "servletRateLimits";

	@Bean
	RateLimitErrors rateLimitGraphQlErrors() {
		return new RateLimitErrors();
	}

	@Bean
	GraphQlRequests rateLimitGraphQlRequests(ClientAddressResolver clientAddresses, WaitingRoom room,
			@Qualifier(HTTP_REQUEST) ObjectProvider<CurrentRequest> http, RateLimitedMethods methods) {
		return new GraphQlRequests(clientAddresses, room, http.getIfAvailable(() -> () -> null), methods::mayRead);
	}

}
