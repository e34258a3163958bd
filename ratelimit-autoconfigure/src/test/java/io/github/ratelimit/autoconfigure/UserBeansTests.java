package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.actuate.RateLimitEndpointAutoConfiguration;
import io.github.ratelimit.actuate.ShownKey;
import io.github.ratelimit.expression.KeyResolver;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.store.SharedOverrides;
import io.github.ratelimit.test.ManualClock;
import io.github.ratelimit.web.servlet.RateLimitRejectionHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mockito.AdditionalAnswers;

import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.timeout;

/**
 * What the application brings takes the place of what would be there otherwise.
 */
class UserBeansTests {

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withUserConfiguration(Application.class)
		.withPropertyValues("management.endpoints.web.exposure.include=ratelimits",
				"ratelimit.policies.login.limits[0].limit=1", "ratelimit.policies.login.limits[0].window=1m");

	@Test
	void ofTwoAnswersToRejectionsNoneIsChosen() {
		RateLimitRejectionHandler handler = (request, response, policy, decision) -> {
		};
		this.runner.withBean("first", RateLimitRejectionHandler.class, () -> handler)
			.withBean("second", RateLimitRejectionHandler.class, () -> handler)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(NoUniqueBeanDefinitionException.class)
				.hasMessageContaining("first,second"));
	}

	@Test
	void storeOfTheUsersKeepsAllStates() {
		this.runner.withBean(FixedAnswerStore.class).run((context) -> {
			assertThat(context).hasSingleBean(RateLimitStore.class).doesNotHaveBean(LocalRateLimitStore.class);
			assertThat(context.getBean(RateLimiterRegistry.class).storeName())
				.isEqualTo(context.getBean(FixedAnswerStore.class).name());
		});
	}

	@Test
	void overridesThatTheStoreOfTheUsersSharesAreFollowed() {
		SharedOverrides shared = mock();
		given(shared.read(anyLong())).willReturn(new SharedOverrides.Snapshot(1, 0, Collections.emptyMap()));
		RateLimitStore store = mock(RateLimitStore.class, AdditionalAnswers.delegatesTo(new FixedAnswerStore()));
		willReturn(shared).given(store).sharedOverrides();
		this.runner.withBean(RateLimitStore.class, () -> store)
			.run((context) -> then(shared).should(timeout(60_000).atLeast(3)).read(anyLong()));
	}

	@Test
	void clockOfTheUsersIsTheTime() {
		this.runner.withBean(ManualClock.class, ManualClock::atMidnight).run((context) -> {
			assertThat(context).hasSingleBean(RateLimitClock.class);
			RateLimiterRegistry registry = context.getBean(RateLimiterRegistry.class);
			assertThat(registry.decide("login", "me").allowed()).isTrue();
			assertThat(registry.decide("login", "me").retryAfter()).isEqualTo(Duration.ofMinutes(1));
			context.getBean(ManualClock.class).advance(Duration.ofMinutes(1));
			assertThat(registry.decide("login", "me").allowed()).isTrue();
		});
	}

	@Test
	void rejectionHandlerOfTheUsersIsTheOnlyOne() {
		RateLimitRejectionHandler own = mock(RateLimitRejectionHandler.class);
		this.runner.withBean(RateLimitRejectionHandler.class, () -> own)
			.run((context) -> assertThat(context).getBean(RateLimitRejectionHandler.class).isSameAs(own));
	}

	@Test
	void singleKeyResolverOfTheUsersIsTheDefaultKey() {
		this.runner.withBean("tenantKeys", KeyResolver.class, () -> (context) -> "tenant")
			.run((context) -> assertThat(ShownKey.of("login", context)).isEqualTo("@tenantKeys"));
	}

	@Test
	void keyResolversOfTheUsersThatAreSeveralAreNotTheDefaultKey() {
		this.runner.withBean("tenantKeys", KeyResolver.class, () -> (context) -> "tenant")
			.withBean("planKeys", KeyResolver.class, () -> (context) -> "plan")
			.run((context) -> assertThat(ShownKey.of("login", context)).isEqualTo("clientAddress"));
	}

	@Test
	void keyResolverOfTheUsersThatIsNoDefaultCandidateIsNotTheDefaultKey() {
		this.runner
			.withBean("tenantKeys", KeyResolver.class, () -> (context) -> "tenant",
					(bean) -> ((AbstractBeanDefinition) bean).setDefaultCandidate(false))
			.withPropertyValues("ratelimit.key=principal.name")
			.run((context) -> assertThat(ShownKey.of("login", context)).isEqualTo("principal.name"));
	}

	@Test
	void listenersOfTheUsersAreToldOfEveryDecision() {
		List<RateLimitOutcome> outcomes = new CopyOnWriteArrayList<>();
		this.runner.withBean(RateLimitListener.class, () -> (policy, key, decision, outcome) -> outcomes.add(outcome))
			.run((context) -> {
				RateLimiterRegistry registry = context.getBean(RateLimiterRegistry.class);
				registry.decide("login", "me");
				registry.decide("login", "me");
				assertThat(outcomes).containsExactly(RateLimitOutcome.ALLOWED, RateLimitOutcome.REJECTED);
			});
	}

	@Test
	void limiterOfTheUsersDoesNotSilentlyTakeThePlaceOfWhatIsConfigured() {
		this.runner
			.withBean("own", RateLimiterRegistry.class,
					() -> new StoreRateLimiterRegistry(new FixedAnswerStore(), List.of()))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(NoUniqueBeanDefinitionException.class)
				.hasMessageContainingAll("own", RateLimitAutoConfiguration.REGISTRY));
	}

	@Test
	void limiterOfTheUsersThatIsNoCandidateLivesBesideOurs() {
		RateLimiterRegistry own = new StoreRateLimiterRegistry(new FixedAnswerStore(), List.of());
		this.runner
			.withBean("own", RateLimiterRegistry.class, () -> own,
					(bean) -> ((AbstractBeanDefinition) bean).setDefaultCandidate(false))
			.run((context) -> assertThat(
					context.getBean(RateLimitAutoConfiguration.REGISTRY, RateLimiterRegistry.class).find("login"))
				.isNotNull());
	}

	@ParameterizedTest
	@CsvSource({ "rateLimiter, true", "rateLimitFilter, true", "rateLimiter, false" })
	void beanOfAnotherKindMayHaveTheNameThatIsUsualForLimits(String name, boolean enabled) {
		this.runner.withPropertyValues("ratelimit.enabled=" + enabled).withBean(name, Object.class).run((context) -> {
			assertThat(context.getBean(name)).isExactlyInstanceOf(Object.class);
			assertThat(context).hasSingleBean(RateLimiterRegistry.class);
		});
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class,
			RateLimitAutoConfiguration.class, RateLimitEndpointAutoConfiguration.class,
			RateLimitMethodAutoConfiguration.class, RateLimitMvcAutoConfiguration.class,
			RateLimitServletAutoConfiguration.class, RateLimitSwitchAutoConfiguration.class })
	static class Application {

	}

}
