package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.request.WaitingRoom;
import org.jspecify.annotations.Nullable;

import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Creates the waiting room, whose default size depends on the server.
 */
final class WaitingRooms {

	private static final int WITHOUT_A_SERVER = 1000;

	private static final int CONNECTIONS_OF_TOMCAT = 8192;

	private static final int UNLIMITED = -1;

	private WaitingRooms() {
	}

	static WaitingRoom create(RateLimitProperties.Waiting waiting, Environment environment,
			@Nullable ClassLoader classLoader) {
		Integer maximum = waiting.maximum();
		if (maximum == null) {
			return new WaitingRoom(half(connections(environment, classLoader)));
		}
		return new WaitingRoom(Bounds.check("waiting.maximum", maximum, 0, null,
				"Set it to the number of requests that may wait at once, from 0, or remove it for half of the server's "
						+ "connections."));
	}

	private static int half(int connections) {
		return (connections > 0) ? Math.max(1, connections / 2) : WITHOUT_A_SERVER;
	}

	/*
	 * Spring Boot prefers Tomcat where both servers are present.
	 */
	private static int connections(Environment environment, @Nullable ClassLoader classLoader) {
		if (ClassUtils.isPresent("org.springframework.boot.tomcat.TomcatWebServer", classLoader)) {
			return environment.getProperty("server.tomcat.max-connections", Integer.class, CONNECTIONS_OF_TOMCAT);
		}
		if (ClassUtils.isPresent("org.springframework.boot.jetty.JettyWebServer", classLoader)) {
			return environment.getProperty("server.jetty.max-connections", Integer.class, UNLIMITED);
		}
		return UNLIMITED;
	}

}
