package io.github.ratelimit.integration.suite;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.WebDataBinder;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.InitBinder;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Controllers are limited whether a proxy can be made of them or not, and stay as they
 * are where one would change what they do.
 */
@Tag("stack")
class LimitedControllersTests {

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(Application.class, "charged: 1 per 1h; charge=status < 400",
				"ratelimit.policies[RenamedKey.limited].key=#name");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/final", "/record", "/of-interface" })
	void controllerThatNoProxyCanExtendIsLimited(String path) {
		assertThat(server.get(path).body()).isEqualTo("plain");
		server.get(path).is(429);
	}

	@Test
	void handlersThatAProxyWouldCallOnItselfKeepTheirController() {
		assertThat(server.get("/hidden/private").body()).isEqualTo("field");
		assertThat(server.get("/hidden/final").body()).isEqualTo("field");
		assertThat(server.get("/hidden/fail").body()).isEqualTo("field");
		assertThat(server.get("/hidden/limited").body()).isEqualTo("field");
		server.get("/hidden/limited").is(429);
		assertThat(AopUtils.isAopProxy(server.bean(Hidden.class))).isFalse();
	}

	@Test
	void controllerWhoseLimitsReadNoArgumentsHasNoProxySoThatACallByABeanIsNoRequest() {
		OpenOfInterface controller = server.bean(OpenOfInterface.class);
		assertThat(AopUtils.isAopProxy(controller)).isFalse();
		assertThat(controller.plain()).isEqualTo("plain");
		assertThat(server.get("/open").body()).isEqualTo("plain");
		server.get("/open").is(429);
		assertThat(controller.plain()).isEqualTo("plain");
	}

	@ParameterizedTest
	@ValueSource(classes = { ReadingArguments.class, Charged.class, ChargedByPolicy.class, RenamedKey.class,
			LimitedHelper.class })
	void controllerWithALimitThatIsDecidedAroundTheCallHasAProxy(Class<?> controller) {
		assertThat(AopUtils.isCglibProxy(server.bean(controller))).isTrue();
		String path = "/" + controller.getSimpleName() + "?name=ann";
		assertThat(server.get(path).body()).isEqualTo("ann");
		server.get(path).is(429);
	}

	@Test
	void beanThatAnUnproxiedHandlerCallsByTheSameInterfaceIsLimitedToo() {
		assertThat(server.get("/delegating").body()).isEqualTo("delegate");
		Answer rejected = server.get("/delegating").is(429);
		assertThat(rejected.body()).contains("Delegate.call");
	}

	@Test
	void controllersKeepTheirMappingsWhereProxiesAreMadeOfInterfaces() {
		try (TestServer server = TestServer.start(OfInterfaces.class, "spring.aop.proxy-target-class=false")) {
			for (String path : new String[] { "/of-interface", "/open" }) {
				assertThat(server.get(path).body()).isEqualTo("plain");
				server.get(path).is(429);
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "public", "protected", "package", "private", "static", "final", "inherited", "overridden",
			"declared" })
	void annotationOnATypeCoversHandlersOfAnyVisibilityAndInheritedOnes(String handler) {
		long before = allowed("Typed");
		Answer response = server.get("/typed/" + handler);
		assertThat(response.body()).isEqualTo(handler + " of Typed");
		assertThat(response.field("RateLimit-Policy")).isEqualTo("\"Typed\";q=1000;w=3600");
		assertThat(allowed("Typed")).isEqualTo(before + 1);
	}

	@Test
	void callbacksOfAnAnnotatedTypeDoNotCount() {
		assertThat(server.get("/callbacks/model/5").body()).isEqualTo("model 5");
		assertThat(allowed("Callbacks")).isEqualTo(1);
		Answer failed = server.get("/callbacks/fail/5");
		assertThat(failed.body()).isEqualTo("handled");
		assertThat(allowed("Callbacks")).isEqualTo(2);
		server.get("/callbacks/model/5").is(429);
		assertThat(server.bean(Callbacks.class).helper()).isEqualTo("helped");
	}

	@Test
	void modelAttributeMethodThatIsAnnotatedItselfIsLimitedAsAMethod() {
		assertThat(server.get("/model").body()).isEqualTo("model");
		Answer rejected = server.get("/model").is(429);
		assertThat(rejected.body()).contains("LimitedModel.model");
	}

	private static long allowed(String policy) {
		return server.limiter().policy(policy).count(RateLimitOutcome.ALLOWED);
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ FinalController.class, RecordController.class, FinalOfInterface.class, OpenOfInterface.class,
			Hidden.class, DelegatingController.class, ReadingArguments.class, Charged.class, ChargedByPolicy.class,
			RenamedKey.class, LimitedHelper.class, Typed.class, Callbacks.class, LimitedModel.class })
	static class Application {

		@Bean
		Callable delegate() {
			return new Delegate();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ FinalOfInterface.class, OpenOfInterface.class })
	static class OfInterfaces {

	}

	interface Plain {

		String plain();

	}

	@RestController
	@RequestMapping("/final")
	static final class FinalController {

		private final String text = "plain";

		@GetMapping
		@RateLimited(limit = 1, window = "1h")
		String plain() {
			return this.text;
		}

	}

	@RestController
	@RequestMapping("/of-interface")
	static final class FinalOfInterface implements Plain {

		@Override
		@GetMapping
		@RateLimited(limit = 1, window = "1h")
		public String plain() {
			return "plain";
		}

	}

	@RestController
	@RequestMapping("/open")
	static class OpenOfInterface implements Plain {

		@Override
		@GetMapping
		@RateLimited(limit = 1, window = "1h")
		public String plain() {
			return "plain";
		}

	}

	@RestController
	static class ReadingArguments {

		@GetMapping("/ReadingArguments")
		@RateLimited(limit = 1, window = "1h", key = "#name")
		Mono<String> limited(String name) {
			return Mono.just(name);
		}

	}

	@RestController
	static class Charged {

		@GetMapping("/Charged")
		@RateLimited(limit = 1, window = "1h", charge = "status < 400")
		String limited(String name) {
			return name;
		}

	}

	@RestController
	static class ChargedByPolicy {

		@GetMapping("/ChargedByPolicy")
		@RateLimited("charged")
		String limited(String name) {
			return name;
		}

	}

	@RestController
	static class RenamedKey {

		@GetMapping("/RenamedKey")
		@RateLimited(limit = 1, window = "1h")
		Mono<String> limited(String name) {
			return Mono.just(name);
		}

	}

	@RestController
	static class LimitedHelper {

		@GetMapping("/LimitedHelper")
		@RateLimited(limit = 1, window = "1h")
		String limited(String name) {
			return name;
		}

		@RateLimited(limit = 1, window = "1h")
		void helper() {
		}

	}

	@RestController
	@RequestMapping("/record")
	@RateLimited(limit = 1, window = "1h")
	record RecordController() implements Plain {

		@Override
		@GetMapping
		public String plain() {
			return "plain";
		}

	}

	@RestController
	@RequestMapping("/hidden")
	static class Hidden {

		private final String text = String.valueOf("field");

		@GetMapping("/limited")
		@RateLimited(limit = 1, window = "1h")
		String limited() {
			return this.text;
		}

		@GetMapping("/private")
		private String privateHandler() {
			return this.text;
		}

		@GetMapping("/final")
		final String finalHandler() {
			return this.text;
		}

		@GetMapping("/fail")
		String fail() {
			throw new IllegalStateException("expected by the test");
		}

		@ExceptionHandler(IllegalStateException.class)
		private String handle() {
			return this.text;
		}

	}

	interface Callable {

		String call();

	}

	static final class Delegate implements Callable {

		@Override
		@RateLimited(limit = 1, window = "1h")
		public String call() {
			return "delegate";
		}

	}

	@RestController
	static final class DelegatingController implements Callable {

		private final Callable delegate;

		DelegatingController(@Qualifier("delegate") Callable delegate) {
			this.delegate = delegate;
		}

		@Override
		@GetMapping("/delegating")
		@RateLimited(limit = 1000, window = "1h")
		public String call() {
			return this.delegate.call();
		}

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
