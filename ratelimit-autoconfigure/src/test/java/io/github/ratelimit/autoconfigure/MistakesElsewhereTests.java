package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.Map;

import com.github.benmanes.caffeine.cache.Cache;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.expression.KeyResolver;
import io.github.ratelimit.InvalidRateLimitException;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Mistakes other than in a property's value.
 */
class MistakesElsewhereTests {

	@ParameterizedTest
	@ValueSource(strings = { "2.7.18", "3.0.0", "3.5.6" })
	void olderSpringBootIsNamed(String version) {
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> RateLimitAutoConfiguration.checkSpringBoot(version))
			.withMessage(
					"The starter for rate limits needs Spring Boot 4.1 or later, but the application has Spring Boot "
							+ version);
	}

	@Test
	void expressionThatReadsWhatIsNotThereIsNamed() {
		FailedStart failed = FailedStart.of("ratelimit.key: clientAdress");
		assertThat(failed.description())
			.isEqualTo("The key expression 'clientAdress' of the property ratelimit.key reads 'clientAdress', which "
					+ "is not known.");
		assertThat(failed.action()).startsWith("Did you mean 'clientAddress'?");
	}

	@Test
	void codeThatAsksForAnUnknownPolicyIsToldTheNearest() {
		FailedStart failed = FailedStart.of("""
				ratelimit.policies.login:
				  limits:
				    - { limit: 7, window: 1m }
				""", AsksForUnknownPolicy.class);
		assertThat(failed.description())
			.isEqualTo("There is no rate limit policy named 'lgoin'. The bean 'asker' cannot be created.");
		assertThat(failed.action())
			.isEqualTo("Did you mean 'login'? Known: 'login'. Or add the policy to ratelimit.policies.");
	}

	@Test
	void codeThatBuildsAnImpossibleLimitIsToldWhatIsPossible() {
		FailedStart failed = FailedStart.of("", BuildsImpossibleLimit.class);
		assertThat(failed.description()).isEqualTo("window = 0 s is out of range. The bean 'limit' cannot be created.");
		assertThat(failed.action()).isEqualTo("Use a window from 1ms to 31d, such as 1s, 10m or 1d.");
	}

	@ParameterizedTest
	@ValueSource(strings = { "\"redis\"", "'redis'", " redis", "re-dis", "\"caffeine\"" })
	void aStoreThatIsNotWrittenAsItIsNamedIsShownAsItIsWritten(String store) {
		FailedStart failed = FailedStart.of("", Map.of("RATELIMIT_STORE", store));
		assertThat(failed.description())
			.startsWith("The property 'ratelimit.store' with the value '" + store + "' is not a known value.");
		assertThat(failed.action()).endsWith("Known: 'caffeine', 'redis'.");
	}

	@ParameterizedTest
	@ValueSource(strings = { "policy: chat", "policies: [ chat ]", "key: principal.name", "max-tokens: 100" })
	void limitsOfModelsWithoutTheModuleForThemAreExplained(String property) {
		FailedStart failed = FailedStart.of("ratelimit.ai: { " + property + " }");
		assertThat(failed.description()).startsWith(
				"The property 'ratelimit.ai' limits chat models, but ratelimit-spring-ai is not on the class path");
		assertThat(failed.action()).startsWith("Add the dependency io.github.ratelimit:ratelimit-spring-ai");
	}

	@Test
	void missingStoreIsExplained() {
		FailedStart failed = FailedStart.of("", new FilteredClassLoader(Cache.class.getPackageName()));
		assertThat(failed.description())
			.isEqualTo("There is no store for rate limits: Caffeine is not on the class path, and there is no bean of "
					+ "type RateLimitStore.");
		assertThat(failed.action())
			.isEqualTo("Add the dependency com.github.ben-manes.caffeine:caffeine, declare a bean of type "
					+ "RateLimitStore, or turn rate limits off with ratelimit.enabled=false.");
	}

	@Test
	void twoDefaultKeysContradictEachOther() {
		FailedStart failed = FailedStart.of("ratelimit.key: principal.name", WithKeyResolver.class);
		assertThat(failed.description())
			.isEqualTo("The property 'ratelimit.key' with the value 'principal.name' contradicts the application's "
					+ "KeyResolver bean 'tenantKeys', which would be the default key, too. It was set in application.yml - 1:16.");
		assertThat(failed.action()).isEqualTo("Remove ratelimit.key, or declare the bean with "
				+ "@Bean(defaultCandidate = false), so that it resolves only the keys that name it.");
	}

	@Configuration(proxyBeanMethods = false)
	static class AsksForUnknownPolicy {

		@Bean
		Object asker(RateLimiterRegistry registry) {
			return registry.decide("lgoin", "me");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class BuildsImpossibleLimit {

		@Bean
		RateLimit limit() {
			return RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 5, Duration.ZERO);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class WithKeyResolver {

		@Bean
		KeyResolver tenantKeys() {
			return (context) -> "tenant";
		}

	}

}
