package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.expression.KeyResolver;
import io.github.ratelimit.expression.RateLimitContext;
import io.github.ratelimit.expression.TestRequest;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.CurrentRequest;
import io.github.ratelimit.request.LimitedRequest;
import io.github.ratelimit.request.RequestView;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.test.ManualClock;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Tests calls of methods that return a plain value, outside of requests and within one:
 * they are rejected by an exception, and wait on their caller's thread.
 */
class PlainCallTests {

	private final FakeCurrentRequest current = new FakeCurrentRequest();

	@AutoClose
	private final LimitedApplication<Service> application = new LimitedApplication<>(Service.class,
			List.of(this.current), "ratelimit.policies.shared.limit=3", "ratelimit.policies.shared.window=1d");

	private final Service service = this.application.bean();

	private final ManualClock clock = this.application.get(ManualClock.class);

	private final ManualDelayScheduler delayScheduler = this.application.get(ManualDelayScheduler.class);

	@AfterEach
	void clearInterrupt() {
		Thread.interrupted();
	}

	@Test
	void rejectedCallIsToldThePolicyAndTheDecision() {
		assertThat(this.service.limited()).isEqualTo(1);
		this.clock.advance(Duration.ofSeconds(20));
		RateLimitExceededException rejected = rejection(this.service::limited);
		assertThat(rejected.policy().name()).isEqualTo("Service.limited");
		assertThat(rejected.decision().allowed()).isFalse();
		assertThat(rejected.decision().remaining()).isZero();
		assertThat(rejected.retryAfter()).isEqualTo(Duration.ofSeconds(40));
		this.clock.advance(Duration.ofSeconds(40));
		assertThat(this.service.limited()).as("bodies that ran").isEqualTo(2);
		LimitedServices.assertLimited(this.service::other);
	}

	@Test
	void eachValueOfAParameterHasItsOwnBudgetAndNoneIsNoFreePass() {
		for (String user : new String[] { "ann", "bob", "", null }) {
			if (user == null) {
				this.clock.advance(Duration.ofMinutes(1));
			}
			LimitedServices.assertLimited(() -> this.service.byUser(user));
		}
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
				rejection(() -> service.byTenant("acme/bob"));
			});
	}

	private static @Nullable String tenant(RateLimitContext context) {
		Object[] arguments = context.arguments();
		return (arguments != null) ? String.valueOf(arguments[0]).split("/")[0] : null;
	}

	@Test
	void callTakesWhatItCostsAndNeverNothing() {
		this.service.send(List.of("a", "b", "c"));
		this.service.send(List.of());
		rejection(() -> this.service.send(List.of("d", "e")));
		this.service.send(List.of("d"));
		RateLimitExceededException never = rejection(() -> this.service.send(List.of("1", "2", "3", "4", "5", "6")));
		assertThat(never.retryAfter()).isNull();
		assertThat(never).hasMessageContaining("costs more permits than can ever be free");
	}

	@Test
	void callWhoseConditionDoesNotHoldTakesNothing() {
		this.service.unlessAdmin("admin");
		LimitedServices.assertLimited(() -> this.service.unlessAdmin("ann"));
		this.service.unlessAdmin("admin");
		assertThat(this.application.count("Service.unlessAdmin", RateLimitOutcome.ALLOWED)).isEqualTo(1);
	}

	@Test
	void callThatFailsStillCounts() {
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(this.service::fails);
		rejection(this.service::fails);
	}

	@Test
	void withinARequestTheKeyIsTheClientsAddressAndWhatPoliciesSayIsReported() {
		this.current.view = TestRequest.anonymous();
		LimitedServices.assertLimited(this.service::limited);
		assertThat(this.application.remaining("Service.limited", TestRequest.ADDRESS)).isZero();
		assertThat(this.current.reported).extracting((acquisition) -> acquisition.entries().get(0).decision().allowed())
			.containsExactly(true, false);
		this.service.byUser("");
		assertThat(this.application.remaining("Service.byUser", "address:" + TestRequest.ADDRESS)).isZero();
		assertThat(this.application.remaining("Service.byUser", "shared:")).isEqualTo(1);
	}

	@Test
	void whatTheWebHasEnforcedIsNotEnforcedAgain() {
		this.current.enforced = true;
		this.service.limited();
		this.service.limited();
		this.current.enforced = false;
		LimitedServices.assertLimited(this.service::limited);
	}

	@Test
	void rejectionTakesNothingFromTheOtherPoliciesInWhicheverOrderTheyStand() {
		this.service.post("ann");
		for (int i = 0; i < 20; i++) {
			rejection(() -> this.service.post("ann"));
		}
		assertThat(this.application.remaining("Service.post", "global")).isEqualTo(2);
		this.service.post("bob");
		this.service.post("cleo");
		assertThat(rejection(() -> this.service.post("dora")).policy().name()).isEqualTo("Service.post");
		assertThat(this.application.remaining("Service.post-2", "dora")).isEqualTo(1);
	}

	@Test
	void policyAndKeyThatACallMeetsTwiceGiveItsHighestCostOnce() {
		this.service.samePolicyTwice();
		assertThat(this.application.remaining("shared", "a")).isEqualTo(1);
	}

	@Test
	void callSleepsForTheLongestOfItsWaits() {
		this.service.twoQueues();
		assertThat(this.delayScheduler.slept()).isEmpty();
		this.service.twoQueues();
		assertThat(this.delayScheduler.slept()).containsExactly(Duration.ofSeconds(2));
	}

	@Test
	void interruptEndsTheWaitAndIsRethrownAsItIsWhereTheMethodDeclaresIt() {
		assertEndsWait("queued", this.service::queued, CancellationException.class, true);
		assertEndsWait("interruptible", this.service::interruptible, InterruptedException.class, false);
		assertEndsWait("anything", this.service::anything, InterruptedException.class, false);
	}

	private void assertEndsWait(String policy, ThrowingCallable call, Class<? extends Throwable> expected,
			boolean flag) {
		assertThatNoException().as("a call that need not wait").isThrownBy(() -> {
			Thread.currentThread().interrupt();
			call.call();
		});
		long before = this.application.remaining(policy, "me");
		int calls = this.service.calls;
		assertThat(Thread.currentThread().isInterrupted()).as("the flag before").isTrue();
		assertThatExceptionOfType(expected).isThrownBy(call);
		assertThat(Thread.interrupted()).as("the flag afterwards").isEqualTo(flag);
		assertThat(this.service.calls).as("bodies that ran").isEqualTo(calls);
		assertThat(this.application.remaining(policy, "me")).as("permits, not refunded").isEqualTo(before - 1);
	}

	private static RateLimitExceededException rejection(ThrowingCallable call) {
		RateLimitExceededException rejection = catchThrowableOfType(RateLimitExceededException.class, call);
		assertThat(rejection).isNotNull();
		return rejection;
	}

	/**
	 * A request, if it has a view.
	 */
	private static final class FakeCurrentRequest implements CurrentRequest, LimitedRequest {

		private final List<Acquisition> reported = new ArrayList<>();

		private @Nullable RequestView view;

		private boolean enforced;

		@Override
		public LimitedRequest find() {
			return this;
		}

		@Override
		public @Nullable RequestView view() {
			return this.view;
		}

		@Override
		public boolean consumeEnforced(Method method) {
			return this.enforced;
		}

		@Override
		public Acquisition acquisition(Method method) {
			return new Acquisition(new WaitingRoom(ManualClock.atMidnight(), 9));
		}

		@Override
		public void report(Acquisition acquisition) {
			this.reported.add(acquisition);
		}

	}

	static class Service {

		int calls;

		@RateLimited(limit = 1, window = "1m")
		public int limited() {
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

		@RateLimited(limit = 3, window = "1d", key = "'global'")
		@RateLimited(limit = 1, window = "1m", key = "#user")
		public void post(String user) {
		}

		@RateLimited(policy = "shared", key = "'a'")
		@RateLimited(policy = "shared", key = "'a'", cost = "2")
		public void samePolicyTwice() {
		}

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1s", burst = 1, key = "'a'")
		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "2s", burst = 1, key = "'b'")
		public void twoQueues() {
		}

		@RateLimited(name = "queued", algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1s", burst = 3,
				key = "'me'")
		public void queued() {
			this.calls++;
		}

		@RateLimited(name = "interruptible", algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1s",
				burst = 3, key = "'me'")
		public void interruptible() throws InterruptedException {
			this.calls++;
		}

		@RateLimited(name = "anything", algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1s",
				burst = 3, key = "'me'")
		public void anything() throws Exception {
			this.calls++;
		}

	}

	static class ByTenant {

		@RateLimited(limit = 1, window = "1m", key = "@tenantKeys")
		public void byTenant(String user) {
		}

	}

}
