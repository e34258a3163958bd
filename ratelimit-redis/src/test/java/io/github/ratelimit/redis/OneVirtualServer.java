package io.github.ratelimit.redis;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/**
 * Tests that share one server and its time. Each finds the server empty, at the beginning
 * of a day.
 */
abstract class OneVirtualServer {

	@AutoClose
	static VirtualServer server;

	@BeforeAll
	static void start() {
		server = new VirtualServer();
	}

	@BeforeEach
	void beginADay() {
		server.beginADay();
	}

}
