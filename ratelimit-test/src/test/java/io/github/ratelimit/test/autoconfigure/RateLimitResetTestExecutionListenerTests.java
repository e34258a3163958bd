package io.github.ratelimit.test.autoconfigure;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;

import org.springframework.context.ApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.test.context.TestContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

class RateLimitResetTestExecutionListenerTests {

	private final RateLimitResetTestExecutionListener listener = new RateLimitResetTestExecutionListener();

	@Test
	void createsNoContext() {
		TestContext test = mock();
		this.listener.beforeTestMethod(test);
		verify(test, never()).getApplicationContext();
	}

	@Test
	void createsNoStore() {
		try (GenericApplicationContext context = new GenericApplicationContext()) {
			context.registerBean("store", RateLimitStore.class, RateLimitResetTestExecutionListenerTests::store,
					(definition) -> definition.setLazyInit(true));
			context.refresh();
			this.listener.beforeTestMethod(test(context));
			assertThat(context.getBeanFactory().containsSingleton("store")).isFalse();
		}
	}

	@Test
	void resetsTheStoreOfAParentContextToo() {
		try (GenericApplicationContext parent = new GenericApplicationContext();
				GenericApplicationContext child = new GenericApplicationContext(parent)) {
			parent.registerBean(RateLimitStore.class, RateLimitResetTestExecutionListenerTests::store);
			parent.refresh();
			child.refresh();
			PolicyDecider states = parent.getBean(RateLimitStore.class)
				.open(RateLimitPolicy.of("policy",
						RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 1, Duration.ofHours(1))));
			states.decide("key", 1);
			this.listener.beforeTestMethod(test(child));
			assertThat(states.decide("key", 1).allowed()).isTrue();
		}
	}

	@Test
	void resetsNothingForATestClassThatHasTurnedItOffNorForItsSubclassesAndNestedClasses() {
		try (GenericApplicationContext context = new GenericApplicationContext()) {
			context.registerBean(RateLimitStore.class, RateLimitResetTestExecutionListenerTests::store);
			context.refresh();
			PolicyDecider states = context.getBean(RateLimitStore.class)
				.open(RateLimitPolicy.of("policy",
						RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 1, Duration.ofHours(1))));
			states.decide("key", 1);
			for (Class<?> testClass : List.of(Kept.class, KeptToo.class, Kept.Within.class)) {
				this.listener.beforeTestMethod(test(context, testClass));
				assertThat(states.decide("key", 1).allowed()).as(testClass.getName()).isFalse();
			}
			this.listener.beforeTestMethod(test(context, Reset.class));
			assertThat(states.decide("key", 1).allowed()).isTrue();
		}
	}

	@Test
	void whatWasForcedIsKeptForATestClassThatHasTurnedItOff() {
		try (GenericApplicationContext context = new GenericApplicationContext()) {
			RateLimitOutcomes outcomes = mock();
			context.refresh();
			context.getBeanFactory().registerSingleton(TestBeans.OUTCOMES, outcomes);
			this.listener.afterTestMethod(test(context, Kept.class));
			verify(outcomes, never()).release();
			this.listener.afterTestMethod(test(context, Reset.class));
			verify(outcomes).release();
		}
	}

	private static RateLimitStore store() {
		return new LocalRateLimitStore(ManualClock.atMidnight(), 100);
	}

	private static TestContext test(ApplicationContext context) {
		return test(context, RateLimitResetTestExecutionListenerTests.class);
	}

	private static TestContext test(ApplicationContext context, Class<?> testClass) {
		TestContext test = mock();
		given(test.hasApplicationContext()).willReturn(true);
		given(test.getApplicationContext()).willReturn(context);
		willReturn(testClass).given(test).getTestClass();
		return test;
	}

	@AutoConfigureRateLimit(reset = false)
	static class Kept {

		class Within {

		}

	}

	static class KeptToo extends Kept {

	}

	@AutoConfigureRateLimit
	static class Reset {

	}

}
