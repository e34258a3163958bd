package io.github.ratelimit.expression;

import java.lang.reflect.Method;
import java.util.Comparator;
import java.util.List;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.policy.AppliedLocation;
import kotlinx.coroutines.channels.SendChannel;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

/**
 * Expressions that no call can evaluate are found at once: names that mean nothing
 * wherever they stand, constants of the wrong type, and nothing else.
 */
class MistakenExpressionsTests {

	private final Bindings bindings = new Bindings().withBean("tenants", new Object());

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', commentCharacter = '~',
			textBlock = """
					clientAdress                   | reads 'clientAdress', which is not known              | Did you mean 'clientAddress'?
					#root.clientAdress             | reads 'clientAdress', which is not known              | Did you mean 'clientAddress'?
					header(clientAdress)           | reads 'clientAdress', which is not known              | Did you mean 'clientAddress'?
					#items.get(clientAdress)       | reads 'clientAdress', which is not known              | Did you mean 'clientAddress'?
					#items[pth + 1]                | reads 'pth', which is not known                       | Did you mean 'path'?
					user                           | reads 'user', which is not known                      | A parameter is written #name.
					remoteAddress                  | reads 'remoteAddress', which is not known             | Write clientAddress.
					#root.ip                       | reads 'ip', which is not known                        | Write clientAddress.
					haeder('X')                    | calls 'haeder', which is not known                    | Did you mean 'header'?
					claims('sub')                  | calls 'claims', which is not known                    | Did you mean 'claim'?
					claim                          | reads 'claim', which is not known                     | claim('…')
					#usr                           | reads '#usr', which is not a parameter of the method  | Did you mean 'user'?
					#p2                            | reads '#p2', which is not a parameter of the method   | Its parameters are #user, #items,
					#items.?[#this == #usr]        | reads '#usr', which is not a parameter of the method  | Did you mean 'user'?
					#items.![@tenant.of(#this)]    | names the bean 'tenant', which does not exist         | Did you mean 'tenants'?
					#lower(#user)                  | calls '#lower(#user)', which is not known             | @bean.method(…)
					""")
	void nameIsUnknown(String key, String reason, String action) {
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> this.bindings.key(key))
			.withMessage("The key expression '" + key + "' of Service.call() " + reason)
			.asInstanceOf(type(InvalidRateLimitException.class))
			.extracting(InvalidRateLimitException::action)
			.asString()
			.contains(action);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', commentCharacter = '~', textBlock = """
			#user.toUpperCase(1, 2)          | toUpperCase(1,2)      | Write a method of String, such as trim()
			#user?.toLowerCase('tr', 'de')   | toLowerCase('tr','de') | Write a method of String, such as trim()
			#user.trim().tolowercase()       | tolowercase()         | Did you mean 'toLowerCase'? Write a method
			header('X').toUpperCase(1, 2)    | toUpperCase(1,2)      | Write a method of String
			#root.path.lenght()              | lenght()              | Did you mean 'length'? Write a method
			folded(parameter('n').trimmed()) | trimmed()             | Write a method of String
			session.getAttribute('cart')     | getAttribute('cart')  | Write a method of String
			""")
	void noTextHasTheMethod(String key, String call, String action) {
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> this.bindings.key(key))
			.withMessage("The key expression '" + key + "' of Service.call() calls '" + call
					+ "' of a text, which has no such method")
			.asInstanceOf(type(InvalidRateLimitException.class))
			.extracting(InvalidRateLimitException::action)
			.asString()
			.startsWith(action);
	}

	@ParameterizedTest
	@ValueSource(strings = { "#user.toLowerCase('tr')", "#user.toLowerCase(T(java.util.Locale).ROOT)",
			"#user.formatted('a', 1).repeat(2)", "'%s'.formatted(path)", "#user.formatted()", "path.getClass().name",
			"#items.![path.nothing()]", "#items.?[header('a').nothing()]", "principal.nothing()",
			"claim('a').nothing()", "#items[0].nothing()", "header('X').trim().nothing()" })
	void methodOfATextAndWhatMayBeOneOfSomethingElseAreLeftToTheCall(String key) {
		assertThatNoException().isThrownBy(() -> this.bindings.key(key));
	}

	@ParameterizedTest
	@ValueSource(strings = { "#items.?[length() > 2]", "#items.![tenant]", "principal.tenant", "principal.tenant.id",
			"#root.target.tenant", "#items[name]", "@tenants.of(1).anything", "T(java.lang.Math).abs(1)",
			"new String('a')", "#items.^[#this.foo]", "(#items).bar" })
	void nameOnWhatIsNotKnownYetIsLeftToTheCall(String key) {
		assertThatNoException().isThrownBy(() -> this.bindings.key(key));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', commentCharacter = '~',
			textBlock = """
					header()                       | calls 'header' with 0 arguments, but it takes one         | Write header('…').
					header('a', 'b')               | calls 'header' with 2 arguments, but it takes one         | Write header('…').
					#items.get(parameter())        | calls 'parameter' with 0 arguments, but it takes one      | Write parameter('…').
					folded()                       | calls 'folded' with 0 arguments, but it takes one         | Write folded(…).
					${shop.key:clientAddress}      | has a placeholder, which is replaced in properties only   | Write the expression itself
					header('${shop.field}') + ${a} | has a placeholder, which is replaced in properties only   | Write the expression itself
					'clientAddress'                | is a text in quotes, which is the same key for all        | Write clientAddress without the quotes
					'header(''X'')'                | is a text in quotes, which is the same key for all        | Write header('X') without the quotes
					'principal.name'               | is a text in quotes, which is the same key for all        | Write principal.name without the quotes
					'#user'                        | is a text in quotes, which is the same key for all        | Write #user without the quotes
					'@tenants.of(path)'            | is a text in quotes, which is the same key for all        | Write @tenants.of(path) without the quotes
					header('X') ?: 'clientAddress' | is a text in quotes, which is the same key for all        | Write clientAddress without the quotes
					""")
	void textDoesNotSayWhatIsMeant(String key, String reason, String action) {
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> this.bindings.key(key))
			.withMessage("The key expression '" + key + "' of Service.call() " + reason)
			.asInstanceOf(type(InvalidRateLimitException.class))
			.extracting(InvalidRateLimitException::action)
			.asString()
			.contains(action);
	}

	@ParameterizedTest
	@ValueSource(strings = { "'global'", "'path'", "'session'", "'api.v1'", "'it is (not) one'", "'#1'", "'#other'",
			"'a' + path", "''", "header('principal.name')", "'${user.name}'" })
	void textThatMayBeMeantIsAKeyForAll(String key) {
		assertThatNoException().isThrownBy(() -> this.bindings.key(key));
	}

	@Test
	void failureOfACallSaysWhichExpressionAndWhere() {
		PolicyBinding binding = this.bindings.key("#user.bytes.nothing");
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> Bindings.keyOf(binding, null, "ann", null))
			.withMessageStartingWith("The key expression '#user.bytes.nothing' of Service.call() failed: ");
	}

	@Test
	void failureOfACallDoesNotSayWhatAClientSent() {
		PolicyBinding binding = this.bindings.key("#items[#user]");
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> Bindings.keyOf(binding, null, "1\r\n2026-11-21 INFO forged", List.of()))
			.withMessageContaining("cannot convert from java.lang.String")
			.withMessageNotContaining("forged")
			.withNoCause();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', commentCharacter = '~', textBlock = """
			cost      | 0 0L 1-1 0.0 -0.0 -1 0-1 1/0 1.5 'two' null true
			condition | 1 'yes' 1+1
			charge    | 'x' null -1 0-1 1/0
			""")
	void whatIsCertainlyNoValueIsRejectedAtOnce(String purpose, String expressions) {
		for (String text : expressions.split(" ")) {
			assertThatExceptionOfType(InvalidRateLimitException.class).as(text)
				.isThrownBy(() -> bind(purpose, text))
				.withMessageContaining("The " + purpose + " expression '" + text + "' of Service.call()");
		}
	}

	@Test
	void aBlankExpressionIsRejected() {
		for (String purpose : List.of("key", "cost", "condition")) {
			assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> bind(purpose, "\t"))
				.withMessage("The " + purpose + " expression '\t' of Service.call() is blank");
		}
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> new PolicyBinder(this.bindings.beans(), null, "", new RateLimitFindings()))
			.withMessageContaining("is blank");
	}

	@ParameterizedTest
	@ValueSource(strings = { "status", "result", "exception", "authenticationFailed", "cancelled", "reserved",
			"elements", "charged", "usage" })
	void theOutcomeIsKnownToAChargeAlone(String name) {
		for (String text : List.of(name, "1 + " + name + ".x", "#root." + name + " == 1")) {
			for (String purpose : List.of("key", "cost", "condition")) {
				assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> bind(purpose, text))
					.withMessage("The " + purpose + " expression '" + text + "' of Service.call() reads '" + name
							+ "', which is known only when the call is over");
			}
		}
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> this.bindings.charge("statsu > 1"))
			.satisfies((ex) -> assertThat(ex.action()).contains("status", "authenticationFailed", "clientAddress"));
	}

	@Test
	void onlyTheCallOfAModelHasUsage() {
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> this.bindings.charge("usage.totalTokens"))
			.withMessage("The charge expression 'usage.totalTokens' of Service.call() reads 'usage', which only the "
					+ "call of a model has")
			.satisfies((ex) -> assertThat(ex.action()).contains("ratelimit.ai.policy", "ratelimit-spring-ai"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', commentCharacter = '~',
			textBlock = """
					charged | -        | charge-each 'charged'     | reads 'charged', which is known only
					status  | -        | charge-each 'status'      | reads 'status', which is known only
					-1      | -        | charge-each '-1'          | has the wrong type or range
					'one'   | -        | charge-each ''one''       | has the wrong type or range
					result  | status   | charge-each 'result'      | has no effect, because the charge 'status' does not read its sum
					-       | charged  | charge 'charged'          | reads 'charged', the sum of the charges for each element
					reslt   | charged  | charge-each 'reslt'       | reads 'reslt', which is not known
					""")
	void aChargeForEachElementIsMistaken(String each, String charge, String expression, String reason) {
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> this.bindings.chargeEach(orNull(each), orNull(charge)))
			.withMessageContaining(
					"The " + expression.replaceFirst(" ", " expression ") + " of Service.call() " + reason);
	}

	private static @Nullable String orNull(String text) {
		return text.equals("-") ? null : text;
	}

	private void bind(String purpose, String text) {
		switch (purpose) {
			case "key" -> this.bindings.key(text);
			case "cost" -> this.bindings.cost(text);
			case "condition" -> this.bindings.condition(text);
			default -> this.bindings.charge(text);
		}
	}

	@Test
	void aClassWithoutTheNamesOfItsParametersIsNamed() {
		Method compare = ClassUtils.getMethod(Comparator.class, "compare", (Class<?>[]) null);
		AppliedLocation place = new AppliedLocation("Comparator.compare()", "#left", null, null, null);
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> this.bindings.bind(place, compare, null))
			.withMessage(
					"The key expression '#left' of Comparator.compare() reads '#left', but the class Comparator was "
							+ "compiled without the names of parameters")
			.satisfies(
					(ex) -> assertThat(ex.action()).contains("-parameters", "maven.compiler.parameters=true", "#p0"));
		assertThatNoException().isThrownBy(() -> this.bindings
			.bind(new AppliedLocation("Comparator.compare()", "#p0", null, null, null), compare, null));
	}

	@Test
	void parametersOfASuspendingFunctionAreThoseThatAreWritten() {
		Method send = ClassUtils.getMethod(SendChannel.class, "send", (Class<?>[]) null);
		assertThat(ExpressionLocation.parameters(send)).containsOnly(entry("element", 0), entry("p0", 0),
				entry("a0", 0));
	}

}
