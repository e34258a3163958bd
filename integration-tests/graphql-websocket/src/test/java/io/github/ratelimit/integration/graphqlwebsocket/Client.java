package io.github.ratelimit.integration.graphqlwebsocket;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Base64;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;

/**
 * A client with an address and, if it says so, a name.
 *
 * @param port the server's port
 * @param address what the proxy says of where the client is
 * @param user the client's name, which is its password, too; empty for none
 */
record Client(int port, String address, String user) {

	private static final HttpClient HTTP = HttpClient.newHttpClient();

	DocumentContext ask(String document) throws IOException, InterruptedException {
		return JsonPath.parse(send(document, "application/json").body());
	}

	HttpResponse<String> send(String document, String accept) throws IOException, InterruptedException {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + this.port + "/graphql"))
			.header("Content-Type", "application/json")
			.header("Accept", accept)
			.header("X-Forwarded-For", this.address)
			.POST(HttpRequest.BodyPublishers.ofString("{\"query\":\"" + document + "\"}"));
		if (!this.user.isEmpty()) {
			request.header("Authorization", authorization());
		}
		return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
	}

	String authorization() {
		return "Basic " + Base64.getEncoder().encodeToString((this.user + ":" + this.user).getBytes());
	}

}
