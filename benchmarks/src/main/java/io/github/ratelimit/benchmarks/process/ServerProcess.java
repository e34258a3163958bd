package io.github.ratelimit.benchmarks.process;

import java.lang.management.ManagementFactory;
import java.util.Map;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Runs an application and tells the port that it listens on and what it takes up.
 */
public final class ServerProcess {

	/** The subject of the port, which is told once the application is ready. */
	public static final String PORT = "port";

	/** The subject of the resources used so far: see {@link Usage}. */
	public static final String USAGE = "usage";

	/** The subject of the number of classes that were loaded. */
	public static final String CLASSES = "classes";

	/** The subject of the bytes of the heap that are in use after a collection. */
	public static final String HEAP = "heap";

	private ServerProcess() {
	}

	/**
	 * Runs.
	 * @param arguments the application's class, and what it is to be started with
	 * @throws Exception if it cannot be started
	 */
	public static void main(String[] arguments) throws Exception {
		Class<?> application = Class.forName(arguments[0]);
		try (ConfigurableApplicationContext context = SpringApplication.run(application, arguments)) {
			Integer port = context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
			ParentProcess.tell(PORT, port);
			ParentProcess.serve(Map.of(USAGE, () -> Usage.soFar().figures(), CLASSES,
					() -> new long[] { ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount() }, HEAP,
					() -> new long[] { Heap.used() }));
		}
	}

}
