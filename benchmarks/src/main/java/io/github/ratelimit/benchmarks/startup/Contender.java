package io.github.ratelimit.benchmarks.startup;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.benchmarks.http.server.PlainApplication;
import io.github.ratelimit.benchmarks.process.ChildProcess;
import io.github.ratelimit.benchmarks.process.ClassPath;
import io.github.ratelimit.benchmarks.process.ServerProcess;

/**
 * An application that is started.
 */
enum Contender {

	WITHOUT("without the starter", PlainApplication.class, ClassPath.ofWebApplication()),

	WITH("with the starter", LimitedApplication.class, ClassPath.ofWebApplication("ratelimit-", "caffeine"),
			"--ratelimit.policies.greeting.limits[0].limit=100", "--ratelimit.policies.greeting.limits[0].window=1m",
			"--ratelimit.rules[0].path=/hello", "--ratelimit.rules[0].policy=greeting");

	private static final List<String> SETTINGS = List.of("--server.port=0", "--server.address=127.0.0.1",
			"--spring.main.banner-mode=off");

	private final String title;

	private final Class<?> application;

	private final ClassPath classPath;

	private final List<String> properties;

	Contender(String title, Class<?> application, ClassPath classPath, String... properties) {
		this.title = title;
		this.classPath = classPath;
		this.application = application;
		this.properties = List.of(properties);
	}

	String title() {
		return this.title;
	}

	ClassPath classPath() {
		return this.classPath;
	}

	/**
	 * Starts the application.
	 * @param options options of the {@code java} command
	 * @return the process, which is not ready yet
	 */
	ChildProcess start(List<String> options) throws IOException {
		List<String> arguments = new ArrayList<>(List.of(this.application.getName()));
		arguments.addAll(SETTINGS);
		arguments.addAll(this.properties);
		return ChildProcess.start(this.classPath, options, ServerProcess.class, arguments);
	}

}
