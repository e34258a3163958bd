package io.github.ratelimit.integration.jetty;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

import io.github.ratelimit.RateLimiterRegistry;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A key reads the parameter of a form that the handler reads, on Jetty too.
 */
class JettyFormsTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			application/x-www-form-urlencoded | user=ann
			multipart/form-data; boundary=x   | --x~Content-Disposition: form-data; name="user"~~ann~--x--~
			""")
	void keyIsTheParameterOfTheForm(String type, String body) throws Exception {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.properties("server.port=0", "server.address=127.0.0.1", "spring.main.banner-mode=off",
					"logging.level.root=off", "ratelimit.policies.names.limit=2", "ratelimit.policies.names.window=1d",
					"ratelimit.rules[0].path=/**", "ratelimit.rules[0].policy=names",
					"ratelimit.rules[0].key=folded(parameter('user'))")
			.run()) {
			String port = context.getEnvironment().getRequiredProperty("local.server.port");
			HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/names"))
				.header("Content-Type", type)
				.POST(HttpRequest.BodyPublishers.ofString(body.replace("~", "\r\n")))
				.build();
			HttpClient client = HttpClient.newHttpClient();
			for (int i = 0; i < 2; i++) {
				assertThat(client.send(request, HttpResponse.BodyHandlers.ofString()).body()).isEqualTo("ann");
			}
			assertThat(client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode()).isEqualTo(429);
			assertThat(context.getBean(RateLimiterRegistry.class).peek("names", "ann").remaining()).isZero();
		}
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Names.class)
	static class Application {

	}

	@RestController
	static class Names {

		@PostMapping("/names")
		String name(@RequestParam String user) {
			return user;
		}

	}

}
