package io.github.ratelimit;

import java.util.concurrent.ThreadFactory;

/**
 * Makes the threads that rate limiting works on in the background. They end with the
 * process, and do not keep the class loader of whichever application happened to start
 * them.
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
