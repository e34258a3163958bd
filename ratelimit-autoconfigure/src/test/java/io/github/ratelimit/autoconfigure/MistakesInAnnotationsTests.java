package io.github.ratelimit.autoconfigure;

import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.util.List;

import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.annotation.RateLimited;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import net.bytebuddy.implementation.StubMethod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.util.StringUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Easy mistakes in {@code @RateLimited}, and in its keys, costs, conditions and charges.
 */
class MistakesInAnnotationsTests {

	private static final String LOGIN = "ratelimit.policies.login.limits: [{ limit: 5, window: 1m }]";

	@ParameterizedTest
	@MethodSource("mistakes")
	void mistakeIsNamedWithItsMethod(String mistake, String description, String action) throws Exception {
		FailedStart failed = FailedStart.ofServer(LOGIN, beanWith(Mistakes.class.getMethod(mistake)));
		assertThat(failed.description()).contains(" " + StringUtils.capitalize(mistake) + ".method(String) ")
			.contains(description);
		assertThat(failed.action()).contains(action);
	}

	/**
	 * A start ends at the first mistake, so that each needs a bean of its own.
	 */
	private static Class<?> beanWith(Method annotated) throws Exception {
		return new ByteBuddy().subclass(Object.class)
			.name(Mistakes.class.getPackageName() + "." + StringUtils.capitalize(annotated.getName()))
			.defineMethod("method", void.class, Visibility.PUBLIC)
			.withParameter(String.class, "tenant")
			.intercept(StubMethod.INSTANCE)
			.annotateMethod(annotated.getAnnotations())
			.make()
			.load(Mistakes.class.getClassLoader(), ClassLoadingStrategy.UsingLookup.of(MethodHandles.lookup()))
			.getLoaded();
	}

	static List<Arguments> mistakes() {
		return List.of(
				arguments("unknownPolicy", "names the policy 'lgoin', which does not exist.",
						"Did you mean 'login'? Add ratelimit.policies.lgoin to application.yml"),
				arguments("noWindow", "has no window.", "limit = 100, window ="),
				arguments("nothing", "has no limit.", "@RateLimited(\"login\")"),
				arguments("unreadableWindow", "has a window that is not a number with a unit: 'minute'.", "500ms, 10s"),
				arguments("longWindow", "is not possible: window = 40 d is out of range.", "1ms to 31d"),
				arguments("unusedNumber",
						"is not possible: burst = 9 is not used by the algorithm FIXED_WINDOW_COUNTER.",
						"Remove burst"),
				arguments("unknownPlaceholder",
						"has a window with a placeholder that nothing resolves: '${no.such.window}'.",
						"${search.window:1m}"),
				arguments("limitTwice", "has both limit and limitString.", "Remove limit, or limitString."),
				arguments("unknownLimit",
						"has a limitString with a placeholder that nothing resolves: '${no.such.limit}'.",
						"${search.limit:100}"),
				arguments("unreadableLimit",
						"has a limitString that is not a whole number, or too large: '${java.specification.name}', "
								+ "which is 'Java Platform API Specification'.",
						"in digits only"),
				arguments("policyAndMode",
						"names the policy 'login' and has a mode, which only the policy itself can have.",
						"set ratelimit.policies.login.mode to shadow"),
				arguments("policyAndNumbers",
						"names the policy 'login' and has a name, an algorithm or numbers of its own.", "Remove"),
				arguments("unknownParameter", "The key expression '#tennant'", "Did you mean 'tenant'?"),
				arguments("unknownBean", "The key expression '@tenants'", "Declare a bean of that name."),
				arguments("textualCost", "The cost expression ''two''", "Write a whole number from 1"),
				arguments("blankKey", "@RateLimited on BlankKey.method(String) is not possible: key = \" \" is blank.",
						"Remove it"),
				arguments("blankKeyOfAPolicy", "The key expression ' '", "Remove it"),
				arguments("noCost", "The cost expression '0'", "Write a whole number from 1"),
				arguments("brokenCondition", "The condition expression '1 +'", "Write a SpEL expression"),
				arguments("numericCondition", "The condition expression '1'", "Write an expression that is true or"));
	}

	@ParameterizedTest
	@CsvSource({ "FinalMethod, a final method", "PrivateMethod, a private method", "StaticMethod, a static method",
			"FinalClass, a method of a final class" })
	void methodThatNoProxyInterceptsIsNamed(String bean, String what) throws Exception {
		FailedStart failed = FailedStart.ofServer(LOGIN, Class.forName(getClass().getName() + "$" + bean));
		assertThat(failed.description()).isEqualTo("@RateLimited on " + bean
				+ ".method() would have no effect, because a proxy cannot intercept " + what + ".");
		assertThat(failed.action()).contains("Make it a public method");
	}

	@Test
	void aResultThatNoProxySeesIsAMistake() {
		FailedStart failed = FailedStart.ofServer(LOGIN, FinalController.class);
		assertThat(failed.description()).startsWith("@RateLimited on FinalController.method(String) needs a proxy, "
				+ "because its charge reads the result, and a proxy cannot intercept ");
		assertThat(failed.action()).contains("Use a charge that reads status or exception");
	}

	interface Mistakes {

		@RateLimited("lgoin")
		void unknownPolicy();

		@RateLimited(limit = 5)
		void noWindow();

		@RateLimited
		void nothing();

		@RateLimited(limit = 5, window = "minute")
		void unreadableWindow();

		@RateLimited(limit = 5, window = "40d")
		void longWindow();

		@RateLimited(limit = 5, limitString = "5", window = "1m")
		void limitTwice();

		@RateLimited(limitString = "${no.such.limit}", window = "1m")
		void unknownLimit();

		@RateLimited(limitString = "${java.specification.name}", window = "1m")
		void unreadableLimit();

		@RateLimited(policy = "login", mode = RateLimitMode.SHADOW)
		void policyAndMode();

		@RateLimited(algorithm = FIXED_WINDOW_COUNTER, limit = 5, window = "1m", burst = 9)
		void unusedNumber();

		@RateLimited(limit = 5, window = "${no.such.window}")
		void unknownPlaceholder();

		@RateLimited(policy = "login", limit = 5, window = "1m")
		void policyAndNumbers();

		@RateLimited(limit = 5, window = "1m", key = "#tennant")
		void unknownParameter();

		@RateLimited(limit = 5, window = "1m", key = "@tenants")
		void unknownBean();

		@RateLimited(limit = 5, window = "1m", cost = "'two'")
		void textualCost();

		@RateLimited(limit = 5, window = "1m", key = " ")
		void blankKey();

		@RateLimited(policy = "login", key = " ")
		void blankKeyOfAPolicy();

		@RateLimited(limit = 5, window = "1m", cost = "0")
		void noCost();

		@RateLimited(limit = 5, window = "1m", condition = "1 +")
		void brokenCondition();

		@RateLimited(limit = 5, window = "1m", condition = "1")
		void numericCondition();

	}

	@RestController
	static final class FinalController {

		@GetMapping("/final")
		@RateLimited(limit = 1, window = "1m", charge = "result")
		public long method(String tenant) {
			return 1;
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
