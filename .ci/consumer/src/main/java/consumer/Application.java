package consumer;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.annotation.RateLimited;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application of somebody else, which calls itself once more than it allows.
 */
@SpringBootApplication
@RestController
public class Application {

	@RateLimited(limit = 5, window = "1h")
	@GetMapping("/hello")
	String hello() {
		return "Hello";
	}

	public static void main(String[] args) throws Exception {
		List<Integer> statuses = new ArrayList<>();
		try (ConfigurableApplicationContext context = SpringApplication.run(Application.class, "--server.port=0")) {
			String port = context.getEnvironment().getRequiredProperty("local.server.port");
			HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/hello")).build();
			HttpClient client = HttpClient.newHttpClient();
			for (int i = 0; i < 6; i++) {
				statuses.add(client.send(request, BodyHandlers.ofString()).statusCode());
			}
		}

		String library = RateLimited.class.getPackage().getImplementationVersion();
		System.out.println("Ratelimit " + library + " on Spring Boot " + SpringBootVersion.getVersion() + ", Java "
				+ Runtime.version().feature() + ": " + statuses);
		if (!statuses.equals(List.of(200, 200, 200, 200, 200, 429))) {
			System.exit(1);
		}
	}

}
