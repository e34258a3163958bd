package io.github.ratelimit.benchmarks.http.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One thread with several connections.
 */
final class Client {

	private static final long PATIENCE_MILLIS = 10_000;

	private final InetSocketAddress server;

	private final byte[] request;

	private final int status;

	private final int connections;

	private long[] latencies = new long[1 << 16];

	private int received;

	Client(InetSocketAddress server, String path, int status, int connections) {
		this.server = server;
		this.request = ("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + server.getPort() + "\r\n\r\n")
			.getBytes(StandardCharsets.US_ASCII);
		this.status = status;
		this.connections = connections;
	}

	Responses send(Duration duration) throws IOException {
		List<Connection> open = new ArrayList<>();
		try (Selector selector = Selector.open()) {
			for (int i = 0; i < this.connections; i++) {
				open.add(new Connection(this.server, selector, this.request, this.status));
			}
			long start = System.nanoTime();
			for (Connection connection : open) {
				connection.send();
			}
			exchange(selector, start + duration.toNanos());
			long[] latencies = Arrays.copyOf(this.latencies, this.received);
			return new Responses(latencies, System.nanoTime() - start);
		}
		finally {
			for (Connection connection : open) {
				connection.close();
			}
		}
	}

	/*
	 * Requests that are under way when time is up are waited for, so that they do not
	 * slow down the next measurement.
	 */
	private void exchange(Selector selector, long end) throws IOException {
		int waiting = this.connections;
		while (waiting > 0) {
			int[] done = { 0 };
			int ready = selector.select((key) -> {
				Connection connection = (Connection) key.attachment();
				if (connection.receive()) {
					long now = System.nanoTime();
					note(now - connection.sentAt());
					if (now < end) {
						connection.send();
					}
					else {
						done[0]++;
					}
				}
			}, PATIENCE_MILLIS);
			if (ready == 0) {
				throw new IOException("The server has not answered for " + PATIENCE_MILLIS + " ms");
			}
			waiting -= done[0];
		}
	}

	private void note(long latency) {
		if (this.received == this.latencies.length) {
			this.latencies = Arrays.copyOf(this.latencies, 2 * this.received);
		}
		this.latencies[this.received++] = latency;
	}

}
