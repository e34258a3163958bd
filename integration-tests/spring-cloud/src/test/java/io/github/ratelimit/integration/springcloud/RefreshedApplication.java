package io.github.ratelimit.integration.springcloud;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimiterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.SpringApplication;
import org.springframework.cloud.context.refresh.ContextRefresher;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * An application whose file is changed, and whose environment is refreshed as Spring
 * Cloud does.
 */
abstract class RefreshedApplication {

	static final HttpClient HTTP = HttpClient.newHttpClient();

	static final String ANNOTATED = """
			ratelimit:
			  policies:
			    annotated: {key: "'all'", limit: 2, window: 1h}
			""";

	static final String POLICIES = """
			ratelimit:
			  policies:
			    annotated: {key: "'all'", limit: 2, window: 1h}
			    api: {key: "'all'", limit: 100, window: 1h}
			    user: {key: principal.name, limit: 10, window: 1h}
			""";

	@TempDir
	Path directory;

	ConfigurableApplicationContext context;

	@AfterEach
	void stop() {
		if (this.context != null) {
			this.context.close();
		}
	}

	RateLimiterRegistry policies() {
		return this.context.getBean(RateLimiterRegistry.class);
	}

	long count(String policy, RateLimitOutcome outcome) {
		return policies().policy(policy).count(outcome);
	}

	Path file() {
		return this.directory.resolve("application.yml");
	}

	void start(String yaml) throws IOException {
		this.context = run(Files.writeString(file(), yaml));
	}

	void refresh(String yaml) throws IOException {
		Files.writeString(file(), yaml);
		this.context.getBean(ContextRefresher.class).refresh();
	}

	static ConfigurableApplicationContext run(Path file) {
		return SpringApplication.run(Application.class, "--spring.config.location=" + file.toUri(), "--server.port=0",
				"--spring.main.banner-mode=off");
	}

	String limit(String path) throws Exception {
		return limit(send("GET", path, null));
	}

	static String limit(HttpResponse<?> response) {
		return response.headers().firstValue("X-RateLimit-Limit").orElse(null);
	}

	static String remaining(HttpResponse<?> response) {
		return response.headers().firstValue("X-RateLimit-Remaining").orElse(null);
	}

	HttpResponse<String> send(String method, String path, String user) throws Exception {
		return HTTP.send(request(method, path, user), HttpResponse.BodyHandlers.ofString());
	}

	HttpRequest request(String method, String path, String user) {
		String port = this.context.getEnvironment().getProperty("local.server.port");
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
			.method(method, HttpRequest.BodyPublishers.noBody());
		if (user != null) {
			request.header("Authorization",
					"Basic " + Base64.getEncoder().encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8)));
		}
		return request.build();
	}

}
