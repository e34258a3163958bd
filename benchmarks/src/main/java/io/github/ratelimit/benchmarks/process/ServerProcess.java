package io.github.ratelimit.benchmarks.http.server;

import java.util.Map;

import io.github.ratelimit.benchmarks.process.ParentProcess;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Runs an application and tells the port that it listens on and what it uses.
 */
public final class ServerProcess {

	/** The subject of the port, which is printed once. */
	public static final String PORT = "port";

	/** The subject of the resources used so far: see {@link Usage}. */
	public static final String USAGE = "usage";

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
			ParentProcess.serve(Map.of(USAGE, () -> Usage.soFar().figures()));
		}
	}

}
