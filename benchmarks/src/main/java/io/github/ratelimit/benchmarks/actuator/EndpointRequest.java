package io.github.ratelimit.benchmarks.actuator;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.simulation.Simulation;

/**
 * What the application is asked.
 */
enum EndpointRequest {

	HELLO("`GET hello`, a handler that answers a word", "/hello"),

	LIST("`GET ratelimits`", "/actuator/ratelimits"),

	KEY("`GET ratelimits/{policy}?key=…`", "/actuator/ratelimits/policy-00?key=10.0.0.6"),

	HISTORY("`GET ratelimits/{policy}/history`", "/actuator/ratelimits/policy-00/history"),

	ADVICE("`GET ratelimits/{policy}/advice`", "/actuator/ratelimits/policy-00/advice"),

	REJECTED("`GET ratelimits/{policy}/rejected`", "/actuator/ratelimits/policy-00/rejected"),

	PAGE("`GET ratelimits/page`", "/actuator/ratelimits/page"),

	/** As much as may be sent. */
	SIMULATION("`POST ratelimits/simulate`", "/actuator/ratelimits/simulate", simulation());

	private final String title;

	private final String path;

	private final byte[] body;

	EndpointRequest(String title, String path) {
		this(title, path, "");
	}

	EndpointRequest(String title, String path, String body) {
		this.title = title;
		this.path = path;
		this.body = body.getBytes(StandardCharsets.UTF_8);
	}

	private static String simulation() {
		SplittableRandom random = new SplittableRandom(1);
		String limits = Arrays.stream(RateLimitAlgorithm.values())
			.limit(Simulation.MAX_LIMITS)
			.map((algorithm) -> "{\"algorithm\":\"" + algorithm.id() + "\",\"limit\":1000,\"window\":\"10s\"}")
			.collect(Collectors.joining(","));
		String gaps = IntStream.range(0, Simulation.MAX_REQUESTS)
			.mapToObj((i) -> "" + random.nextInt(20))
			.collect(Collectors.joining(","));
		return "{\"limits\":[" + limits + "],\"gaps\":[" + gaps + "]}";
	}

	String title() {
		return this.title;
	}

	String path() {
		return this.path;
	}

	/**
	 * The JSON to send, or nothing.
	 */
	byte[] body() {
		return this.body;
	}

}
