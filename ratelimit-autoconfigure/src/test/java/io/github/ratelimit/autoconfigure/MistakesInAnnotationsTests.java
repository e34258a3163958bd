package io.github.ratelimit.autoconfigure;

import java.lang.invoke.MethodHandles;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.annotation.WrittenAnnotation;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import net.bytebuddy.implementation.StubMethod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Easy mistakes in {@code @RateLimited}, and in its keys, costs, conditions and charges.
 */
class MistakesInAnnotationsTests {

	private static final String LOGIN = "ratelimit.policies.login.limits: [{ limit: 5, window: 1m }]";

	private static final AtomicInteger mistakes = new AtomicInteger();

	/*
	 * A start ends at the first mistake, so that each needs a bean of its own.
	 */
	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					value=lgoin                       | names the policy 'lgoin', which does not exist. | Did you mean 'login'? Add ratelimit.policies.lgoin to application.yml
					limit=5                           | has no window.                                  | limit = 100, window =
					""                                | has no limit.                                   | @RateLimited("login")
					limit=5, window=40d               | is not possible: window = 40 d is out of range. | 1ms to 31d
					limit=5, window=1m, maxWait=2     | has a maxWait that is not a number with a unit: '2' | Write a number and a unit
					limit=5, window=1m, maxWait=2s, algorithm=SLIDING_WINDOW_LOG, countRejected=true | is not possible: maxWait = 2 s cannot be used with countRejected | Remove maxWait, or countRejected.
					limit=5, window=1m, maxWait=2s, algorithm=LEAKY_BUCKET | is not possible: maxWait = 2 s has no effect on a leaky bucket | or use TOKEN_BUCKET.
					policy=login, maxWait=2s          | names the policy 'login' and has what only the policy can have: [maxWait]. | ratelimit.policies.login
					window=1m, limitString=${java.specification.name} | has a limitString that is not a whole number, or too large: '${java.specification.name}', which is 'Java Platform API Specification'. | in digits only
					limit=5, window=1m, name=${n:api} | has the name '${n:api}', in which no placeholder is replaced. | Write the name itself
					policy=${p:login}                 | names the policy '${p:login}', in which no placeholder is replaced. | Write the name itself
					policy=login, mode=SHADOW         | names the policy 'login' and has what only the policy can have: [mode]. | ratelimit.policies.login
					policy=login, limit=5, window=1m  | names the policy 'login' and has what only the policy can have: [limit, window]. | Remove
					limit=5, window=1m, key=#tennant  | The key expression '#tennant'                   | Did you mean 'tenant'?
					limit=5, window=1m, key=@tenants  | The key expression '@tenants'                   | Declare a bean of that name.
					"limit=5, window=1m, key= "       | is not possible: key = " " is blank. | Remove it
					"policy=login, key= "             | The key expression ' '                          | Remove it
					limit=5, window=1m, cost='two'    | The cost expression ''two''                     | Write a whole number from 1
					limit=5, window=1m, cost=0        | The cost expression '0'                         | Write a whole number from 1
					limit=5, window=1m, cost=6        | The cost expression '6'                         | Write a cost from 1 to 5
					limit=5, window=1m, key=#{tenant} | The key expression '#{tenant}'                  | such as tenant.
					limit=5, window=1m, condition=1 + | The condition expression '1 +'                  | Write a SpEL expression
					limit=5, window=1m, condition=1   | The condition expression '1'                    | Write true or false, or
					""")
	void mistakeIsNamedWithItsMethod(String written, String description, String action) {
		Class<?> mistaken = mistaken(WrittenAnnotation.of(written));
		FailedStart failed = FailedStart.ofServer(LOGIN, mistaken);
		assertThat(failed.description()).contains(" " + mistaken.getSimpleName() + ".method(String) ")
			.contains(description);
		assertThat(failed.action()).contains(action);
	}

	/* Of no file, so that no other test scans it. */
	private Class<?> mistaken(RateLimited written) {
		return new ByteBuddy().subclass(Object.class)
			.name(getClass().getPackageName() + ".Mistaken" + mistakes.incrementAndGet())
			.defineMethod("method", void.class, Visibility.PUBLIC)
			.withParameter(String.class, "tenant")
			.intercept(StubMethod.INSTANCE)
			.annotateMethod(written)
			.make()
			.load(getClass().getClassLoader(), ClassLoadingStrategy.UsingLookup.of(MethodHandles.lookup()))
			.getLoaded();
	}

	/*
	 * Spring itself finds it, and says it in one sentence.
	 */
	@Test
	void attributesThatContradictEachOtherAreNamed() {
		Map<String, Object> written = Map.of("annotationType", RateLimited.class, "value", "logim", "policy", "login");
		RateLimited contradictory = (RateLimited) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { RateLimited.class },
				(proxy, method, arguments) -> written.getOrDefault(method.getName(), method.getDefaultValue()));
		FailedStart failed = FailedStart.ofServer(LOGIN, mistaken(contradictory));
		assertThat(failed.description()).contains("annotation [" + RateLimited.class.getName() + "]",
				"attribute 'policy' and its alias 'value' are declared with values of [login] and [logim]");
		assertThat(failed.action()).startsWith("Correct the annotation");
	}

	@ParameterizedTest
	@CsvSource({ "FinalMethod, a final method", "PrivateMethod, a private method", "StaticMethod, a static method",
			"FinalClass, 'a method of a class that is final, sealed or has only private constructors'" })
	void methodThatNoProxyInterceptsIsNamed(String bean, String what) throws Exception {
		FailedStart failed = FailedStart.ofServer(LOGIN, Class.forName(getClass().getName() + "$" + bean));
		assertThat(failed.description()).isEqualTo("@RateLimited on " + bean
				+ ".method() would have no effect, because a proxy cannot intercept " + what + ".");
		assertThat(failed.action()).contains("Make it a public method");
	}

	@Test
	void aResultThatNoProxySeesIsAMistake() {
		FailedStart failed = FailedStart.ofServer(LOGIN, FinalController.class);
		assertThat(failed.description()).startsWith("@RateLimited on FinalController.method(String) needs a proxy "
				+ "for what its expressions read of the call, and a proxy cannot intercept ");
		assertThat(failed.action()).contains("read neither arguments nor the result");
	}

	@Test
	void aPathVariableThatNoPathOfAHandlerHasIsNamed() {
		FailedStart failed = FailedStart.ofServer(LOGIN, MistakenHandler.class);
		assertThat(failed.description()).isEqualTo("The key expression 'pathVariable('idd')' of MistakenHandler.get() "
				+ "reads pathVariable('idd'), which the paths '/{shop}/p', '/{shop}/p/{id}' do not have.");
		assertThat(failed.action()).isEqualTo("Did you mean 'id'? Known: 'id', 'shop'.");
	}

	@Test
	void aPathVariableOfAnyPathOfAHandlerIsNoMistake() {
		new WebApplicationContextRunner().withUserConfiguration(FailedStart.Server.class, Handlers.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@RestController
	@RequestMapping("/{shop}/p")
	static class MistakenHandler {

		@GetMapping({ "", "/{id}" })
		@RateLimited(limit = 1, window = "1m", key = "pathVariable('idd')")
		public void get() {
		}

	}

	@RestController
	@RequestMapping("/{shop}/p")
	static class Handlers {

		@GetMapping({ "", "/{id:[a-z]{2}}" })
		@RateLimited(limit = 1, window = "1m", key = "pathVariable('id') ?: pathVariable('shop')")
		public void get() {
		}

		@GetMapping("/files/{*rest}")
		@RateLimited(limit = 1, window = "1m", key = "pathVariable('rest')", condition = "pathVariable(path) == null")
		public void file() {
		}

		@GetMapping("/other")
		public void other() {
		}

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
