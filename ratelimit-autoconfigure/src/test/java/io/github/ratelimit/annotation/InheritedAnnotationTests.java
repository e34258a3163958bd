package io.github.ratelimit.annotation;

import io.github.ratelimit.InvalidRateLimitException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests which of several annotations holds that a method inherits, and that start-up
 * fails where one of them would not.
 */
class InheritedAnnotationTests {

	private final ApplicationContextRunner runner = LimitedBeans.runner();

	@ParameterizedTest
	@ValueSource(classes = { OfTwoInterfaces.class, OfInterfaceAndClass.class, OfOtherCode.class, OfTwoTypes.class,
			OfExtendedInterface.class })
	void inheritedAnnotationThatNothingReplacesFailsStartUpIfItWouldNotHold(Class<?> type) {
		this.runner.withBean(type)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidRateLimitException.class)
				.hasMessageContaining("would have no effect on " + type.getSimpleName()));
	}

	@ParameterizedTest
	@ValueSource(classes = { OfOwn.class, OfNearer.class, OfTwice.class })
	void inheritedAnnotationMayBeReplacedOrInheritedTwice(Class<?> type) {
		this.runner.withBean(type).run((context) -> assertThat(context).hasNotFailed());
	}

	interface Strict {

		@RateLimited(limit = 1, window = "1m")
		void login();

	}

	interface StrictToo extends Strict {

	}

	interface Nearer extends Strict {

		@Override
		@RateLimited(limit = 3, window = "1m")
		void login();

	}

	interface Lenient {

		@RateLimited(limit = 2, window = "1m")
		void login();

	}

	static class OfTwoInterfaces implements Lenient, Strict {

		@Override
		public void login() {
		}

	}

	static class OfExtendedInterface implements Lenient, StrictToo {

		@Override
		public void login() {
		}

	}

	static class LenientBase {

		@RateLimited(limit = 2, window = "1m")
		public void login() {
		}

	}

	static class OfInterfaceAndClass extends LenientBase implements Strict {

		@Override
		public void login() {
		}

	}

	static class Code {

		public void login() {
		}

	}

	static class OfOtherCode extends Code implements Strict {

	}

	@RateLimited(limit = 1, window = "1m")
	interface StrictType {

	}

	@RateLimited(limit = 2, window = "1m")
	interface LenientType {

	}

	static class OfTwoTypes implements LenientType, StrictType {

		public void login() {
		}

	}

	static class OfOwn extends LenientBase implements Strict, Lenient {

		@Override
		@RateLimited(limit = 3, window = "1m")
		public void login() {
		}

	}

	static class OfNearer implements Nearer, Strict {

		@Override
		public void login() {
		}

	}

	static class OfTwice implements Strict, StrictToo {

		@Override
		public void login() {
		}

	}

}
