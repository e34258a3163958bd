package io.github.ratelimit.benchmarks.actuator;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.benchmarks.actuator.server.EndpointApplication;
import io.github.ratelimit.benchmarks.process.ChildProcess;
import io.github.ratelimit.benchmarks.process.ClassPath;
import io.github.ratelimit.benchmarks.process.ServerProcess;

/**
 * The application, up and running, and one client that asks over a connection that is
 * kept alive.
 */
final class EndpointServer implements AutoCloseable {

	static final int POLICIES = 50;

	private static final List<String> SETTINGS = List.of("--server.port=0", "--server.address=127.0.0.1",
			"--server.tomcat.max-keep-alive-requests=-1", "--spring.main.banner-mode=off", "--logging.level.root=warn",
			"--management.endpoints.web.exposure.include=ratelimits", "--ratelimit.advice.enabled=true");

	private static final int FIRST_ERROR = 400;

	private static final int PATIENCE_MILLIS = 30_000;

	private final ChildProcess process;

	private final String root;

	private EndpointServer(ChildProcess process) throws IOException {
		this.process = process;
		this.root = "http://127.0.0.1:" + process.await(ServerProcess.PORT)[0];
	}

	/**
	 * Starts the application.
	 * @param keys how many keys it has
	 * @param options options of the {@code java} command
	 * @return the application, which is ready
	 */
	static EndpointServer start(int keys, List<String> options) throws IOException {
		List<String> arguments = new ArrayList<>(
				List.of(EndpointApplication.class.getName(), "--benchmark.keys=" + keys));
		arguments.addAll(SETTINGS);
		for (int i = 0; i < POLICIES; i++) {
			arguments.addAll(policy(i));
		}
		ClassPath classPath = ClassPath.ofWebApplication("ratelimit-", "caffeine", "spring-boot-actuator",
				"spring-boot-health", "spring-boot-micrometer-", "micrometer-", "HdrHistogram", "LatencyUtils");
		ChildProcess process = ChildProcess.start(classPath, options, ServerProcess.class, arguments);
		try {
			return new EndpointServer(process);
		}
		catch (IOException ex) {
			process.close();
			throw ex;
		}
	}

	/* No state is over before the measurement is. */
	private static List<String> policy(int index) {
		String name = "policy-%02d".formatted(index);
		RateLimitAlgorithm algorithm = RateLimitAlgorithm.values()[index % RateLimitAlgorithm.values().length];
		String limit = "--ratelimit.policies." + name + ".limits[0].";
		String rule = "--ratelimit.rules[" + index + "].";
		return List.of(limit + "algorithm=" + algorithm.id(), limit + "limit=2", limit + "window=7d",
				rule + "path=/" + name, rule + "policy=" + name);
	}

	/**
	 * Sends a request and reads the answer.
	 */
	Answer send(EndpointRequest request) throws IOException {
		long start = System.nanoTime();
		HttpURLConnection connection = (HttpURLConnection) URI.create(this.root + request.path())
			.toURL()
			.openConnection();
		connection.setReadTimeout(PATIENCE_MILLIS);
		if (request.body().length > 0) {
			connection.setDoOutput(true);
			connection.setRequestProperty("Content-Type", "application/json");
			connection.setFixedLengthStreamingMode(request.body().length);
			connection.getOutputStream().write(request.body());
		}
		int status = connection.getResponseCode();
		InputStream body = (status < FIRST_ERROR) ? connection.getInputStream() : connection.getErrorStream();
		try (InputStream present = Objects.requireNonNullElse(body, InputStream.nullInputStream())) {
			byte[] bytes = present.readAllBytes();
			return new Answer(status, bytes, (System.nanoTime() - start) / 1e6);
		}
	}

	@Override
	public void close() throws IOException {
		this.process.close();
	}

	/**
	 * What came back.
	 *
	 * @param status the status
	 * @param body the body
	 * @param millis how long it took, from the first byte of the request to the last of
	 * the answer
	 */
	record Answer(int status, byte[] body, double millis) {

		static final int OK = 200;

		boolean isOk() {
			return this.status == OK;
		}

	}

}
