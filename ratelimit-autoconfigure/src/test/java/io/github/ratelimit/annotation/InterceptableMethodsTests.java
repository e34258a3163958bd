package io.github.ratelimit.annotation;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitExceededException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Annotations where no proxy can enforce them fail start-up; all others are enforced.
 */
class InterceptableMethodsTests {

	private final ApplicationContextRunner runner = LimitedBeans.runner();

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

}
