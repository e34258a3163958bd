package io.github.ratelimit.annotation;

import java.time.Duration;
import java.util.concurrent.CancellationException;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Calls that return a plain value and wait in the leaky bucket, on their caller's thread.
 */
class SleepingCallTests {

	@AfterEach
	void clearInterrupt() {
		Thread.interrupted();
	}

	@Test
	void callSleepsUntilItIsItsTurn() {
		LimitedBeans.runner().withBean(Service.class).run((context) -> {
			Service service = context.getBean(Service.class);
			ManualDelayScheduler delayScheduler = context.getBean(ManualDelayScheduler.class);
			service.queued();
			assertThat(delayScheduler.slept()).isEmpty();
			service.queued();
			assertThat(delayScheduler.slept()).containsExactly(Duration.ofSeconds(1));
			assertThat(service.calls()).isEqualTo(2);
		});
	}

	@Test
	void callThatFindsTheQueueFullIsRejectedWithoutWaiting() {
		LimitedBeans.runner().withBean(Service.class).run((context) -> {
			RateLimiter queue = context.getBean(RateLimiterRegistry.class).policy("queued");
			while (queue.decide("me", 1).allowed()) {
				assertThat(queue.peek("me").remaining()).isLessThan(4);
			}
			assertThatExceptionOfType(RateLimitExceededException.class)
				.isThrownBy(() -> context.getBean(Service.class).queued());
			assertThat(context.getBean(ManualDelayScheduler.class).slept()).isEmpty();
			assertThat(context.getBean(Service.class).calls()).isZero();
		});
	}

	@Test
	void interruptEndsTheWaitAndStaysForWhoeverWaitsNext() {
		assertEndsWait("queued", Service::queued, CancellationException.class, true);
	}

	@Test
	void interruptIsRethrownAsItIsWhereTheMethodDeclaresIt() {
		assertEndsWait("interruptible", Service::interruptible, InterruptedException.class, false);
	}

	@Test
	void interruptIsRethrownAsItIsWhereTheMethodDeclaresAnyException() {
		assertEndsWait("anything", Service::anything, InterruptedException.class, false);
	}

	@Test
	void interruptOfACallThatNeedNotWaitIsLeftAlone() {
		LimitedBeans.runner().withBean(Service.class).run((context) -> {
			Thread.currentThread().interrupt();
			context.getBean(Service.class).queued();
			assertThat(Thread.interrupted()).isTrue();
			assertThat(context.getBean(Service.class).calls()).isEqualTo(1);
		});
	}

	private static void assertEndsWait(String policy, Call call, Class<? extends Throwable> expected, boolean flag) {
		LimitedBeans.runner().withBean(Service.class).run((context) -> {
			Service service = context.getBean(Service.class);
			RateLimiter queue = context.getBean(RateLimiterRegistry.class).policy(policy);
			call.on(service);
			long before = queue.peek("me").remaining();
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(expected).isThrownBy(() -> call.on(service));
			assertThat(Thread.interrupted()).as("the thread's flag").isEqualTo(flag);
			assertThat(service.calls()).as("bodies that ran").isEqualTo(1);
			assertThat(queue.peek("me").remaining()).as("permits, not refunded").isEqualTo(before - 1);
		});
	}

	@FunctionalInterface
	private interface Call {

		void on(Service service) throws Exception;

	}

	static class Service {

		private int calls;

		public int calls() {
			return this.calls;
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

}
