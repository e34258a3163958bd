package io.github.ratelimit.sample;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * The few options of curl that README uses. Prints what {@code curl -i} prints.
 */
final class Curl {

	private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

	private final int port;

	Curl(int port) {
		this.port = port;
	}

	List<String> run(List<String> words) throws IOException, InterruptedException {
		Iterator<String> iterator = words.iterator();
		if (!iterator.next().equals("curl")) {
			throw new IllegalArgumentException("Not a curl command: " + words);
		}
		HttpRequest.Builder request = HttpRequest.newBuilder();
		String method = "GET";
		boolean head = true;
		HttpRequest.BodyPublisher body = BodyPublishers.noBody();
		while (iterator.hasNext()) {
			String word = iterator.next();
			switch (word) {
				case "-s" -> head = false;
				case "-si" -> {
				}
				case "-X" -> method = iterator.next();
				case "-H" -> {
					String[] header = iterator.next().split(": ", 2);
					request.header(header[0], header[1]);
				}
				case "-d" -> {
					method = "POST";
					body = BodyPublishers.ofString(iterator.next());
				}
				default ->
					request.uri(URI.create("http://" + word.replace("127.0.0.1:8080", "127.0.0.1:" + this.port)));
			}
		}
		HttpResponse<String> response = this.client.send(request.method(method, body).build(), BodyHandlers.ofString());
		return head ? print(response) : response.body().lines().toList();
	}

	private static List<String> print(HttpResponse<String> response) {
		List<String> lines = new ArrayList<>();
		lines.add("HTTP/1.1 " + response.statusCode());
		response.headers().map().forEach((name, values) -> values.forEach((value) -> lines.add(name + ": " + value)));
		lines.addAll(response.body().lines().toList());
		return lines;
	}

}
