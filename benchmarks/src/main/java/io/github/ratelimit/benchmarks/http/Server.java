package io.github.ratelimit.benchmarks.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.ratelimit.benchmarks.http.load.Load;
import io.github.ratelimit.benchmarks.http.load.Responses;
import io.github.ratelimit.benchmarks.process.ChildProcess;
import io.github.ratelimit.benchmarks.process.ServerProcess;
import io.github.ratelimit.benchmarks.process.Usage;

/**
 * A contender's server, up and running.
 */
final class Server implements AutoCloseable {

	private static final String PATH = "/hello";

	private static final List<String> PROPERTIES = List.of("server.port=0", "server.address=127.0.0.1",
			"spring.main.banner-mode=off", "logging.level.root=warn");

	private final Subject subject;

	private final ChildProcess process;

	private InetSocketAddress address = InetSocketAddress.createUnresolved("none", 0);

	private Server(Subject subject, ChildProcess process) {
		this.subject = subject;
		this.process = process;
	}

	/**
	 * Starts a server.
	 * @param subject who limits the requests, and what becomes of them
	 * @param options options of the {@code java} command
	 * @param redis properties of the Redis that a limiter may ask
	 * @return the server, which is not ready yet
	 */
	static Server start(Subject subject, List<String> options, List<String> redis) throws IOException {
		List<String> arguments = Stream.of(PROPERTIES, redis, subject.properties())
			.flatMap(List::stream)
			.map((property) -> "--" + property)
			.collect(Collectors.toCollection(ArrayList::new));
		arguments.add(0, subject.contender().application().getName());
		return new Server(subject, ChildProcess.start(subject.classPath(), options, ServerProcess.class, arguments));
	}

	/**
	 * Waits until the server is ready, and sends the request that it allows.
	 */
	void awaitReady() throws IOException, InterruptedException {
		int port = (int) this.process.await(ServerProcess.PORT)[0];
		this.address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
		new Load(1, 1).send(this.address, PATH, Situation.ALLOWED.status(), Duration.ZERO);
	}

	Subject subject() {
		return this.subject;
	}

	Sample measure(Load load, Duration duration) throws IOException, InterruptedException {
		Usage before = Usage.of(this.process.ask(ServerProcess.USAGE));
		Responses responses = load.send(this.address, PATH, this.subject.situation().status(), duration);
		Usage used = Usage.of(this.process.ask(ServerProcess.USAGE)).since(before);
		return Sample.of(responses, used);
	}

	@Override
	public void close() throws IOException {
		this.process.close();
	}

}
