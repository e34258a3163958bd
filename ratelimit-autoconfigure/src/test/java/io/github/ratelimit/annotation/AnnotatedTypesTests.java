package io.github.ratelimit.annotation;

import java.util.List;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimiterRegistry;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.BeanNameAware;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.RestControllerAdvice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Which methods an annotation on a type covers.
 */
class AnnotatedTypesTests {

	private final Catalogue catalogue = new Catalogue();

	private final ApplicationContextRunner runner = LimitedBeans.runner();

	@ParameterizedTest
	@ValueSource(
			strings = { "publicMethod", "protectedMethod", "packageMethod", "inherited", "ofInterface", "started" })
	void annotationOnABeansTypeCoversWhatAProxyCanIntercept(String method) {
		assertThat(this.catalogue.names(Service.class, method)).containsExactly("Service");
	}

	@ParameterizedTest
	@ValueSource(strings = { "privateMethod", "staticMethod", "toString", "initialize", "close", "destroy", "inject",
			"onEvent", "afterPropertiesSet", "setBeanName", "start", "stop", "isRunning", "getPhase",
			"onApplicationEvent" })
	void callbacksAndWhatNoProxyInterceptsAreNotCovered(String method) {
		assertThat(this.catalogue.names(Service.class, method)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "handler", "privateHandler", "staticHandler", "modelHandler" })
	void annotationOnAControllerCoversItsHandlers(String method) {
		assertThat(this.catalogue.names(Pages.class, method)).containsExactly("Pages");
	}

	@ParameterizedTest
	@ValueSource(strings = { "helper", "model", "error", "onEvent" })
	void annotationOnAControllerCoversNothingElse(String method) {
		assertThat(this.catalogue.names(Pages.class, method)).isEmpty();
	}

	@Test
	void methodsOwnAnnotationHoldsForACallbackOfAHandler() {
		assertThat(this.catalogue.names(Own.class, "model")).containsExactly("Own.model");
	}

	@Test
	void methodsOfAnyVisibilityShareTheBudgetOfTheirType() {
		this.runner.withBean(Shared.class).run((context) -> {
			Shared shared = context.getBean(Shared.class);
			shared.packageMethod();
			shared.protectedMethod();
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(shared::publicMethod);
			shared.onEvent(new ContextRefreshedEvent(context));
		});
	}

	@Test
	void methodsOffTheInterfaceAreNotMeantWhereProxiesAreMadeOfInterfaces() {
		this.runner.withPropertyValues("spring.aop.proxy-target-class=false")
			.withBean("runnable", Runnable.class, OffInterface::new)
			.run((context) -> {
				Runnable runnable = context.getBean(Runnable.class);
				runnable.run();
				assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(runnable::run);
				assertThat(context.getBean(RateLimiterRegistry.class).policy("OffInterface").appliedTo())
					.containsExactly("OffInterface.run()");
			});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			NoHandler           |                 | limits nothing, because there is no handler method
			Advice              |                 | limits nothing, because there is no method but callbacks
			Beans               |                 | limits nothing, because there is no method but callbacks
			OnlyCallbacks       |                 | limits nothing, because there is no method but callbacks
			Initializer         | initialize      | would have no effect, because Spring calls the method on the bean
			Destroyer           | destroy         | would have no effect, because Spring calls the method on the bean
			InitializedBean     | afterPropertiesSet | would have no effect, because Spring calls the method on the bean
			ErrorHandler        | handle          | would replace the error that the method handles by another
			AnnotatedBeanMethod | texts           | would have no effect, because it limits how often the bean is made
			""")
	void annotationThatHasNoEffectOrTheWrongOneFailsStartUp(String type, String method, String mistake)
			throws ClassNotFoundException {
		String place = (method != null) ? type + "." + method + "()" : type;
		this.runner.withUserConfiguration(Class.forName(getClass().getName() + "$" + type))
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidRateLimitException.class)
				.hasMessageStartingWith("@RateLimited on " + place + " " + mistake));
	}

	interface Contract {

		default void ofInterface() {
		}

	}

	static class Base {

		public void inherited() {
		}

	}

	@RateLimited(limit = 5, window = "1s")
	static class Service extends Base implements Contract, InitializingBean, BeanNameAware, SmartLifecycle,
			ApplicationListener<ContextRefreshedEvent>, AutoCloseable {

		public void publicMethod() {
		}

		@Override
		public void ofInterface() {
		}

		@Override
		public void inherited() {
		}

		protected void protectedMethod() {
		}

		void packageMethod() {
		}

		public void started() {
		}

		@SuppressWarnings("unused")
		private void privateMethod() {
		}

		static void staticMethod() {
		}

		@PostConstruct
		void initialize() {
		}

		@PreDestroy
		void destroy() {
		}

		@Autowired
		void inject(Environment environment) {
		}

		@EventListener
		void onEvent(ContextRefreshedEvent event) {
		}

		@Override
		public String toString() {
			return "service";
		}

		@Override
		public void afterPropertiesSet() {
		}

		@Override
		public void setBeanName(String name) {
		}

		@Override
		public void start() {
		}

		@Override
		public void stop() {
		}

		@Override
		public boolean isRunning() {
			return false;
		}

		@Override
		public int getPhase() {
			return 0;
		}

		@Override
		public void onApplicationEvent(ContextRefreshedEvent event) {
		}

		@Override
		public void close() {
		}

	}

	@Controller
	@RateLimited(limit = 5, window = "1s")
	static class Pages {

		@GetMapping("/")
		public void handler() {
		}

		@GetMapping("/private")
		@SuppressWarnings("unused")
		private void privateHandler() {
		}

		@GetMapping("/static")
		static void staticHandler() {
		}

		@GetMapping("/model")
		@ModelAttribute("name")
		String modelHandler() {
			return "";
		}

		public void helper() {
		}

		@ModelAttribute
		public void model() {
		}

		@ExceptionHandler
		public void error(IllegalStateException ex) {
		}

		@EventListener
		public void onEvent(ContextRefreshedEvent event) {
		}

	}

	@Controller
	static class Own {

		@ModelAttribute
		@RateLimited(limit = 5, window = "1s")
		public void model() {
		}

	}

	@RateLimited(limit = 2, window = "1m")
	static class Shared {

		public void publicMethod() {
		}

		protected void protectedMethod() {
		}

		void packageMethod() {
		}

		@EventListener
		void onEvent(ContextRefreshedEvent event) {
		}

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

}
