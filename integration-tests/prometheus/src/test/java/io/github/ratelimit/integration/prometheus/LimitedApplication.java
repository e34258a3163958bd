package io.github.ratelimit.integration.prometheus;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;

import io.github.ratelimit.annotation.RateLimited;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application that is limited by its configuration, and what is asked of it.
 */
final class LimitedApplication implements AutoCloseable {

	private final HttpClient client = HttpClient.newHttpClient();

	private final ConfigurableApplicationContext context;

	/**
	 * Starts the application.
	 * @param profile the name of its configuration
	 * @param properties further properties
	 */
	LimitedApplication(String profile, String... properties) {
		this.context = new SpringApplicationBuilder(Application.class).profiles(profile).properties(properties).run();
	}

	/**
	 * Returns where the application listens.
	 * @return address and port, as Prometheus names an instance
	 */
	String instance() {
		return "127.0.0.1:" + this.context.getEnvironment().getRequiredProperty("local.server.port");
	}

	/**
	 * Sends requests, one after the other.
	 * @param times how many
	 * @param path the path and query
	 */
	void get(int times, String path) throws IOException, InterruptedException {
		for (int i = 0; i < times; i++) {
			this.client.send(request(path, "nobody"), BodyHandlers.discarding());
		}
	}

	/**
	 * Sends a request of a certain visitor.
	 * @param path the path
	 * @param visitor the visitor's name
	 */
	void visit(String path, String visitor) throws IOException, InterruptedException {
		this.client.send(request(path, visitor), BodyHandlers.discarding());
	}

	/**
	 * Sends a request whose response is not waited for.
	 * @param path the path
	 * @return the response to come
	 */
	CompletableFuture<HttpResponse<Void>> send(String path) {
		return this.client.sendAsync(request(path, "nobody"), BodyHandlers.discarding());
	}

	/**
	 * Returns what the application itself has counted.
	 * @param meter the meter's name
	 * @param tags names and values of tags
	 * @return the value
	 */
	double measured(String meter, String... tags) {
		return this.context.getBean(MeterRegistry.class)
			.get(meter)
			.tags(tags)
			.meter()
			.measure()
			.iterator()
			.next()
			.getValue();
	}

	private HttpRequest request(String path, String visitor) {
		return HttpRequest.newBuilder(URI.create("http://" + instance() + path)).header("X-Visitor", visitor).build();
	}

	@Override
	public void close() {
		this.context.close();
	}

	@SpringBootApplication
	static class Application {

		@RestController
		static class Handler {

			@RateLimited(name = "narrow", limit = 1, window = "1d")
			@GetMapping("/both")
			String both() {
				return "limited by a rule, too";
			}

			@GetMapping("/{path}")
			ResponseEntity<Void> answer(@RequestParam(defaultValue = "200") int status) {
				return ResponseEntity.status(status).build();
			}

		}

	}

}
