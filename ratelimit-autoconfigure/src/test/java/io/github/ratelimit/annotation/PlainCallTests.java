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
import org.junit.jupiter.api.AutoClose;
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

	@AutoClose
	private final LimitedApplication<Service> application = new LimitedApplication<>(Service.class);

	private final Service service = this.application.bean();

	@Test
	void rejectedCallIsToldThePolicyAndTheDecision() {
		assertThat(this.service.shared()).isEqualTo(1);
		this.application.get(ManualClock.class).advance(Duration.ofSeconds(20));
		RateLimitExceededException rejected = catchThrowableOfType(RateLimitExceededException.class,
				this.service::shared);
		assertThat(rejected.policy().name()).isEqualTo("Service.shared");
		assertThat(rejected.decision().allowed()).isFalse();
		assertThat(rejected.decision().remaining()).isZero();
		assertThat(rejected.retryAfter()).isEqualTo(Duration.ofSeconds(40));
		this.application.get(ManualClock.class).advance(Duration.ofSeconds(40));
		assertThat(this.service.shared()).as("bodies that ran").isEqualTo(2);
	}

	@Test
	void defaultKeyIsOneBudgetForThePolicyAndOfNoOther() {
		this.service.shared();
		assertRejected(this.service::shared);
		this.service.other();
		assertRejected(this.service::other);
	}

	@Test
	void eachValueOfAParameterHasItsOwnBudget() {
		this.service.byUser("ann");
		this.service.byUser("bob");
		assertRejected(() -> this.service.byUser("ann"));
	}

	@ParameterizedTest
	@NullAndEmptySource
	void parameterWithoutTextIsNoFreePass(@Nullable String user) {
		this.service.byUser(user);
		assertRejected(() -> this.service.byUser(user));
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
		this.service.send(List.of("a", "b", "c"));
		this.service.send(List.of());
		assertRejected(() -> this.service.send(List.of("d", "e")));
		this.service.send(List.of("d"));
		RateLimitExceededException never = catchThrowableOfType(RateLimitExceededException.class,
				() -> this.service.send(List.of("1", "2", "3", "4", "5", "6")));
		assertThat(never.retryAfter()).isNull();
		assertThat(never).hasMessageContaining("costs more permits than can ever be free");
	}

	@Test
	void callWhoseConditionDoesNotHoldTakesNothing() {
		this.service.unlessAdmin("admin");
		this.service.unlessAdmin("admin");
		this.service.unlessAdmin("ann");
		assertRejected(() -> this.service.unlessAdmin("ann"));
		assertThat(this.application.get(RateLimiterRegistry.class)
			.policy("Service.unlessAdmin")
			.count(RateLimitOutcome.ALLOWED)).isEqualTo(1);
	}

	@Test
	void callThatFailsStillCounts() {
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(this.service::fails);
		assertRejected(this.service::fails);
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
