package io.github.ratelimit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;

/**
 * Runs the same work on several threads that begin at the same time.
 */
public final class Threads {

	private Threads() {
	}

	/**
	 * Runs work and adds up what it answers.
	 * @param count how many threads
	 * @param work the work of the thread of each number
	 * @return the sum
	 */
	public static long sum(int count, IntToLongFunction work) {
		return run(count, work::applyAsLong).stream().mapToLong(Long::longValue).sum();
	}

	/**
	 * Runs work and waits for its end.
	 * @param <T> what the work returns
	 * @param count how many threads
	 * @param work the work of the thread of each number
	 * @return what each thread returned
	 */
	public static <T> List<T> run(int count, IntFunction<T> work) {
		ExecutorService executor = Executors.newFixedThreadPool(count);
		try {
			CyclicBarrier start = new CyclicBarrier(count);
			List<Future<T>> running = new ArrayList<>();
			for (int i = 0; i < count; i++) {
				int number = i;
				running.add(executor.submit(() -> {
					start.await();
					return work.apply(number);
				}));
			}
			List<T> results = new ArrayList<>();
			for (Future<T> each : running) {
				results.add(each.get(1, TimeUnit.MINUTES));
			}
			return results;
		}
		catch (ExecutionException ex) {
			throw new AssertionError(ex.getCause().toString(), ex.getCause());
		}
		catch (Exception ex) {
			throw new AssertionError(ex);
		}
		finally {
			executor.shutdownNow();
		}
	}

}
