package io.github.ratelimit.integration.graphqlwebsocket;

import graphql.GraphQLError;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.annotation.RateLimited;

import org.springframework.graphql.data.method.annotation.GraphQlExceptionHandler;
import org.springframework.graphql.data.method.annotation.QueryMapping;
import org.springframework.stereotype.Controller;

/**
 * Handlers that answer rejections in their own way.
 */
@Controller
class OwnAnswerHandlers {

	@QueryMapping
	@RateLimited(name = "handled", limit = 1, window = "1d")
	String handled() {
		return "handled";
	}

	@GraphQlExceptionHandler
	GraphQLError tooMany(RateLimitExceededException ex) {
		return GraphQLError.newError().message("Slow down").build();
	}

}
