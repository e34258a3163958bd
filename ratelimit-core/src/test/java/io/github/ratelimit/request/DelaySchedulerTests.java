package io.github.ratelimit.request;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Real time, and real threads.
 */
@Timeout(60)
class DelaySchedulerTests {

	private static final long FOREVER = TimeUnit.DAYS.toNanos(1);

	private final DelayScheduler delayScheduler = new DelayScheduler(Runnable::run, false);

	@Test
	void sleepsAtLeastAsLongAsItIsToldAlsoIfItIsWokenUpEarly() throws InterruptedException {
		LockSupport.unpark(Thread.currentThread());
		long start = System.nanoTime();
		this.delayScheduler.sleep(3_000_000);
		assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(3_000_000);
	}

	@Test
	void whoNeedNotSleepIsNotInterrupted() throws InterruptedException {
		Thread.currentThread().interrupt();
		this.delayScheduler.sleep(0);
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void interruptEndsTheSleep() throws InterruptedException {
		CompletableFuture<Throwable> ended = new CompletableFuture<>();
		Thread sleeper = new Thread(() -> {
			try {
				this.delayScheduler.sleep(FOREVER);
			}
			catch (InterruptedException ex) {
				ended.complete(ex);
			}
		});
		sleeper.start();
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> sleeper.getState() == Thread.State.TIMED_WAITING);
		sleeper.interrupt();
		assertThat(ended.join()).isInstanceOf(InterruptedException.class);
		sleeper.join();
	}

	@Test
	void interruptFromBeforeEndsTheSleepAtOnce() {
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> this.delayScheduler.sleep(FOREVER));
		assertThat(Thread.interrupted()).isFalse();
	}

	@Test
	void taskRunsOnTheExecutorAndNotOnTheTimer() {
		CompletableFuture<String> thread = new CompletableFuture<>();
		DelayScheduler delayScheduler = new DelayScheduler((task) -> new Thread(task, "the-executor").start(), false);
		delayScheduler.after(1, () -> thread.complete(Thread.currentThread().getName()), thread::completeExceptionally);
		assertThat(thread.join()).isEqualTo("the-executor");
	}

	static Stream<Throwable> failures() {
		return Stream.of(new RejectedExecutionException("closed"), new IllegalStateException("the context is closing"),
				new OutOfMemoryError("unable to create native thread"));
	}

	@ParameterizedTest
	@MethodSource("failures")
	void whoWouldNeverRunIsTold(Throwable failure) {
		CompletableFuture<Throwable> told = new CompletableFuture<>();
		DelayScheduler delayScheduler = new DelayScheduler((task) -> ReflectionUtils.rethrowRuntimeException(failure),
				false);
		delayScheduler.after(1, () -> told.complete(new AssertionError("ran")), told::complete);
		assertThat(told).succeedsWithin(Duration.ofSeconds(30)).isSameAs(failure);
	}

	@Test
	void whoseTimerCannotStartIsToldOnceAndDoesNotRunLater() throws InterruptedException {
		List<Thread> started = new ArrayList<>();
		DelayScheduler delayScheduler = new DelayScheduler(Runnable::run, false, (timer) -> {
			started.add(new Thread(timer));
			if (started.size() == 1) {
				throw new OutOfMemoryError("unable to create native thread");
			}
			return started.get(1);
		});
		List<String> told = new CopyOnWriteArrayList<>();
		CountDownLatch ran = new CountDownLatch(1);
		delayScheduler.after(1, () -> told.add("ran"), (ex) -> told.add(ex.getMessage()));
		delayScheduler.after(2, ran::countDown, (ex) -> told.add("rejected"));
		ran.await();
		assertThat(told).containsExactly("unable to create native thread");
		delayScheduler.close();
	}

	@Test
	void whoWaitsWhenTheApplicationStopsIsToldAndDoesNotRun() {
		List<String> told = new ArrayList<>();
		this.delayScheduler.after(FOREVER, () -> told.add("ran"), (ex) -> told.add(ex.getMessage()));
		this.delayScheduler.close();
		assertThat(told).containsExactly("The application stops");
	}

	@Test
	void whoComesAfterTheApplicationHasStoppedIsToldOnce() {
		List<Throwable> told = new ArrayList<>();
		this.delayScheduler.close();
		Runnable cancel = this.delayScheduler.after(1, () -> told.add(new AssertionError("ran")), told::add);
		assertThat(told).singleElement().isInstanceOf(RejectedExecutionException.class);
		cancel.run();
		this.delayScheduler.close();
		assertThat(told).hasSize(1);
	}

	@Test
	void whoGivesUpIsNotToldAndLeavesNothingInTheTimer() {
		List<Throwable> told = new ArrayList<>();
		this.delayScheduler.after(FOREVER, () -> told.add(new AssertionError("ran")), told::add).run();
		assertThat(this.delayScheduler)
			.extracting("timer", as(InstanceOfAssertFactories.type(ScheduledThreadPoolExecutor.class)))
			.satisfies((timer) -> assertThat(timer.getQueue()).isEmpty());
		this.delayScheduler.close();
		assertThat(told).isEmpty();
	}

	@Test
	void onlyAVirtualThreadSleepsWithoutAThreadBeingHeld() {
		assertThat(new DelayScheduler(Runnable::run, false).holdsThread()).isTrue();
		assertThat(new DelayScheduler(Runnable::run, true).holdsThread()).isFalse();
	}

	@Test
	void manyWaitWithoutAThreadEach() throws InterruptedException {
		int threads = Thread.activeCount();
		CountDownLatch ran = new CountDownLatch(1);
		for (int i = 0; i < 1000; i++) {
			this.delayScheduler.after(FOREVER, () -> {
			}, (ex) -> {
			});
		}
		this.delayScheduler.after(1, ran::countDown, (ex) -> {
		});
		ran.await();
		assertThat(Thread.activeCount()).isLessThan(threads + 10);
	}

}
