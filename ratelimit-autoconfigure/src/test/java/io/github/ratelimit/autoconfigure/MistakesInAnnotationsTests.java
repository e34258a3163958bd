package io.github.ratelimit.autoconfigure;

import java.util.List;

import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.annotation.RateLimited;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Easy mistakes in {@code @RateLimited}, on the type of a bean.
 */
class MistakesInAnnotationsTests {

	@ParameterizedTest
	@MethodSource("mistakes")
	void mistakeIsNamedWithItsMethod(Class<?> bean, String mistake, String action) {
		FailedStart failed = FailedStart.ofServer("""
				ratelimit.policies.login.limits:
				  - { limit: 5, window: 1m }
				""", bean);
		assertThat(failed.description()).isEqualTo("@RateLimited on " + bean.getSimpleName() + ".method() " + mistake);
		assertThat(failed.action()).contains(action);
	}

	static List<Arguments> mistakes() {
		return List.of(
				arguments(UnknownPolicy.class, "names the policy 'lgoin', which does not exist.",
						"Did you mean 'login'?"),
				arguments(NoWindow.class, "has no window.", "limit = 100, window ="),
				arguments(Nothing.class, "has no limit.", "@RateLimited(\"login\")"),
				arguments(UnreadableWindow.class, "has a window that is not a number with a unit: 'minute'.",
						"500ms, 10s"),
				arguments(LongWindow.class, "is not possible: window = 40 d is out of range.", "1ms to 31d"),
				arguments(UnusedNumber.class,
						"is not possible: burst = 9 is not used by the algorithm FIXED_WINDOW_COUNTER.",
						"Remove burst"),
				arguments(UnknownPlaceholder.class,
						"has a window with a placeholder that nothing resolves: '${no.such.window}'.",
						"${search.window:1m}"),
				arguments(LimitTwice.class, "has both limit and limitString.", "Remove limit, or limitString."),
				arguments(UnknownLimit.class,
						"has a limitString with a placeholder that nothing resolves: '${no.such.limit}'.",
						"${search.limit:100}"),
				arguments(UnreadableLimit.class,
						"has a limitString that is not a whole number, or too large: '${java.specification.name}', "
								+ "which is 'Java Platform API Specification'.",
						"in digits only"),
				arguments(PolicyAndMode.class,
						"names the policy 'login' and has a mode, which only the policy itself can have.",
						"set ratelimit.policies.login.mode to shadow"),
				arguments(PolicyAndNumbers.class,
						"names the policy 'login' and has a name, an algorithm or numbers of its own.", "Remove"),
				arguments(FinalMethod.class, "would have no effect, because a proxy cannot intercept a final method.",
						"Make it a public method"),
				arguments(PrivateMethod.class,
						"would have no effect, because a proxy cannot intercept a private method.",
						"Make it a public method"),
				arguments(StaticMethod.class, "would have no effect, because a proxy cannot intercept a static method.",
						"Make it a public method"),
				arguments(FinalClass.class,
						"would have no effect, because a proxy cannot intercept a method of a final class.",
						"Make it a public method"));
	}

	static class UnknownPolicy {

		@RateLimited("lgoin")
		public void method() {
		}

	}

	static class NoWindow {

		@RateLimited(limit = 5)
		public void method() {
		}

	}

	static class Nothing {

		@RateLimited
		public void method() {
		}

	}

	static class UnreadableWindow {

		@RateLimited(limit = 5, window = "minute")
		public void method() {
		}

	}

	static class LongWindow {

		@RateLimited(limit = 5, window = "40d")
		public void method() {
		}

	}

	static class LimitTwice {

		@RateLimited(limit = 5, limitString = "5", window = "1m")
		public void method() {
		}

	}

	static class UnknownLimit {

		@RateLimited(limitString = "${no.such.limit}", window = "1m")
		public void method() {
		}

	}

	static class UnreadableLimit {

		@RateLimited(limitString = "${java.specification.name}", window = "1m")
		public void method() {
		}

	}

	static class PolicyAndMode {

		@RateLimited(policy = "login", mode = RateLimitMode.SHADOW)
		public void method() {
		}

	}

	static class UnusedNumber {

		@RateLimited(algorithm = FIXED_WINDOW_COUNTER, limit = 5, window = "1m", burst = 9)
		public void method() {
		}

	}

	static class UnknownPlaceholder {

		@RateLimited(limit = 5, window = "${no.such.window}")
		public void method() {
		}

	}

	static class PolicyAndNumbers {

		@RateLimited(policy = "login", limit = 5, window = "1m")
		public void method() {
		}

	}

	static class FinalMethod {

		@RateLimited("login")
		public final void method() {
		}

	}

	static class PrivateMethod {

		@RateLimited("login")
		private void method() {
		}

	}

	static class StaticMethod {

		@RateLimited("login")
		public static void method() {
		}

	}

	static final class FinalClass {

		@RateLimited("login")
		public void method() {
		}

	}

}
