package io.github.ratelimit.annotation;

import java.util.concurrent.CompletableFuture;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration;
import io.github.ratelimit.autoconfigure.RateLimitMethodAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Annotations where no proxy can enforce them, or only by holding a server's thread, end
 * the start; all others are enforced.
 */
class InterceptableMethodsTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(
			AutoConfigurations.of(RateLimitAutoConfiguration.class, RateLimitMethodAutoConfiguration.class));

	@ParameterizedTest
	@ValueSource(classes = { FinalMethod.class, PrivateMethod.class, StaticMethod.class, FinalClass.class,
			FinalMethodOfAnnotatedType.class, InheritsFinalMethod.class, OffInterface.class })
	void methodThatNoProxyCanInterceptFailsStartUp(Class<?> type) {
		this.runner.withBean(type)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidRateLimitException.class)
				.hasMessageContaining("@RateLimited on " + type.getSimpleName() + ".method() would have no effect"));
	}

	@Test
	void methodOnNoInterfaceFailsStartUpWhereProxiesAreMadeOfInterfaces() {
		this.runner.withPropertyValues("spring.aop.proxy-target-class=false")
			.withBean(Implementation.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("on none of the class' interfaces while spring.aop.proxy-target-class is false"));
	}

	@Test
	void methodsThatAreNotPublicAreLimitedWhereTheyAreAnnotatedThemselves() {
		this.runner.withBean(Hidden.class).run((context) -> {
			Hidden hidden = context.getBean(Hidden.class);
			hidden.packagePrivate();
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(hidden::packagePrivate);
			hidden.protectedMethod();
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(hidden::protectedMethod);
		});
	}

	@Test
	void handlerThatWouldHoldAThreadFailsStartUp() {
		this.runner.withBean(Waiting.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageStartingWith("@RateLimited on Waiting.handle(String) would hold a thread of the server"));
	}

	@Test
	void handlerThatWaitsOnAVirtualThreadMayHoldIt() {
		this.runner.withPropertyValues("spring.threads.virtual.enabled=true").withBean(Waiting.class).run((context) -> {
			if (Runtime.version().feature() >= 21) {
				assertThat(context).hasNotFailed();
			}
			else {
				assertThat(context).hasFailed();
			}
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { WaitingLater.class, NotWaiting.class, NeedsNoArgument.class, NoHandler.class })
	void handlerThatHoldsNoThreadIsLeftAlone(Class<?> type) {
		this.runner.withBean(type).run((context) -> assertThat(context).hasNotFailed());
	}

	static class FinalMethod {

		@RateLimited(limit = 1, window = "1m")
		public final void method() {
		}

	}

	static class PrivateMethod {

		@RateLimited(limit = 1, window = "1m")
		@SuppressWarnings("unused")
		private void method() {
		}

	}

	static class StaticMethod {

		@RateLimited(limit = 1, window = "1m")
		public static void method() {
		}

	}

	static final class FinalClass {

		@RateLimited(limit = 1, window = "1m")
		public void method() {
		}

	}

	@RateLimited(limit = 1, window = "1m")
	static class FinalMethodOfAnnotatedType {

		public final void method() {
		}

	}

	static class InheritsFinalMethod extends FinalMethod {

	}

	static final class OffInterface implements Runnable {

		@RateLimited(limit = 1, window = "1m")
		public void method() {
		}

		@Override
		public void run() {
		}

	}

	static class Implementation implements Runnable {

		@RateLimited(limit = 1, window = "1m")
		public void method() {
		}

		@Override
		public void run() {
		}

	}

	static class Hidden {

		@RateLimited(limit = 1, window = "1m")
		void packagePrivate() {
		}

		@RateLimited(limit = 1, window = "1m")
		protected void protectedMethod() {
		}

	}

	@RestController
	static class Waiting {

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "10s", burst = 1, key = "#user")
		@GetMapping("/")
		public void handle(String user) {
		}

	}

	@RestController
	static class WaitingLater {

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "10s", burst = 1, key = "#user")
		@GetMapping("/")
		public CompletableFuture<String> handle(String user) {
			return CompletableFuture.completedFuture(user);
		}

	}

	@RestController
	static class NotWaiting {

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "10s", burst = 1, nodelay = true,
				key = "#user")
		@GetMapping("/")
		public void handle(String user) {
		}

	}

	@RestController
	static class NeedsNoArgument {

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "10s", burst = 1,
				key = "header('X')")
		@GetMapping("/")
		public void handle(String user) {
		}

	}

	static class NoHandler {

		@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "10s", burst = 1, key = "#user")
		public void handle(String user) {
		}

	}

}
