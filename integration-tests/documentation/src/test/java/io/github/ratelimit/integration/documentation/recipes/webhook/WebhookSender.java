package io.github.ratelimit.integration.documentation.recipes.webhook;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.annotation.RateLimited;

import org.springframework.stereotype.Service;

@Service
class WebhookSender {

	private final HttpClient http = HttpClient.newHttpClient();

	@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 5, window = "1s", burst = 100, key = "#url.host")
	CompletableFuture<Integer> send(URI url, String event) {
		HttpRequest request = HttpRequest.newBuilder(url).POST(HttpRequest.BodyPublishers.ofString(event)).build();
		return this.http.sendAsync(request, HttpResponse.BodyHandlers.discarding())
			.thenApply((response) -> response.statusCode());
	}

}
