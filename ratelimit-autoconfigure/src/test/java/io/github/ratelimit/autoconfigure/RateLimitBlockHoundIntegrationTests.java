package io.github.ratelimit.autoconfigure;

import java.lang.reflect.Method;
import java.util.ServiceLoader;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import reactor.blockhound.integration.BlockHoundIntegration;

import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * BlockHound knows methods by their names alone. What it does with them is tested where
 * it is installed.
 */
class RateLimitBlockHoundIntegrationTests {

	@Test
	void blockHoundFindsTheIntegration() {
		assertThat(ServiceLoader.load(BlockHoundIntegration.class))
			.hasAtLeastOneElementOfType(RateLimitBlockHoundIntegration.class);
	}

	@Test
	void methodsThatMayPauseAreThere() {
		RateLimitBlockHoundIntegration.METHODS
			.forEach((type, methods) -> assertThat(names(type)).as(type).containsAll(methods));
	}

	private static Stream<String> names(String type) {
		return Stream.of(ClassUtils.resolveClassName(type, null).getDeclaredMethods()).map(Method::getName);
	}

}
