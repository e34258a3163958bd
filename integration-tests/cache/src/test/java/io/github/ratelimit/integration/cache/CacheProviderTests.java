package io.github.ratelimit.integration.cache;

import java.util.Map;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.ratelimit.RateLimiterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.caffeine.CaffeineCacheManager;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which cache provider Spring Boot chooses beside the starter, and when that is logged.
 */
@ExtendWith(OutputCaptureExtension.class)
class CacheProviderTests {

	private static final String LINE = "Spring Boot has chosen Caffeine for the caches of this application.";

	@Test
	void cachesAreSimpleOnesWithoutCaffeine() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(CacheAutoConfiguration.class))
			.withUserConfiguration(Caching.class)
			.withClassLoader(new FilteredClassLoader(Caffeine.class))
			.run((context) -> assertThat(context.getBean(CacheManager.class))
				.isExactlyInstanceOf(ConcurrentMapCacheManager.class));
	}

	@Test
	void changedProviderIsLogged(CapturedOutput output) {
		assertThat(cacheManager(Caching.class)).isEqualTo(CaffeineCacheManager.class);
		assertThat(output).containsOnlyOnce(LINE).contains("set spring.cache.type=simple");
	}

	@Test
	void propertyKeepsTheSimpleProviderWhileRateLimitsUseCaffeine(CapturedOutput output) {
		assertThat(cacheManager(Caching.class, "--spring.cache.type=simple"))
			.isEqualTo(ConcurrentMapCacheManager.class);
		assertThat(output).doesNotContain(LINE);
	}

	@ParameterizedTest
	@ValueSource(strings = { "type=caffeine", "caffeine.spec=maximumSize=10" })
	void providerThatAPropertyChoosesIsNotLogged(String property, CapturedOutput output) {
		assertThat(cacheManager(Caching.class, "--spring.cache." + property)).isEqualTo(CaffeineCacheManager.class);
		assertThat(output).doesNotContain(LINE);
	}

	@Test
	void cacheManagerOfTheApplicationIsItsOwnChoice(CapturedOutput output) {
		cacheManager(OwnCacheManager.class);
		assertThat(output).doesNotContain(LINE);
	}

	@Test
	void applicationWithoutCachesHearsNothing(CapturedOutput output) {
		start(Application.class).close();
		assertThat(output).doesNotContain(LINE);
	}

	private static Class<?> cacheManager(Class<?> source, String... arguments) {
		try (ConfigurableApplicationContext context = start(source, arguments)) {
			assertThat(context.getBean(RateLimiterRegistry.class).storeName()).isEqualTo("caffeine");
			return context.getBean(CacheManager.class).getClass();
		}
	}

	private static ConfigurableApplicationContext start(Class<?> source, String... arguments) {
		SpringApplication application = new SpringApplication(source);
		application.setDefaultProperties(Map.of("spring.main.banner-mode", "off"));
		return application.run(arguments);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableCaching
	static class Caching {

	}

	static class OwnCacheManager extends Caching {

		@Bean
		CacheManager cacheManager() {
			return new CaffeineCacheManager();
		}

	}

}
