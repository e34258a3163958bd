package io.github.ratelimit.redis;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.github.ratelimit.BackgroundThreads;

/**
 * Threads that wait for servers, some for each server, so that a server that hangs does
 * not use up those of the others.
 */
final class BlockingThreads {

	private static final int THREADS = 16;

	private static final int WAITING = 1024;

	/**
	 * How many servers have threads of their own. The others share.
	 */
	private static final int MOST = 64;

	private static final String OTHERS = "";

	private final Map<String, ThreadPoolExecutor> executors = new ConcurrentHashMap<>();

	private volatile boolean closed;

	/**
	 * The threads for a server.
	 * @param node the server's name, or an empty text if it is not known or the only one
	 */
	ThreadPoolExecutor of(String node) {
		ThreadPoolExecutor executor = this.executors.get(node);
		return (executor != null) ? executor : add(node);
	}

	private synchronized ThreadPoolExecutor add(String node) {
		String name = (this.executors.size() < MOST) ? node : OTHERS;
		return this.executors.computeIfAbsent(name, (added) -> executor());
	}

	private ThreadPoolExecutor executor() {
		ThreadPoolExecutor executor = new ThreadPoolExecutor(THREADS, THREADS, 1, TimeUnit.MINUTES,
				new ArrayBlockingQueue<>(WAITING), new BackgroundThreads("ratelimit-redis"));
		executor.allowCoreThreadTimeOut(true);
		if (this.closed) {
			executor.shutdown();
		}
		return executor;
	}

	/**
	 * Forgets the servers that are gone. Calls that wait for them still do.
	 */
	synchronized void retain(Set<String> nodes) {
		this.executors.entrySet().removeIf((each) -> {
			boolean former = !each.getKey().equals(OTHERS) && !nodes.contains(each.getKey());
			if (former) {
				each.getValue().shutdown();
			}
			return former;
		});
	}

	synchronized void close() {
		this.closed = true;
		this.executors.values().forEach(ThreadPoolExecutor::shutdownNow);
	}

}
