package io.github.ratelimit.benchmarks.http.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Clients that each send their next request when the last is answered.
 *
 * @param threads how many threads share the connections
 * @param connections how many connections each of them has
 */
public record Load(int threads, int connections) {

	/**
	 * Sends requests for some time.
	 * @param server the server's address
	 * @param path the path to ask for
	 * @param status the status that every response must have
	 * @param duration for how long
	 * @return what came back
	 * @throws IOException if a response is not as it must be
	 * @throws InterruptedException if the thread is interrupted
	 */
	public Responses send(InetSocketAddress server, String path, int status, Duration duration)
			throws IOException, InterruptedException {
		ExecutorService executor = Executors.newFixedThreadPool(this.threads);
		try {
			List<Future<Responses>> sent = new ArrayList<>();
			for (int i = 0; i < this.threads; i++) {
				Client client = new Client(server, path, status, this.connections);
				sent.add(executor.submit(() -> client.send(duration)));
			}
			List<Responses> received = new ArrayList<>();
			for (Future<Responses> future : sent) {
				received.add(future.get());
			}
			return Responses.together(received);
		}
		catch (ExecutionException ex) {
			throw new IOException("A client failed", ex.getCause());
		}
		finally {
			executor.shutdownNow();
		}
	}

}
