package io.github.ratelimit.support;

import java.util.concurrent.ThreadFactory;

/**
 * Creates the background threads of rate limiting. They end with the process, and have
 * nothing of the thread that happened to start them: neither the class loader of its
 * application nor what it hands on to threads that it starts, such as the user of a
 * request.
 *
 * @since 0.1.0
 */
public final class BackgroundThreads implements ThreadFactory {

	private final String name;

	/**
	 * Creates a factory.
	 * @param name what its threads are called
	 */
	public BackgroundThreads(String name) {
		this.name = name;
	}

	@Override
	public Thread newThread(Runnable task) {
		Thread thread = new Thread(null, task, this.name, 0, false);
		thread.setDaemon(true);
		thread.setContextClassLoader(BackgroundThreads.class.getClassLoader());
		return thread;
	}

}
