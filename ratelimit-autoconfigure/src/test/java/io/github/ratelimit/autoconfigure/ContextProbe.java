package io.github.ratelimit.autoconfigure;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Set;
import java.util.stream.Collectors;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * What can be seen of a running context from outside.
 */
final class ContextProbe {

	private ContextProbe() {
	}

	static int status(ConfigurableApplicationContext context, String path) throws Exception {
		URI uri = URI
			.create("http://127.0.0.1:" + context.getEnvironment().getRequiredProperty("local.server.port") + path);
		return HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.discarding())
			.statusCode();
	}

	/**
	 * The threads of ours, of all contexts.
	 */
	static Set<Thread> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("ratelimit-"))
			.collect(Collectors.toSet());
	}

}
