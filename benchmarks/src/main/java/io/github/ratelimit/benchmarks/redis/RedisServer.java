package io.github.ratelimit.benchmarks.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;
import redis.embedded.core.ExecutableProvider;

import org.springframework.util.FileSystemUtils;

/**
 * The Redis server that is asked: one of our own on the loopback interface, or the one
 * that an environment variable names.
 */
public final class RedisServer implements AutoCloseable {

	/**
	 * The variable: host and port, with a colon between.
	 */
	static final String VARIABLE = "RATELIMIT_TEST_REDIS";

	private static final int ATTEMPTS = 5;

	private static final Duration PATIENCE = Duration.ofSeconds(60);

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

	/**
	 * Starts a server of our own. Somebody else may take its free port before it does, so
	 * it may take several attempts.
	 * @return the server, which has no data
	 * @throws IOException if it does not start
	 */
	public static RedisServer start() throws IOException {
		for (int attempt = 1;; attempt++) {
			Path folder = Files.createTempDirectory("ratelimit-benchmarks");
			Path printed = folder.resolve("printed.log");
			int port = freePort();
			Process process = new ProcessBuilder(ExecutableProvider.newJarResourceProvider().get().getPath(), "--port",
					"" + port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder.toString(),
					"--daemonize", "no")
				.redirectErrorStream(true)
				.redirectOutput(printed.toFile())
				.start();
			RedisServer server = new RedisServer("127.0.0.1", port, process, folder);
			if (answers(port, process)) {
				return server;
			}
			String failure = Files.readString(printed);
			server.close();
			if (attempt == ATTEMPTS) {
				throw new IOException("Redis does not start:\n" + failure);
			}
		}
	}

	/*
	 * Another server may answer at the port.
	 */
	private static boolean answers(int port, Process process) {
		long end = System.nanoTime() + PATIENCE.toNanos();
		while (process.isAlive() && System.nanoTime() < end) {
			if (info(port).lines().anyMatch(("process_id:" + process.pid())::equals)) {
				return true;
			}
			LockSupport.parkNanos(1_000_000);
		}
		return false;
	}

	private static String info(int port) {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
			socket.setSoTimeout((int) PATIENCE.toMillis());
			socket.getOutputStream().write("INFO server\r\n".getBytes(StandardCharsets.US_ASCII));
			socket.shutdownOutput();
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
		}
		catch (IOException ex) {
			return "";
		}
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
	}

	String host() {
		return this.host;
	}

	/**
	 * Returns where it listens.
	 * @return the port
	 */
	public int port() {
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
