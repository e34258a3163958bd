package io.github.ratelimit.benchmarks.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.benchmarks.http.load.Load;
import io.github.ratelimit.benchmarks.http.load.Responses;
import io.github.ratelimit.benchmarks.http.server.ServerProcess;
import io.github.ratelimit.benchmarks.http.server.Usage;
import io.github.ratelimit.benchmarks.process.ChildProcess;

/**
 * A contender's server, up and running.
 */
final class Server implements AutoCloseable {

	private static final String PATH = "/hello";

	/*
	 * Connections live as long as the client wants, and the number of threads is fixed,
	 * so that what they allocate can be added up.
	 */
	private static final List<String> SETTINGS = List.of("--server.port=0", "--server.address=127.0.0.1",
			"--server.tomcat.max-keep-alive-requests=-1", "--server.tomcat.threads.max=64",
			"--server.tomcat.threads.min-spare=64", "--spring.main.banner-mode=off", "--logging.level.root=warn");

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
	 * @return the server, which is not ready yet
	 */
	static Server start(Subject subject, List<String> options) throws IOException {
		List<String> arguments = new ArrayList<>(List.of(subject.contender().application().getName()));
		arguments.addAll(SETTINGS);
		arguments.addAll(subject.arguments());
		return new Server(subject,
				ChildProcess.start(subject.contender().classPath(), options, ServerProcess.class, arguments));
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
