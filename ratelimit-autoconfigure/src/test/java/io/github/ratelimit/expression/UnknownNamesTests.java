package io.github.ratelimit.expression;

import java.util.List;

import io.github.ratelimit.InvalidRateLimitException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

/**
 * Names that mean nothing are found wherever they stand in an expression, and at once.
 */
class UnknownNamesTests {

	private final Bindings bindings = new Bindings().withBean("tenants", new Object());

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					clientAdress                   | reads 'clientAdress', which is not known              | Did you mean 'clientAddress'?
					#root.clientAdress             | reads 'clientAdress', which is not known              | Did you mean 'clientAddress'?
					#root.clientAdress.length()    | reads 'clientAdress', which is not known              | Did you mean 'clientAddress'?
					'a' + clientAdress             | reads 'clientAdress', which is not known              | Did you mean 'clientAddress'?
					header(clientAdress)           | reads 'clientAdress', which is not known              | Did you mean 'clientAddress'?
					#items.get(clientAdress)       | reads 'clientAdress', which is not known              | Did you mean 'clientAddress'?
					#items[clientAdress.length()]  | reads 'clientAdress', which is not known              | Did you mean 'clientAddress'?
					#items[pth + 1]                | reads 'pth', which is not known                       | Did you mean 'path'?
					request[remoteUser]            | reads 'remoteUser', which is not known                | A literal text needs single quotes.
					#root[remoteUser].length()     | reads 'remoteUser', which is not known                | A literal text needs single quotes.
					user                           | reads 'user', which is not known                      | A parameter is written #name.
					haeder('X')                    | calls 'haeder', which is not known                    | Did you mean 'header'?
					cokie('X')                     | calls 'cokie', which is not known                     | Did you mean 'cookie'?
					parametr('X')                  | calls 'parametr', which is not known                  | Did you mean 'parameter'?
					claims('sub')                  | calls 'claims', which is not known                    | Did you mean 'claim'?
					claim                          | reads 'claim', which is not known                     | claim('…')
					#usr                           | reads '#usr', which is not a parameter of the method  | Did you mean 'user'?
					#p2                            | reads '#p2', which is not a parameter of the method   | Its parameters are #user, #items,
					#items.?[#this == #usr]        | reads '#usr', which is not a parameter of the method  | Did you mean 'user'?
					#items.![@tenant.of(#this)]    | names the bean 'tenant', which does not exist         | Did you mean 'tenants'?
					header(@tenant)                | names the bean 'tenant', which does not exist         | Did you mean 'tenants'?
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
	@ValueSource(strings = { "#items.?[length() > 2]", "#items.![tenant]", "principal.tenant", "principal.tenant.id",
			"#root.target.tenant", "#items[name]", "@tenants.of(1).anything", "T(java.lang.Math).abs(1)",
			"new String('a')", "#items.^[#this.foo]", "(#items).bar" })
	void nameOnWhatIsNotKnownYetIsLeftToTheCall(String key) {
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
	void failureOfACallBringsNoLineOfTheClientsIntoTheLog() {
		String forged = "1\r\n2026-11-21 INFO all is well\u001b[2J" + "x".repeat(10_000);
		PolicyBinding binding = this.bindings.key("#items[#user]");
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> Bindings.keyOf(binding, null, forged, List.of()))
			.withMessageContaining("?[2Jxxx")
			.withNoCause()
			.extracting(Throwable::getMessage)
			.satisfies((message) -> assertThat(message).doesNotContainPattern("\\p{Cntrl}").hasSizeLessThan(500));
	}

}
