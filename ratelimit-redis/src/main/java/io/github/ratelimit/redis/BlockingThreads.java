package io.github.ratelimit.redis;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.github.ratelimit.support.BackgroundThreads;
import org.jspecify.annotations.Nullable;

/**
 * Threads that wait for servers, some for each server, so that a server that hangs does
 * not use up those of the others.
 */
final class BlockingThreads {

	private static final int THREADS = 16;

	private static final int WAITING = 1024;

	/**
	 * The number of servers that have threads of their own. The others share.
	 */
	static final int MAX_SERVERS = 64;

	private static final String OTHERS = "";

	/* Read by each call, and changed under the lock of this object. */
	private final Map<String, ThreadPoolExecutor> executors = new ConcurrentHashMap<>();

	private volatile boolean closed;

	/**
	 * Has a task run by a thread for a server.
	 * @param node the server's name, or an empty text if it is not known or the only one
	 * @param task the task
	 * @return the task that has begun or waits
	 * @throws RejectedExecutionException if too much waits for the server already, or the
	 * threads are closed
	 */
	Future<?> submit(String node, Runnable task) {
		while (true) {
			ThreadPoolExecutor executor = of(node);
			try {
				return executor.submit(task);
			}
			catch (RejectedExecutionException ex) {
				// a server that was forgotten meanwhile gets other threads
				boolean forgotten = executor.isShutdown() && !this.closed;
				if (!forgotten) {
					throw ex;
				}
			}
		}
	}

	/**
	 * Runs what a later call finds out by itself, unless too much waits already.
	 * @param end is run at last in any case, unless the threads are closed
	 */
	void tryToRun(Runnable task, Runnable end) {
		try {
			of(OTHERS).execute(() -> {
				try {
					task.run();
				}
				finally {
					end.run();
				}
			});
		}
		catch (RejectedExecutionException ex) {
			end.run();
		}
	}

	/**
	 * Finds the threads for a server, or creates them. They may be shut down before they
	 * are used.
	 */
	ThreadPoolExecutor of(String node) {
		ThreadPoolExecutor found = find(node);
		if (found != null) {
			return found;
		}
		return findOrAdd(node);
	}

	private @Nullable ThreadPoolExecutor find(String node) {
		ThreadPoolExecutor own = this.executors.get(node);
		if (own == null && this.executors.size() >= MAX_SERVERS) {
			return this.executors.get(OTHERS);
		}
		return own;
	}

	/*
	 * Under the lock, so that threads are either there when all are shut down, or know
	 * that they are closed.
	 */
	private synchronized ThreadPoolExecutor findOrAdd(String node) {
		ThreadPoolExecutor found = find(node);
		if (found != null) {
			return found;
		}

		String server = (this.executors.size() < MAX_SERVERS) ? node : OTHERS;
		ThreadPoolExecutor added = createExecutor();
		if (this.closed) {
			added.shutdown();
		}
		this.executors.put(server, added);
		return added;
	}

	private static ThreadPoolExecutor createExecutor() {
		ThreadPoolExecutor executor = new ThreadPoolExecutor(THREADS, THREADS, 1, TimeUnit.MINUTES,
				new ArrayBlockingQueue<>(WAITING), new BackgroundThreads("ratelimit-redis"), BlockingThreads::makeRoom);
		executor.allowCoreThreadTimeOut(true);
		return executor;
	}

	/*
	 * Removes calls that were given up only where there is no room, because that takes
	 * longer the more calls wait.
	 */
	private static void makeRoom(Runnable task, ThreadPoolExecutor executor) {
		if (executor.isShutdown()) {
			throw new RejectedExecutionException("its connections are closed");
		}
		executor.purge();
		if (!executor.getQueue().offer(task)) {
			throw new RejectedExecutionException("too many requests are waiting for an answer");
		}
	}

	/**
	 * Forgets the servers that are gone. Calls that wait for them still do. A server is
	 * forgotten before its threads are shut down, so that the next call gets others.
	 */
	synchronized void retain(Set<String> nodes) {
		for (Map.Entry<String, ThreadPoolExecutor> each : this.executors.entrySet()) {
			String node = each.getKey();
			boolean former = !node.equals(OTHERS) && !nodes.contains(node);
			if (former) {
				this.executors.remove(node);
				each.getValue().shutdown();
			}
		}
	}

	/**
	 * Interrupts all threads. Nothing is run afterwards.
	 */
	synchronized void close() {
		this.closed = true;
		this.executors.values().forEach(ThreadPoolExecutor::shutdownNow);
	}

	/**
	 * Whether the threads are closed.
	 */
	boolean isClosed() {
		return this.closed;
	}

}
