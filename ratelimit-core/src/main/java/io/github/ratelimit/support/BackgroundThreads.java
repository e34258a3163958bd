package io.github.ratelimit.support;

import java.util.concurrent.ThreadFactory;

/**
 * Creates the background threads of rate limiting. They end with the process, and do not
 * keep the class loader of the application that happened to start them.
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
		Thread thread = new Thread(task, this.name);
		thread.setDaemon(true);
		thread.setContextClassLoader(BackgroundThreads.class.getClassLoader());
		return thread;
	}

}
