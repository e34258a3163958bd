package io.github.ratelimit.annotation;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.expression.KeyResolver;
import io.github.ratelimit.expression.RateLimitContext;
import io.github.ratelimit.test.ManualClock;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Calls of annotated methods outside of a request.
 */
class PlainCallTests {

	@Test
	void rejectedCallIsToldThePolicyAndTheDecision() {
		LimitedBeans.runner().withBean(Service.class).run((context) -> {
			Service service = context.getBean(Service.class);
			assertThat(service.shared()).isEqualTo(1);
			context.getBean(ManualClock.class).advance(Duration.ofSeconds(20));
			RateLimitExceededException rejected = catchThrowableOfType(RateLimitExceededException.class,
					service::shared);
			assertThat(rejected.policy().name()).isEqualTo("Service.shared");
			assertThat(rejected.decision().allowed()).isFalse();
			assertThat(rejected.decision().remaining()).isZero();
			assertThat(rejected.retryAfter()).isEqualTo(Duration.ofSeconds(40));
			context.getBean(ManualClock.class).advance(Duration.ofSeconds(40));
			assertThat(service.shared()).as("bodies that ran").isEqualTo(2);
		});
	}

	@Test
	void defaultKeyIsOneBudgetForThePolicyAndOfNoOther() {
		LimitedBeans.runner().withBean(Service.class).run((context) -> {
			Service service = context.getBean(Service.class);
			service.shared();
			assertRejected(service::shared);
			service.other();
			assertRejected(service::other);
		});
	}

	@Test
	void eachValueOfAParameterHasItsOwnBudget() {
		LimitedBeans.runner().withBean(Service.class).run((context) -> {
			Service service = context.getBean(Service.class);
			service.byUser("ann");
			service.byUser("bob");
			assertRejected(() -> service.byUser("ann"));
		});
	}

	@ParameterizedTest
	@NullAndEmptySource
	void parameterWithoutTextIsNoFreePass(@Nullable String user) {
		LimitedBeans.runner().withBean(Service.class).run((context) -> {
			Service service = context.getBean(Service.class);
			service.byUser(user);
			assertRejected(() -> service.byUser(user));
		});
	}

	@Test
	void keyMayBeABean() {
		LimitedBeans.runner()
			.withBean(ByTenant.class)
			.withBean("tenantKeys", KeyResolver.class, () -> PlainCallTests::tenant)
			.run((context) -> {
				ByTenant service = context.getBean(ByTenant.class);
				service.byTenant("acme/ann");
				service.byTenant("other/ann");
				assertRejected(() -> service.byTenant("acme/bob"));
			});
	}

	@Test
	void callTakesWhatItCostsAndNeverNothing() {
		LimitedBeans.runner().withBean(Service.class).run((context) -> {
			Service service = context.getBean(Service.class);
			service.send(List.of("a", "b", "c"));
			service.send(List.of());
			assertRejected(() -> service.send(List.of("d", "e")));
			service.send(List.of("d"));
			RateLimitExceededException never = catchThrowableOfType(RateLimitExceededException.class,
					() -> service.send(List.of("1", "2", "3", "4", "5", "6")));
			assertThat(never.retryAfter()).isNull();
			assertThat(never).hasMessageContaining("costs more permits than can ever be free");
		});
	}

	@Test
	void callWhoseConditionDoesNotHoldTakesNothing() {
		LimitedBeans.runner().withBean(Service.class).run((context) -> {
			Service service = context.getBean(Service.class);
			service.unlessAdmin("admin");
			service.unlessAdmin("admin");
			service.unlessAdmin("ann");
			assertRejected(() -> service.unlessAdmin("ann"));
			assertThat(context.getBean(RateLimiterRegistry.class)
				.policy("Service.unlessAdmin")
				.count(RateLimitOutcome.ALLOWED)).isEqualTo(1);
		});
	}

	@Test
	void callThatFailsStillCounts() {
		LimitedBeans.runner().withBean(Service.class).run((context) -> {
			Service service = context.getBean(Service.class);
			assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(service::fails);
			assertRejected(service::fails);
		});
	}

	private static @Nullable String tenant(RateLimitContext context) {
		Object[] arguments = context.arguments();
		return (arguments != null) ? String.valueOf(arguments[0]).split("/")[0] : null;
	}

	private static void assertRejected(ThrowingCallable call) {
		assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(call);
	}

	static class Service {

		private int calls;

		@RateLimited(limit = 1, window = "1m")
		public int shared() {
			return ++this.calls;
		}

		@RateLimited(limit = 1, window = "1m")
		public void other() {
		}

		@RateLimited(limit = 1, window = "1m", key = "#user")
		public void byUser(@Nullable String user) {
		}

		@RateLimited(limit = 5, window = "1h", cost = "#items.size()")
		public void send(List<String> items) {
		}

		@RateLimited(limit = 1, window = "1m", condition = "#user != 'admin'")
		public void unlessAdmin(String user) {
		}

		@RateLimited(limit = 1, window = "1m")
		public void fails() {
			throw new UnsupportedOperationException();
		}

	}

	static class ByTenant {

		@RateLimited(limit = 1, window = "1m", key = "@tenantKeys")
		public void byTenant(String user) {
		}

	}

}
