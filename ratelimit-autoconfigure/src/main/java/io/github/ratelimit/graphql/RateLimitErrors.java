package io.github.ratelimit.graphql;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import graphql.ErrorClassification;
import graphql.GraphQLError;
import graphql.GraphqlErrorBuilder;
import graphql.schema.DataFetchingEnvironment;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.web.HeaderSettings;
import reactor.core.publisher.Mono;

import org.springframework.core.annotation.Order;
import org.springframework.graphql.execution.DataFetcherExceptionResolver;
import org.springframework.graphql.execution.SubscriptionExceptionResolver;

/**
 * Makes rejections into GraphQL errors. The application's
 * {@code @GraphQlExceptionHandler} methods are asked before any resolver. Other resolvers
 * are asked later unless they have an order below 0, because one that answers every
 * exception was written for failures.
 */
@Order(0)
final class RateLimitErrors implements DataFetcherExceptionResolver, SubscriptionExceptionResolver {

	@Override
	public Mono<List<GraphQLError>> resolveException(Throwable exception, DataFetchingEnvironment environment) {
		return resolve(exception, GraphqlErrorBuilder.newError(environment));
	}

	@Override
	public Mono<List<GraphQLError>> resolveException(Throwable exception) {
		return resolve(exception, GraphQLError.newError());
	}

	private static Mono<List<GraphQLError>> resolve(Throwable ex, GraphQLError.Builder<?> error) {
		RateLimitExceededException rejection = RateLimitExceededException.find(ex);
		if (rejection == null) {
			return Mono.empty();
		}
		return Mono.just(List.of(error(error, rejection)));
	}

	private static GraphQLError error(GraphQLError.Builder<?> error, RateLimitExceededException rejection) {
		Map<String, Object> extensions = new LinkedHashMap<>();
		extensions.put("policy", rejection.policy().name());
		long retryAfter = HeaderSettings.retryAfterSeconds(rejection.decision());
		if (retryAfter > 0) {
			extensions.put("retryAfter", retryAfter);
		}
		if (rejection.decision().banned()) {
			extensions.put("banned", true);
		}
		if (rejection.decision().denied()) {
			extensions.put("denied", true);
		}

		RateLimitErrorType type = RateLimitErrorType.RATE_LIMITED;
		if (rejection.decision().unavailable()) {
			type = RateLimitErrorType.RATE_LIMIT_UNAVAILABLE;
		}
		return error.errorType(type).message("%s", rejection.getMessage()).extensions(extensions).build();
	}

	/**
	 * The {@code classification} of an error, as a client reads it.
	 */
	enum RateLimitErrorType implements ErrorClassification {

		/** A rate limit was exceeded. */
		RATE_LIMITED,

		/** Whether a rate limit is exceeded cannot be decided at present. */
		RATE_LIMIT_UNAVAILABLE

	}

}
