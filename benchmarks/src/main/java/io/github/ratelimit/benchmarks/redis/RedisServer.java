package io.github.ratelimit.benchmarks.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;

import org.jspecify.annotations.Nullable;
import redis.embedded.core.ExecutableProvider;

import org.springframework.util.FileSystemUtils;

/**
 * The Redis server that is asked: one of our own on the loopback interface, or the one
 * that an environment variable names.
 */
final class RedisServer implements AutoCloseable {

	/**
	 * The variable: host and port, with a colon between.
	 */
	static final String VARIABLE = "RATELIMIT_TEST_REDIS";

	private final String host;

	private final int port;

	private final @Nullable Process process;

	private final @Nullable Path folder;

	private RedisServer(String host, int port, @Nullable Process process, @Nullable Path folder) {
		this.host = host;
		this.port = port;
		this.process = process;
		this.folder = folder;
	}

	static RedisServer open() throws IOException {
		String named = System.getenv(VARIABLE);
		if (named == null || named.isEmpty()) {
			return start();
		}
		int colon = named.lastIndexOf(':');
		return new RedisServer(named.substring(0, colon), Integer.parseInt(named.substring(colon + 1)), null, null);
	}

	private static RedisServer start() throws IOException {
		int port = freePort();
		Path folder = Files.createTempDirectory("ratelimit-benchmarks");
		Process process = new ProcessBuilder(ExecutableProvider.newJarResourceProvider().get().getPath(), "--port",
				"" + port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder.toString(),
				"--daemonize", "no")
			.redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.start();
		return new RedisServer("127.0.0.1", port, process, folder);
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
	}

	String host() {
		return this.host;
	}

	int port() {
		return this.port;
	}

	@Override
	public void close() throws IOException {
		if (this.process != null) {
			this.process.destroyForcibly().onExit().join();
		}
		FileSystemUtils.deleteRecursively(this.folder);
	}

}
