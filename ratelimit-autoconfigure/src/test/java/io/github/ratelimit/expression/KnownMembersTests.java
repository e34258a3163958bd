package io.github.ratelimit.expression;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitExpression;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.util.ReflectionUtils;
import org.springframework.web.bind.annotation.RequestBody;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.mockito.Mockito.mock;

/**
 * What no value of an argument's type can have fails start-up, and nothing else does.
 */
class KnownMembersTests {

	private static final Method METHOD = ReflectionUtils.findMethod(KnownMembersTests.class, "call", Command.class,
			Login.class, Login.class, Map.class, Optional.class, String.class, Level.class, List.class);

	static void call(Command cmd, @RequestBody Login login, Login bound, Map<String, String> map,
			Optional<Command> optional, String text, Level level, List<Command> list) {
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			#cmd.userId.id                | reads 'id', which java.lang.String does not have
			#cmd.usrId                    | Did you mean 'userId'?
			#cmd?.usrId ?: 'x'            | Did you mean 'userId'?
			'a' + #cmd.usrId              | Did you mean 'userId'?
			header(#cmd.usrId)            | Did you mean 'userId'?
			#p0.userId().lenght()         | Did you mean 'length'?
			#cmd.tags.size().name         | reads 'name', which java.lang.Integer does not have
			#login.usrname                | Did you mean 'username'?
			#level.nam                    | Did you mean 'name'?
			#text.trim(1)                 | calls 'trim', which java.lang.String does not have
			#bound.name.foo               | reads 'foo', which java.lang.String does not have
			""")
	void memberThatNoValueHasIsAMistake(String expression, String message) {
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> read(expression))
			.satisfies((ex) -> org.assertj.core.api.Assertions.assertThat(ex.getMessage() + " " + ex.action())
				.contains(message));
	}

	@ParameterizedTest
	@ValueSource(strings = { "#cmd.userId", "#cmd.userId()", "#cmd.userId.bytes.length", "#cmd.userId.empty",
			"#cmd.tags[0].anything", "#cmd.tags.size()", "#cmd.tags.size().intValue()", "#cmd.tags.![#this]",
			"#login.username", "#login.getUsername()", "#login.active", "#login.open", "#bound.ofASubtype",
			"#bound.username.length()", "#map.anything", "#map['a'].b", "#optional.userId", "#optional.get().userId",
			"#text.trim().toLowerCase()", "#text.substring(1, 2)", "#level.name()", "#level.ordinal()",
			"#list[0].anything", "#cmd.class.name", "#cmd.url", "T(java.lang.Math).max(1, 2)",
			"#text.formatted(1, 2, 3)", "#login.hashCode()" })
	void memberThatAValueMayHaveIsNone(String expression) {
		assertThatNoException().isThrownBy(() -> read(expression));
	}

	private static void read(String expression) {
		ExpressionReader.read(new ExpressionPlace(expression, "here", RateLimitExpression.KEY, METHOD, null), mock());
	}

	record Command(String userId, List<String> tags, String getURL) {
	}

	enum Level {

		LOW, HIGH

	}

	static class Login {

		public final boolean open = true;

		public String getUsername() {
			return "ada";
		}

		public String getName() {
			return "Ada";
		}

		public boolean isActive() {
			return true;
		}

	}

}
