package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;

import io.github.ratelimit.RateLimitExceededException;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.BeanNameAware;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationListener;
import org.springframework.context.Phased;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Which methods an annotation on a type covers.
 */
class CoveredMethodsTests {

	private final Catalogue catalogue = new Catalogue();

	private final ApplicationContextRunner runner = LimitedBeans.runner();

	@Test
	void annotationOnABeansTypeCoversWhatAProxyCanInterceptAndNoCallback() {
		assertThat(covered(Service.class, "Service")).containsExactlyInAnyOrder("publicMethod", "protectedMethod",
				"packageMethod", "inherited", "ofInterface", "started");
	}

	@Test
	void annotationOnABeansTypeCoversNoCallbackOfAnInterfaceThatAnotherExtends() {
		assertThat(covered(Indirect.class, "Indirect")).containsExactly("work");
		assertThat(this.catalogue.names(Indirect.class, "close")).isEmpty();
	}

	@Test
	void annotationOnAControllerCoversItsHandlersAndNothingElse() {
		assertThat(covered(Pages.class, "Pages")).containsExactlyInAnyOrder("handler", "privateHandler",
				"staticHandler", "modelHandler");
	}

	private List<String> covered(Class<?> type, String policy) {
		return Arrays.stream(type.getDeclaredMethods())
			.map(Method::getName)
			.filter((method) -> this.catalogue.names(type, method).equals(List.of(policy)))
			.toList();
	}

	@Test
	void methodsOwnAnnotationHoldsForACallbackOfAHandler() {
		assertThat(this.catalogue.names(Own.class, "model")).containsExactly("Own.model");
	}

	@Test
	void methodsOfAnyVisibilityShareTheBudgetOfTheirTypeOrHaveTheirOwn() {
		this.runner.withBean(Shared.class).run((context) -> {
			Shared shared = context.getBean(Shared.class);
			shared.packageMethod();
			shared.protectedMethod();
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(shared::publicMethod);
			shared.onEvent(new ContextRefreshedEvent(context));
			LimitedServices.assertLimited(shared::ownPackageMethod);
			LimitedServices.assertLimited(shared::ownProtectedMethod);
		});
	}

	interface Worker extends Phased {

		void work();

	}

	interface Listener extends ApplicationListener<ContextRefreshedEvent> {

	}

	interface Resource extends AutoCloseable {

		@Override
		void close();

	}

	static class Closed {

		public void close() {
		}

	}

	@RateLimited(limit = 5, window = "1s")
	static class Indirect extends Closed implements Worker, Listener, Resource {

		@Override
		public void work() {
		}

		@Override
		public int getPhase() {
			return 0;
		}

		@Override
		public void onApplicationEvent(ContextRefreshedEvent event) {
		}

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

		@RateLimited(limit = 1, window = "1m")
		void ownPackageMethod() {
		}

		@RateLimited(limit = 1, window = "1m")
		protected void ownProtectedMethod() {
		}

		@EventListener
		void onEvent(ContextRefreshedEvent event) {
		}

	}

}
