package io.github.ratelimit.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports for servers. They are below those from which systems choose for clients, so that
 * nobody takes the port of a server that is to be started again. Each process that runs
 * tests has its own, in turn.
 */
final class TestPorts {

	private static final int FIRST = 10_000;

	private static final int COUNT = 1000;

	/** How far a cluster node's second port is above its own. */
	private static final int SECOND = 10_000;

	private static final int FORK = Integer.getInteger("test.fork", 0) % (SECOND / COUNT);

	private static int last = ThreadLocalRandom.current().nextInt(COUNT);

	private TestPorts() {
	}

	static synchronized int next() {
		for (int i = 0; i < COUNT; i++) {
			last = (last + 1) % COUNT;
			int port = FIRST + FORK * COUNT + last;
			if (isFree(port) && isFree(port + SECOND)) {
				return port;
			}
		}
		throw new IllegalStateException("No port is free");
	}

	private static boolean isFree(int port) {
		try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
			return socket.isBound();
		}
		catch (IOException ex) {
			return false;
		}
	}

}
