package io.github.ratelimit.web.servlet;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.autoconfigure.OpenToAll;
import io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration;
import io.github.ratelimit.autoconfigure.RateLimitMethodAutoConfiguration;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.TestServer;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Annotated methods in contexts beside the application's own are limited once, or their
 * context does not start.
 */
class ContextHierarchyTests {

	private static final String[] PROPERTIES = { "server.port=0", "server.address=127.0.0.1",
			"spring.main.banner-mode=off", "logging.level.root=warn" };

	@ParameterizedTest
	@ValueSource(classes = { Mvc.class, Child.class, LimitedMvc.class })
	void handlersOfASecondDispatcherServletAreLimitedOnce(Class<?> second) {
		try (ConfigurableApplicationContext root = runBeside(second, Search.class)) {
			for (String path : List.of("/second/found", "/found")) {
				for (int remaining = 2; remaining >= 0; remaining--) {
					get(root, path).is(200,
							"RateLimit: \"Search.found\";r=" + remaining + ";t=" + ((remaining > 0) ? 40 : 60));
				}
				assertThat(get(root, path).status()).isEqualTo(429);
				root.getBean(ManualClock.class).advance(Duration.ofMinutes(1));
			}
		}
	}

	@Test
	void argumentsOfHandlersOfASecondDispatcherServletAreReadWhereTheMethodsAreLimitedThere() {
		try (ConfigurableApplicationContext root = runBeside(LimitedMvc.class, ByArgument.class)) {
			assertThat(get(root, "/second/by-argument?user=a").status()).isEqualTo(200);
			assertThat(get(root, "/second/by-argument?user=b").status()).isEqualTo(200);
			get(root, "/second/by-argument?user=a").is(429);
			RateLimiterRegistry registry = root.getBean(RateLimiterRegistry.class);
			assertThat(registry.policy("ByArgument.byArgument").count(RateLimitOutcome.ALLOWED)).isEqualTo(2);
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { ByArgument.class, OtherService.class })
	void secondDispatcherServletWithWhatWouldNotBeLimitedDoesNotStart(Class<?> limited) {
		assertThatException().isThrownBy(() -> runBeside(Mvc.class, limited).close())
			.withStackTraceContaining("which has no rate limits of its own");
	}

	@Test
	void childThatConfiguresItselfIsLimitedOnce() {
		try (ConfigurableApplicationContext child = application(Main.class).child(Child.class)
			.properties(PROPERTIES)
			.run()) {
			assertThat(get(child, "/found").all("RateLimit")).containsExactly("\"Search.found\";r=2;t=40");
			assertThat(allowed(child)).isEqualTo(1);
			assertThat(allowed(child.getParent())).isZero();
		}
	}

	private static long allowed(ApplicationContext context) {
		return context.getBean(RateLimiterRegistry.class).policy("Search.found").count(RateLimitOutcome.ALLOWED);
	}

	@Test
	void handlersOfTheManagementContextAreLimitedOnce() {
		try (ConfigurableApplicationContext root = application(Main.class)
			.properties("management.server.port=0", "management.server.address=127.0.0.1",
					"test.management-search=true")
			.run()) {
			int port = port(root, "management");
			for (int remaining = 2; remaining >= 0; remaining--) {
				assertThat(TestServer.get(port, "/management/found").all("RateLimit"))
					.containsExactly("\"ManagementSearch.found\";r=" + remaining + ";t=" + ((remaining > 0) ? 40 : 60));
			}
			assertThat(TestServer.get(port, "/management/found").status()).isEqualTo(429);
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { Parent.class, LimitedParent.class })
	void serviceOfTheParentIsLimitedOnceWhereBothConfigureThemselves(Class<?> type) {
		try (ConfigurableApplicationContext child = new SpringApplicationBuilder(type).web(WebApplicationType.NONE)
			.properties(PROPERTIES)
			.child(Child.class)
			.web(WebApplicationType.SERVLET)
			.run()) {
			Service service = child.getBean(Service.class);
			service.limited("a");
			service.limited("a");
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> service.limited("a"));
			RateLimiterRegistry parent = child.getParent().getBean(RateLimiterRegistry.class);
			assertThat(parent.policy("Service.limited").count(RateLimitOutcome.ALLOWED)).isEqualTo(2);
			assertThat(child.getBean(RateLimiterRegistry.class).find("Service.limited")).isNull();
		}
	}

	@ParameterizedTest
	@CsvSource({ "Parent, OtherService, RateLimitMethodAutoConfiguration.class",
			"OtherService, Parent, '{ RateLimitAutoConfiguration.class, RateLimitMethodAutoConfiguration.class }'" })
	void contextDoesNotStartWithAnAnnotatedServiceBesideAnotherThatHasTheLimits(String parent, String child,
			String missing) {
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> new SpringApplicationBuilder(nested(parent)).web(WebApplicationType.NONE)
				.properties(PROPERTIES)
				.child(nested(child))
				.web(WebApplicationType.NONE)
				.run()
				.close())
			.withMessageStartingWith("@RateLimited on OtherService.limited() would have no effect")
			.extracting(InvalidRateLimitException::action)
			.asString()
			.startsWith("Add @ImportAutoConfiguration(" + missing + ") to that context's configuration");
	}

	private static Class<?> nested(String name) {
		return name.equals("Parent") ? Parent.class : OtherService.class;
	}

	/* The main context, and a second servlet with a context of its own. */
	private static ConfigurableApplicationContext runBeside(Class<?>... second) {
		AnnotationConfigWebApplicationContext context = new AnnotationConfigWebApplicationContext();
		context.register(second);
		ServletRegistrationBean<DispatcherServlet> registration = new ServletRegistrationBean<>(
				new DispatcherServlet(context), "/second/*");
		registration.setName("second");
		registration.setLoadOnStartup(1);
		return application(Main.class)
			.initializers((main) -> ((GenericApplicationContext) main).registerBean("secondServlet",
					ServletRegistrationBean.class, () -> registration))
			.run();
	}

	private static SpringApplicationBuilder application(Class<?>... sources) {
		return new SpringApplicationBuilder(sources).properties(PROPERTIES);
	}

	private static int port(ApplicationContext context, String server) {
		return Integer.parseInt(context.getEnvironment().getRequiredProperty("local." + server + ".port"));
	}

	private static Answer get(ApplicationContext context, String path) {
		return TestServer.get(port(context, "server"), path);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ OpenToAll.class, Search.class })
	static class Main {

		@Bean
		ManualClock clock() {
			return ManualClock.atMidnight();
		}

	}

	static class Child extends Main {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Service.class })
	static class Parent {

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ RateLimitAutoConfiguration.class, RateLimitMethodAutoConfiguration.class })
	@Import(Service.class)
	static class LimitedParent {

	}

	@RestController
	static class Search {

		@RateLimited(limit = 3, window = "1m")
		@GetMapping("/found")
		String found() {
			return "found";
		}

	}

	@RestController
	@ManagementContextConfiguration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty("test.management-search")
	static class ManagementSearch {

		@RateLimited(limit = 3, window = "1m")
		@GetMapping("/management/found")
		String found() {
			return "found";
		}

	}

	@RestController
	static class ByArgument {

		@RateLimited(limit = 1, window = "1m", key = "#user")
		@GetMapping("/by-argument")
		String byArgument(@RequestParam("user") String user) {
			return user;
		}

	}

	static class Service {

		@RateLimited(limit = 2, window = "1m", key = "#user")
		public void limited(String user) {
		}

	}

	static class OtherService {

		@RateLimited(limit = 2, window = "1m")
		public void limited() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableWebMvc
	static class Mvc {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableWebMvc
	@ImportAutoConfiguration(RateLimitMethodAutoConfiguration.class)
	static class LimitedMvc {

	}

}
