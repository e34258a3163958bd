package io.github.ratelimit.annotation;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration;
import io.github.ratelimit.autoconfigure.RateLimitMethodAutoConfiguration;
import io.github.ratelimit.autoconfigure.RateLimitMvcAutoConfiguration;
import io.github.ratelimit.autoconfigure.RateLimitServletAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Controllers whose limits need a proxy, where there can be none, fail start-up.
 */
class AnnotatedControllersStartTests {

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withUserConfiguration(Application.class);

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			Final         | a method of a final class
			Record        | a method of a final class
			PrivateMaking | a method of a class whose constructors are all private
			Private       | a private method
			WithPrivate   | a method of a controller with a private or final hidden() that Spring calls
			WithFinal     | a method of a controller with a private or final hidden() that Spring calls
			""")
	void handlerWhoseExpressionsNeedArgumentsNeedsAProxy(String type, String obstacle) throws ClassNotFoundException {
		Class<?> controller = Class.forName(getClass().getName() + "$" + type);
		this.runner.withUserConfiguration(controller)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidRateLimitException.class)
				.hasMessage("@RateLimited on " + type + ".limited(String) needs a proxy, because its expressions need "
						+ "the method's arguments, and a proxy cannot intercept " + obstacle));
	}

	@Test
	void methodOfAFinalControllerThatIsNoHandlerHasNoEffect() {
		this.runner.withUserConfiguration(FinalWithHelper.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessage("@RateLimited on FinalWithHelper.helper() would have no effect, because a proxy cannot "
						+ "intercept a method of a final class"));
	}

	@Test
	void finalControllerIsNoProxyOfItsInterfaceWhereNothingElseLimitsIt() {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(RateLimitAutoConfiguration.class, RateLimitMethodAutoConfiguration.class))
			.withUserConfiguration(FinalOfInterface.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessage("@RateLimited on FinalOfInterface.run() would have no effect, because a proxy cannot "
						+ "intercept a method of a final class"));
	}

	@Test
	void lateControllerIsCheckedWhenItIsMade() {
		this.runner.withUserConfiguration(Late.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThatException().isThrownBy(() -> context.getBean("late"))
				.withStackTraceContaining("@RateLimited on Final.limited(String) needs a proxy");
		});
	}

	@Test
	void controllerWhoseExpressionsNeedNoArgumentsNeedsNoProxy() {
		this.runner.withUserConfiguration(NoArguments.class).run((context) -> assertThat(context).hasNotFailed());
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class,
			RateLimitAutoConfiguration.class, RateLimitMethodAutoConfiguration.class,
			RateLimitMvcAutoConfiguration.class, RateLimitServletAutoConfiguration.class })
	static class Application {

	}

	@RestController
	static final class Final {

		@GetMapping("/")
		@RateLimited(limit = 1, window = "1m", key = "#user")
		public String limited(String user) {
			return user;
		}

	}

	@RestController
	record Record() {

		@GetMapping("/")
		@RateLimited(limit = 1, window = "1m", cost = "#user.length()")
		public String limited(String user) {
			return user;
		}

	}

	@RestController
	static class PrivateMaking {

		private PrivateMaking() {
		}

		@GetMapping("/")
		@RateLimited(limit = 1, window = "1m", condition = "#user == 'a'")
		public String limited(String user) {
			return user;
		}

	}

	@RestController
	static class Private {

		@GetMapping("/")
		@RateLimited(limit = 1, window = "1m", key = "#user")
		@SuppressWarnings("unused")
		private String limited(String user) {
			return user;
		}

	}

	@RestController
	static class WithPrivate {

		@GetMapping("/")
		@RateLimited(limit = 1, window = "1m", key = "#user")
		public String limited(String user) {
			return user;
		}

		@GetMapping("/hidden")
		@SuppressWarnings("unused")
		private String hidden() {
			return "";
		}

	}

	@RestController
	static class WithFinal {

		@GetMapping("/")
		@RateLimited(limit = 1, window = "1m", key = "#user")
		public String limited(String user) {
			return user;
		}

		@GetMapping("/hidden")
		public final String hidden() {
			return "";
		}

	}

	@RestController
	static final class FinalWithHelper {

		@RateLimited(limit = 1, window = "1m")
		public void helper() {
		}

	}

	@RestController
	static final class FinalOfInterface implements Runnable {

		@Override
		@GetMapping("/")
		@RateLimited(limit = 1, window = "1m")
		public void run() {
		}

	}

	@RestController
	@RateLimited(limit = 1, window = "1m", key = "header('X-Api-Key')")
	record NoArguments() {

		@GetMapping("/")
		String limited(String user) {
			return user;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Late {

		@Bean
		@Lazy
		Object late() {
			return new Final();
		}

	}

}
