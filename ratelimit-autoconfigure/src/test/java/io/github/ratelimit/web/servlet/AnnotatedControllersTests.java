package io.github.ratelimit.web.servlet;

import java.net.http.HttpResponse;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.annotation.RateLimited;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Import;
import org.springframework.web.bind.WebDataBinder;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.InitBinder;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an annotation of a controller covers, over HTTP: each request to a limited handler
 * counts once, and nothing else does.
 */
class AnnotatedControllersTests {

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(Typed.class);
	}

	@ParameterizedTest
	@ValueSource(strings = { "public", "protected", "package", "private", "static", "final", "inherited", "overridden",
			"declared" })
	void annotationOnATypeCoversHandlersOfAnyVisibilityAndInheritedOnes(String handler) {
		long before = allowed("Typed");
		HttpResponse<String> response = server.get("/typed/" + handler);
		assertThat(response.body()).isEqualTo(handler + " of Typed");
		assertThat(response.headers().firstValue("RateLimit-Policy")).hasValue("\"Typed\";q=1000;w=3600");
		assertThat(allowed("Typed")).isEqualTo(before + 1);
	}

	@Test
	void callbacksOfAnAnnotatedTypeDoNotCount() {
		assertThat(server.get("/callbacks/model/5").body()).isEqualTo("model 5");
		assertThat(allowed("Callbacks")).isEqualTo(1);
		HttpResponse<String> failed = server.get("/callbacks/fail/5");
		assertThat(failed.body()).isEqualTo("handled");
		assertThat(allowed("Callbacks")).isEqualTo(2);
		assertThat(server.get("/callbacks/model/5").statusCode()).isEqualTo(429);
		assertThat(server.bean(Callbacks.class).helper()).isEqualTo("helped");
	}

	@Test
	void modelAttributeMethodThatIsAnnotatedItselfIsLimitedAsAMethod() {
		assertThat(server.get("/model").body()).isEqualTo("model");
		HttpResponse<String> rejected = server.get("/model");
		assertThat(rejected.statusCode()).isEqualTo(429);
		assertThat(rejected.body()).contains("LimitedModel.model");
	}

	private static long allowed(String policy) {
		return server.limiter().policy(policy).count(RateLimitOutcome.ALLOWED);
	}

	interface Api {

		@GetMapping("/typed/declared")
		String declared();

	}

	static class Base {

		@GetMapping("/typed/inherited")
		String inherited() {
			return "inherited of Typed";
		}

		@GetMapping("/typed/overridden")
		String overridden() {
			return "overridden by nobody";
		}

	}

	@RestController
	@RateLimited(limit = 1000, window = "1h")
	@Import({ Callbacks.class, LimitedModel.class })
	static class Typed extends Base implements Api {

		@GetMapping("/typed/public")
		public String publicHandler() {
			return "public of Typed";
		}

		@GetMapping("/typed/protected")
		protected String protectedHandler() {
			return "protected of Typed";
		}

		@GetMapping("/typed/package")
		String packageHandler() {
			return "package of Typed";
		}

		@GetMapping("/typed/private")
		private String privateHandler() {
			return "private of Typed";
		}

		@GetMapping("/typed/static")
		static String staticHandler() {
			return "static of Typed";
		}

		@GetMapping("/typed/final")
		final String finalHandler() {
			return "final of Typed";
		}

		@Override
		public String declared() {
			return "declared of Typed";
		}

		@Override
		String overridden() {
			return "overridden of Typed";
		}

	}

	@RestController
	@RateLimited(limit = 2, window = "1h")
	static class Callbacks {

		@ModelAttribute("model")
		String model() {
			return "model";
		}

		@InitBinder
		void binder(WebDataBinder binder) {
		}

		@ExceptionHandler(IllegalStateException.class)
		String handle() {
			return "handled";
		}

		public String helper() {
			return "helped";
		}

		@GetMapping("/callbacks/model/{id}")
		String handler(@ModelAttribute("model") String model, @PathVariable int id) {
			return model + " " + id;
		}

		@GetMapping("/callbacks/fail/{id}")
		String fail(@PathVariable int id) {
			throw new IllegalStateException("expected by the test");
		}

	}

	@RestController
	static class LimitedModel {

		@ModelAttribute("model")
		@RateLimited(limit = 1, window = "1h")
		String model() {
			return "model";
		}

		@GetMapping("/model")
		String handler(@ModelAttribute("model") String model) {
			return model;
		}

	}

}
