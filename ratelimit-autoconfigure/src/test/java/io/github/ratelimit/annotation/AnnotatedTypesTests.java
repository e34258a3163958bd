package io.github.ratelimit.annotation;

import java.util.List;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration;
import io.github.ratelimit.autoconfigure.RateLimitMethodAutoConfiguration;
import io.github.ratelimit.autoconfigure.RateLimitMvcAutoConfiguration;
import io.github.ratelimit.autoconfigure.RateLimitServletAutoConfiguration;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * An annotation that no proxy can enforce, or that has no effect, fails start-up.
 */
class AnnotatedTypesTests {

	private final ApplicationContextRunner runner = LimitedBeans.runner();

	private final WebApplicationContextRunner web = new WebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DispatcherServletAutoConfiguration.class,
				WebMvcAutoConfiguration.class, RateLimitAutoConfiguration.class, RateLimitMethodAutoConfiguration.class,
				RateLimitMvcAutoConfiguration.class, RateLimitServletAutoConfiguration.class));

	@Test
	void methodsOffTheInterfaceAreNotMeantWhereProxiesAreMadeOfInterfaces() {
		this.runner.withPropertyValues("spring.aop.proxy-target-class=false")
			.withBean("runnable", Runnable.class, OffInterface::new)
			.run((context) -> {
				LimitedServices.assertLimited(context.getBean(Runnable.class)::run);
				assertThat(context.getBean(RateLimiterRegistry.class).policy("OffInterface").appliedTo())
					.containsExactly("OffInterface.run()");
			});
		this.runner.withPropertyValues("spring.aop.proxy-target-class=false")
			.withBean(AnnotatedOffInterface.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("on none of the class' interfaces while spring.aop.proxy-target-class is false"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					NoHandler            |                    | limits nothing, because there is no handler method
					Advice               |                    | limits nothing, because there is no method but callbacks
					Beans                |                    | limits nothing, because there is no method but callbacks
					OnlyCallbacks        |                    | limits nothing, because there is no method but callbacks
					Initializer          | initialize         | would have no effect, because Spring calls the method on the bean
					Destroyer            | destroy            | would have no effect, because Spring calls the method on the bean
					InitializedBean      | afterPropertiesSet | would have no effect, because Spring calls the method on the bean
					ErrorHandler         | handle             | would replace the error that the method handles by another
					AnnotatedBeanMethod  | texts              | would have no effect, because it limits how often the bean is made
					FinalMethod          | method             | would have no effect, because a proxy cannot intercept a final method
					InheritsFinalMethod  | method             | would have no effect, because a proxy cannot intercept a final method
					FinalOffInterface    | method             | would have no effect, because a proxy cannot intercept a method that is on none of the interfaces of a class that is final
					FinalOfInterface     | run                | would have no effect, because a proxy cannot intercept a method of a class that is final
					""")
	void annotationThatHasNoEffectOrTheWrongOneFailsStartUp(String type, String method, String mistake)
			throws ClassNotFoundException {
		String place = (method != null) ? type + "." + method + "()" : type;
		this.runner.withUserConfiguration(Class.forName(getClass().getName() + "$" + type))
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidRateLimitException.class)
				.hasMessageStartingWith("@RateLimited on " + place + " " + mistake));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			Final         | a method of a class that is final, sealed or has only private constructors
			Record        | a method of a class that is final, sealed or has only private constructors
			PrivateMaking | a method of a class that is final, sealed or has only private constructors
			Private       | a private method
			WithPrivate   | a method of a controller with a private or final hidden() that Spring calls
			WithFinal     | a method of a controller with a private or final hidden() that Spring calls
			""")
	void handlerWhoseExpressionsNeedArgumentsNeedsAProxy(String type, String obstacle) throws ClassNotFoundException {
		Class<?> controller = Class.forName(getClass().getName() + "$" + type);
		this.web.withUserConfiguration(controller)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidRateLimitException.class)
				.hasMessage(
						"@RateLimited on " + type + ".limited(String) needs a proxy for what its expressions read of "
								+ "the call, and a proxy cannot intercept " + obstacle));
	}

	@Test
	void methodOfAFinalControllerThatIsNoHandlerHasNoEffect() {
		this.web.withUserConfiguration(FinalWithHelper.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageStartingWith(
						"@RateLimited on FinalWithHelper.helper() would have no effect, because a proxy "
								+ "cannot intercept a method of a class that is final"));
	}

	@Test
	void lateControllerIsCheckedWhenItIsMade() {
		this.web.withBean("late", Object.class, Final::new, (bean) -> bean.setLazyInit(true)).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThatException().isThrownBy(() -> context.getBean("late"))
				.withStackTraceContaining("@RateLimited on Final.limited(String) needs a proxy");
		});
	}

	@Test
	void controllerWhoseExpressionsNeedNoArgumentsNeedsNoProxy() {
		this.web.withUserConfiguration(NoArguments.class).run((context) -> assertThat(context).hasNotFailed());
	}

	@RateLimited(limit = 1, window = "1m")
	static class OffInterface implements Runnable {

		@Override
		public void run() {
		}

		public final void other() {
		}

	}

	@Controller
	@RateLimited(limit = 1, window = "1m")
	static class NoHandler {

		public void helper() {
		}

	}

	@RestControllerAdvice
	@RateLimited(limit = 1, window = "1m")
	static class Advice {

		@ExceptionHandler
		public void handle(IllegalStateException ex) {
		}

	}

	@Configuration
	@RateLimited(limit = 1, window = "1m")
	static class Beans {

		@Bean
		List<String> texts() {
			return List.of();
		}

	}

	@RateLimited(limit = 1, window = "1m")
	static class OnlyCallbacks {

		@EventListener
		public void onEvent(ContextRefreshedEvent event) {
		}

	}

	static class Initializer {

		@PostConstruct
		@RateLimited(limit = 1, window = "1m")
		public void initialize() {
		}

	}

	static class Destroyer {

		@PreDestroy
		@RateLimited(limit = 1, window = "1m")
		public void destroy() {
		}

	}

	static class InitializedBean implements InitializingBean {

		@Override
		@RateLimited(limit = 1, window = "1m")
		public void afterPropertiesSet() {
		}

	}

	@Controller
	static class ErrorHandler {

		@ExceptionHandler(IllegalStateException.class)
		@RateLimited(limit = 1, window = "1m")
		public void handle() {
		}

	}

	@Configuration
	static class AnnotatedBeanMethod {

		@Bean
		@RateLimited(limit = 1, window = "1m")
		List<String> texts() {
			return List.of();
		}

	}

	static class AnnotatedOffInterface implements Runnable {

		@RateLimited(limit = 1, window = "1m")
		public void method() {
		}

		@Override
		public void run() {
		}

	}

	static final class FinalOffInterface extends AnnotatedOffInterface {

	}

	@RateLimited(limit = 1, window = "1m")
	static class FinalMethod {

		public final void method() {
		}

	}

	static class InheritsFinalMethod extends FinalMethod {

	}

	static class Limited {

		@GetMapping("/")
		@RateLimited(limit = 1, window = "1m", key = "#user")
		public String limited(String user) {
			return user;
		}

	}

	@RestController
	static final class Final extends Limited {

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
	static class PrivateMaking extends Limited {

		private PrivateMaking() {
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
	static class WithPrivate extends Limited {

		@GetMapping("/hidden")
		@SuppressWarnings("unused")
		private String hidden() {
			return "";
		}

	}

	@RestController
	static class WithFinal extends Limited {

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

}
