package io.github.ratelimit.integration.documentation.recipes.login;

import io.github.ratelimit.integration.documentation.recipes.Recipe;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

class InstancesRecipeTests {

	@Test
	void nobodyLogsInWithoutRedisAndAllElseGoesOn() {
		try (Recipe recipe = Recipe.start("Login on several instances", LoginConfiguration.class, NoRedis.class)) {
			assertThat(recipe.post("/login", "username=ada&password=secret")).isEqualTo(503);
			assertThat(recipe.get("/login")).isEqualTo(200);
			assertThat(recipe.get("/none", "Authorization", "Basic eDp5")).isNotEqualTo(503);
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class NoRedis {

		/* Nobody listens on the port for TCP's port service multiplexer. */
		@Bean
		LettuceConnectionFactory redis() {
			return new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", 1));
		}

	}

}
