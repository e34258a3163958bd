package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.expression.TestRequest;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.CurrentRequest;
import io.github.ratelimit.request.LimitedRequest;
import io.github.ratelimit.request.RequestView;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Methods that are called while a request is served.
 */
class CallsWithinRequestTests {

	private final FakeCurrentRequest current = new FakeCurrentRequest();

	@Test
	void defaultKeyIsTheClientsAddress() {
		run((context) -> {
			context.getBean(Service.class).limited();
			assertThat(remaining(context, "Service.limited", TestRequest.ADDRESS)).isZero();
		});
	}

	@Test
	void keyWithoutTextIsTheClientsAddress() {
		run((context) -> {
			context.getBean(Service.class).byUser("");
			assertThat(remaining(context, "Service.byUser", "address:" + TestRequest.ADDRESS)).isZero();
			assertThat(remaining(context, "Service.byUser", "shared:")).isEqualTo(1);
		});
	}

	@Test
	void whatTheWebHasEnforcedIsNotEnforcedAgain() {
		run((context) -> {
			this.current.enforced = true;
			context.getBean(Service.class).limited();
			assertThat(remaining(context, "Service.limited", TestRequest.ADDRESS)).isEqualTo(1);
			this.current.enforced = false;
			context.getBean(Service.class).limited();
			assertThat(remaining(context, "Service.limited", TestRequest.ADDRESS)).isZero();
		});
	}

	@Test
	void whatPoliciesSayIsReportedForTheHeadersAllowedOrNot() {
		run((context) -> {
			Service service = context.getBean(Service.class);
			service.limited();
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(service::limited);
			assertThat(this.current.reported)
				.extracting((acquisition) -> acquisition.entries().get(0).decision().allowed())
				.containsExactly(true, false);
		});
	}

	private void run(ContextConsumer<AssertableApplicationContext> test) {
		LimitedBeans.runner().withBean(CurrentRequest.class, () -> this.current).withBean(Service.class).run(test);
	}

	private static long remaining(AssertableApplicationContext context, String policy, String key) {
		return context.getBean(RateLimiterRegistry.class).peek(policy, key).remaining();
	}

	private static final class FakeCurrentRequest implements CurrentRequest, LimitedRequest {

		private final List<Acquisition> reported = new ArrayList<>();

		private boolean enforced;

		@Override
		public LimitedRequest find() {
			return this;
		}

		@Override
		public RequestView view() {
			return TestRequest.anonymous();
		}

		@Override
		public boolean consumeEnforced(Method method) {
			return this.enforced;
		}

		@Override
		public Acquisition acquisition(Method method) {
			return new Acquisition(ManualClock.atMidnight());
		}

		@Override
		public void report(Acquisition acquisition) {
			this.reported.add(acquisition);
		}

	}

	static class Service {

		@RateLimited(limit = 1, window = "1m")
		public void limited() {
		}

		@RateLimited(limit = 1, window = "1m", key = "#user")
		public void byUser(String user) {
		}

	}

}
