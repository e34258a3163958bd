package io.github.ratelimit.redis;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.BiFunction;
import java.util.stream.Stream;

import redis.embedded.core.ExecutableProvider;

import org.springframework.util.FileSystemUtils;

/**
 * A real Redis server on the loopback interface, that can be killed, frozen and started
 * again.
 */
public final class TestRedis implements AutoCloseable {

	/**
	 * Names the program to run in place of the one that comes with the tests.
	 */
	static final String PROGRAM = "RATELIMIT_TEST_REDIS_SERVER";

	private static final int ATTEMPTS = 5;

	/* A machine that is busy with something else may stall for seconds. */
	private static final long PATIENCE_SECONDS = 60;

	/* Leaves the processor to the server and to the callers. */
	private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

	private static final File EXECUTABLE = executable();

	private final int port;

	private final Path directory;

	private final List<String> command;

	private Process process;

	private TestRedis(int port, Path directory, List<String> command) {
		this.port = port;
		this.directory = directory;
		this.command = command;
		this.process = run();
	}

	/**
	 * Starts a server that has no keys.
	 * @param options further arguments of its command line
	 */
	public static TestRedis start(String... options) {
		return start(
				(port, directory) -> Stream.concat(
						Stream.of("--port", "" + port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
								"--dir", directory.toString(), "--loglevel", "warning", "--daemonize", "no"),
						Stream.of(options)));
	}

	/*
	 * Somebody else may take a free port before the server does.
	 */
	private static TestRedis start(BiFunction<Integer, Path, Stream<String>> options) {
		for (int attempt = 1;; attempt++) {
			int port = TestPorts.next();
			Path directory = unchecked(() -> Files.createTempDirectory("ratelimit-redis"));
			try {
				return new TestRedis(port, directory,
						Stream.concat(Stream.of(EXECUTABLE.getPath()), options.apply(port, directory)).toList());
			}
			catch (UncheckedIOException ex) {
				unchecked(() -> FileSystemUtils.deleteRecursively(directory));
				if (attempt == ATTEMPTS) {
					throw ex;
				}
			}
		}
	}

	private static <T> T unchecked(Callable<T> action) {
		try {
			return action.call();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Starts a replica, and waits until it has what the master has.
	 */
	public static TestRedis replicaOf(TestRedis master) {
		TestRedis replica = start("--replicaof", "127.0.0.1", "" + master.port);
		await(() -> replica.info("replication", "master_link_status").equals("up"));
		return replica;
	}

	/**
	 * Starts a Sentinel, and waits until it knows the master's replica.
	 */
	static TestRedis sentinelOf(TestRedis master) {
		TestRedis sentinel = start((port, directory) -> {
			String configuration = """
					port %d
					bind 127.0.0.1
					sentinel monitor master 127.0.0.1 %d 1
					sentinel down-after-milliseconds master 300
					sentinel failover-timeout master 1000
					""".formatted(port, master.port);
			Path file = unchecked(() -> Files.writeString(directory.resolve("sentinel.conf"), configuration));
			return Stream.of(file.toString(), "--sentinel");
		});
		await(() -> sentinel.call("SENTINEL", "REPLICAS", "master").contains("flags"));
		return sentinel;
	}

	/**
	 * Starts a node of a cluster, which has a second port above its own.
	 */
	static TestRedis clusterNode(String... options) {
		List<String> all = new ArrayList<>(List.of("--cluster-enabled", "yes", "--cluster-node-timeout", "2000"));
		all.addAll(List.of(options));
		return start(all.toArray(String[]::new));
	}

	private static File executable() {
		String program = System.getenv(PROGRAM);
		File executable = (program != null && !program.isEmpty()) ? new File(program)
				: unchecked(() -> ExecutableProvider.newJarResourceProvider().get());
		System.out.println("== " + version(executable));
		return executable;
	}

	/*
	 * In the log, it tells what the tests have run on.
	 */
	private static String version(File executable) {
		return unchecked(() -> {
			Process process = new ProcessBuilder(executable.getPath(), "--version").redirectErrorStream(true).start();
			return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
		});
	}

	private Process run() {
		Path printed = this.directory.resolve("printed.log");
		return unchecked(() -> {
			Process started = new ProcessBuilder(this.command).redirectErrorStream(true)
				.redirectOutput(printed.toFile())
				.start();
			if (!answers(started)) {
				started.destroyForcibly().waitFor();
				throw new IOException("Redis does not start: " + this.command + ", exit code " + started.exitValue()
						+ ", printed:\n" + Files.readString(printed));
			}
			return started;
		});
	}

	/*
	 * Another server may answer at the port of one that cannot start. What is asked here
	 * does not count in the statistics that tests read.
	 */
	private boolean answers(Process started) {
		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
		while (!isSo(() -> info("server", "process_id").equals("" + started.pid()))) {
			if (!started.isAlive() || System.nanoTime() > end) {
				return false;
			}
			LockSupport.parkNanos(PAUSE_NANOS);
		}
		call("CONFIG", "RESETSTAT");
		return true;
	}

	/**
	 * The port that the server listens on, for as long as it exists.
	 */
	public int port() {
		return this.port;
	}

	void kill() {
		unchecked(() -> this.process.destroyForcibly().waitFor());
	}

	/*
	 * At the same port, as soon as nobody else has it.
	 */
	void startAgain() {
		await(() -> {
			this.process = run();
			return true;
		});
	}

	/*
	 * It then accepts connections, and answers nothing.
	 */
	void freeze() {
		signal("STOP");
	}

	void thaw() {
		signal("CONT");
	}

	private void signal(String name) {
		unchecked(() -> new ProcessBuilder("kill", "-" + name, "" + this.process.pid()).start().waitFor());
	}

	/**
	 * Sends a command past everything that is tested.
	 * @return the answer, as it came
	 */
	public String call(String... words) {
		return call(this.port, words);
	}

	static String call(int port, String... words) {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
			socket.setSoTimeout(10_000);
			StringBuilder request = new StringBuilder("*" + words.length + "\r\n");
			for (String word : words) {
				request.append('$').append(word.getBytes(StandardCharsets.UTF_8).length).append("\r\n");
				request.append(word).append("\r\n");
			}
			socket.getOutputStream().write(request.toString().getBytes(StandardCharsets.UTF_8));
			socket.shutdownOutput();
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Sends a command that answers a number.
	 */
	long number(String... words) {
		return Long.parseLong(call(words).substring(1).trim());
	}

	/**
	 * Reads a line of what the server says of itself.
	 */
	public String info(String section, String field) {
		return call("INFO", section).lines()
			.filter((line) -> line.startsWith(field + ":"))
			.map((line) -> line.substring(field.length() + 1))
			.findFirst()
			.orElse("");
	}

	/**
	 * Lists the names of all keys.
	 */
	public List<String> keys() {
		return call("KEYS", "*").lines().filter((line) -> !line.matches("[*$]\\d+")).toList();
	}

	/**
	 * Reads the server's time in microseconds.
	 */
	long micros() {
		List<String> answer = call("TIME").lines().toList();
		return Long.parseLong(answer.get(2)) * 1_000_000 + Long.parseLong(answer.get(4));
	}

	/**
	 * Asks again and again until something is so.
	 */
	public static void await(BooleanSupplier condition) {
		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
		UncheckedIOException last = null;
		while (System.nanoTime() < end) {
			try {
				if (condition.getAsBoolean()) {
					return;
				}
			}
			catch (UncheckedIOException ex) {
				last = ex;
			}
			LockSupport.parkNanos(PAUSE_NANOS);
		}
		throw new AssertionError("It is not so after " + PATIENCE_SECONDS + " s", last);
	}

	/*
	 * A server that changes its role closes connections.
	 */
	private static boolean isSo(BooleanSupplier condition) {
		try {
			return condition.getAsBoolean();
		}
		catch (UncheckedIOException ex) {
			return false;
		}
	}

	@Override
	public void close() {
		thaw();
		kill();
		unchecked(() -> FileSystemUtils.deleteRecursively(this.directory));
	}

}
