package io.github.ratelimit.policy;

import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitSettlement;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OutcomeCountsTests {

	private final OutcomeCounts counts = new OutcomeCounts();

	@Test
	void countsOfMoreThreadsThanHaveRowsAndOfThoseThatComeLaterAreAllThere() throws InterruptedException {
		for (int generation = 1; generation <= 3; generation++) {
			CountDownLatch counted = new CountDownLatch(300);
			List<Thread> threads = new ArrayList<>();
			for (int i = 0; i < 300; i++) {
				Thread thread = new Thread(() -> count(counted));
				thread.start();
				threads.add(thread);
			}
			for (Thread thread : threads) {
				thread.join();
			}
			assertThat(this.counts.sum(RateLimitOutcome.ALLOWED)).isEqualTo(300_000L * generation);
			assertThat(this.counts.sum(RateLimitOutcome.RETURNED)).isEqualTo(300L * generation);
			assertThat(this.counts.sum(RateLimitOutcome.REJECTED)).isZero();
		}
	}

	@Test
	void eachOutcomeIsCountedByItself() throws InterruptedException {
		List<Enum<?>> all = new ArrayList<>(List.of(RateLimitOutcome.values()));
		all.addAll(List.of(RateLimitSettlement.values()));
		for (Enum<?> outcome : all) {
			OutcomeCounts counts = new OutcomeCounts();
			for (int i = 0; i < 20; i++) {
				Thread thread = new Thread(() -> counts.add(outcome));
				thread.start();
				thread.join();
			}
			for (Enum<?> other : outcome.getDeclaringClass().getEnumConstants()) {
				long expected = (other == outcome) ? 20 : 0;
				assertThat(counts.sum(other)).as(other + " of " + outcome).isEqualTo(expected);
			}
		}
	}

	@Test
	void aThreadThatHasEndedKeepsNothing() throws InterruptedException {
		Thread thread = new Thread(() -> this.counts.add(RateLimitOutcome.ALLOWED));
		thread.setContextClassLoader(new URLClassLoader(new URL[0]));
		WeakReference<ClassLoader> loader = new WeakReference<>(thread.getContextClassLoader());
		thread.start();
		thread.join();
		thread = null;
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
			System.gc();
			return loader.refersTo(null);
		});
		assertThat(this.counts.sum(RateLimitOutcome.ALLOWED)).isEqualTo(1);
	}

	private void count(CountDownLatch counted) {
		for (int i = 0; i < 1000; i++) {
			this.counts.add(RateLimitOutcome.ALLOWED);
		}
		counted.countDown();
		try {
			counted.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.counts.add(RateLimitOutcome.RETURNED);
	}

}
