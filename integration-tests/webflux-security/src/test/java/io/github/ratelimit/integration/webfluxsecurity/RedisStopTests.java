package io.github.ratelimit.integration.webfluxsecurity;

import java.io.IOException;
import java.time.Duration;

import io.github.ratelimit.integration.fixtures.LocalRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.ReactorResourceFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application that stops: Netty takes two seconds to do so, when the connections to
 * Redis have been stopped already.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedisStopTests {

	@Test
	void nothingSaysThatRedisIsOutOfReach(CapturedOutput output) throws IOException {
		try (LocalRedis redis = LocalRedis.start()) {
			new SpringApplicationBuilder(Application.class)
				.properties("server.port=0", "server.address=127.0.0.1", "spring.main.banner-mode=off",
						"ratelimit.store=redis", redis.property())
				.run()
				.close();
		}
		assertThat(output).contains("Netty started").doesNotContain("STOPPED");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		ReactorResourceFactory ownResources() {
			ReactorResourceFactory resources = new ReactorResourceFactory() {

				/* By itself it has that of the connections, and either may stop first. */
				@Override
				public int getPhase() {
					return -1;
				}

			};
			resources.setUseGlobalResources(false);
			resources.setShutdownQuietPeriod(Duration.ofSeconds(2));
			return resources;
		}

	}

}
