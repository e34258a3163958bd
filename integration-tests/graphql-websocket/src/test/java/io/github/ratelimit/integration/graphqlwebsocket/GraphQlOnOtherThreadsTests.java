package io.github.ratelimit.integration.graphqlwebsocket;

import org.reactivestreams.Publisher;

import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.graphql.data.method.annotation.support.AnnotatedControllerConfigurer;

/**
 * Handlers that each run on a thread of their own, as they do with virtual threads.
 */
@Import(GraphQlOnOtherThreadsTests.Threads.class)
class GraphQlOnOtherThreadsTests extends GraphQlContract {

	@TestConfiguration(proxyBeanMethods = false)
	static class Threads {

		@Bean
		AnnotatedControllerConfigurer annotatedControllerConfigurer() {
			AnnotatedControllerConfigurer configurer = new AnnotatedControllerConfigurer();
			configurer.setExecutor(new SimpleAsyncTaskExecutor());
			configurer.setBlockingMethodPredicate(
					(method) -> !Publisher.class.isAssignableFrom(method.getReturnType().getParameterType()));
			return configurer;
		}

	}

}
