package io.github.ratelimit.annotation;

import java.time.Duration;
import java.util.concurrent.CancellationException;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Calls that return a plain value and wait in the leaky bucket, on their caller's thread.
 */
class SleepingCallTests {

	@AutoClose
	private final LimitedApplication<Service> application = new LimitedApplication<>(Service.class);

	private final Service service = this.application.bean();

	@AfterEach
	void clearInterrupt() {
		Thread.interrupted();
	}

	@Test
	void callSleepsUntilItIsItsTurn() {
		ManualDelayScheduler delayScheduler = this.application.get(ManualDelayScheduler.class);
		this.service.queued();
		assertThat(delayScheduler.slept()).isEmpty();
		this.service.queued();
		assertThat(delayScheduler.slept()).containsExactly(Duration.ofSeconds(1));
		assertThat(this.service.calls()).isEqualTo(2);
	}

	@Test
	void callThatFindsTheQueueFullIsRejectedWithoutWaiting() {
		RateLimiter queue = this.application.get(RateLimiterRegistry.class).policy("queued");
		while (queue.decide("me", 1).allowed()) {
			assertThat(queue.peek("me").remaining()).isLessThan(4);
		}
		assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> this.service.queued());
		assertThat(this.application.get(ManualDelayScheduler.class).slept()).isEmpty();
		assertThat(this.service.calls()).isZero();
	}

	@Test
	void interruptEndsTheWaitAndStaysForWhoeverWaitsNext() throws Exception {
		assertEndsWait("queued", Service::queued, CancellationException.class, true);
	}

	@Test
	void interruptIsRethrownAsItIsWhereTheMethodDeclaresIt() throws Exception {
		assertEndsWait("interruptible", Service::interruptible, InterruptedException.class, false);
	}

	@Test
	void interruptIsRethrownAsItIsWhereTheMethodDeclaresAnyException() throws Exception {
		assertEndsWait("anything", Service::anything, InterruptedException.class, false);
	}

	@Test
	void interruptOfACallThatNeedNotWaitIsLeftAlone() {
		Thread.currentThread().interrupt();
		this.service.queued();
		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.service.calls()).isEqualTo(1);
	}

	private void assertEndsWait(String policy, Call call, Class<? extends Throwable> expected, boolean flag)
			throws Exception {
		RateLimiter queue = this.application.get(RateLimiterRegistry.class).policy(policy);
		call.on(this.service);
		long before = queue.peek("me").remaining();
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(expected).isThrownBy(() -> call.on(this.service));
		assertThat(Thread.interrupted()).as("the thread's flag").isEqualTo(flag);
		assertThat(this.service.calls()).as("bodies that ran").isEqualTo(1);
		assertThat(queue.peek("me").remaining()).as("permits, not refunded").isEqualTo(before - 1);
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
