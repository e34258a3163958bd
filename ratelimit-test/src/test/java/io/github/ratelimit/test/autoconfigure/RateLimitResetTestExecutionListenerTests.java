package io.github.ratelimit.test.autoconfigure;

import java.time.Duration;

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

	private static RateLimitStore store() {
		return new LocalRateLimitStore(ManualClock.atMidnight(), 100);
	}

	private static TestContext test(ApplicationContext context) {
		TestContext test = mock();
		given(test.hasApplicationContext()).willReturn(true);
		given(test.getApplicationContext()).willReturn(context);
		return test;
	}

}
