package io.github.ratelimit.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A connection that an operator keeps, while no other client may have one.
 */
final class TestConsole implements AutoCloseable {

	private final Socket socket;

	private final BufferedReader answers;

	TestConsole(TestRedis redis) {
		try {
			this.socket = new Socket(InetAddress.getLoopbackAddress(), redis.port());
			this.answers = new BufferedReader(
					new InputStreamReader(this.socket.getInputStream(), StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	void set(String name, String value) {
		assertThat(call("CONFIG SET " + name + " \"" + value + "\"")).startsWith("+OK");
	}

	/**
	 * Ends all other connections.
	 */
	void killOthers() {
		assertThat(call("CLIENT KILL TYPE normal SKIPME yes")).startsWith(":");
	}

	private String call(String line) {
		try {
			this.socket.getOutputStream().write((line + "\r\n").getBytes(StandardCharsets.UTF_8));
			return this.answers.readLine();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() {
		try {
			this.socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
