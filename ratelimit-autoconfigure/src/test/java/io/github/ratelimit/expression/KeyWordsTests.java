package io.github.ratelimit.expression;

import java.util.List;
import java.util.Map;

import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.request.RequestView;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * What the words of an expression mean.
 */
class KeyWordsTests {

	private final TestRequest request = new TestRequest("ann", Map.of("X-Api-Key", "secret"));

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			clientAddress                            | 192.0.2.7
			principal.name                           | ann
			header('X-Api-Key')                      | secret
			parameter('X-Api-Key')                   | secret
			header(header('X-None')) ?: 'nothing'    | nothing
			parameter(header('X-None')) ?: 'nothing' | nothing
			pathVariable(header('X-None')) ?: 'none' | none
			principal                                | ann
			path                                     | /users/{id}
			pathVariable('id')                       | 42
			method                                   | POST
			session                                  | session-1
			session.id                               | session-1
			session?.id + '@' + path                 | session-1@/users/{id}
			#root.session.id                         | session-1
			cookie('X-Api-Key')                      | secret
			cookie(header('X-None')) ?: 'nothing'    | nothing
			claim('sub') ?: 'nothing'                | nothing
			claim(header('X-None')) ?: 'nothing'     | nothing
			request.header('X-Api-Key')              | secret
			'global'                                 | global
			7                                        | 7
			#user                                    | ann-argument
			#p0                                      | ann-argument
			#a0                                      | ann-argument
			#items[1]                                | second
			#items.?[#this == #user].size()          | 0
			#items.![#this + #root.method][0]        | firstPOST
			#root.target.tenant                      | acme
			target.tenant                            | acme
			principal.name + '@' + clientAddress     | ann@192.0.2.7
			header('X-None') ?: #user                | ann-argument
			@tenants.get('a')                        | acme
			@tenants.get(principal.name.charAt(0))   | none
			""")
	void wordMeansWhatItSays(String expression, String key) {
		PolicyBinding binding = new Bindings().withBean("tenants", new Tenants()).key(expression);
		assertThat(Bindings.keyOf(binding, this.request, "ann-argument", List.of("first", "second"))).isEqualTo(key);
	}

	@ParameterizedTest
	@ValueSource(strings = { "clientAddress", "path", "method", "session", "header('X-Api-Key')", "header('X-None')",
			"session.id", "cookie('X-Api-Key')", "claim('sub')", "parameter('X-Api-Key')", "pathVariable('id')",
			"pathVariable('none')", "principal.name", "'global'", "7", "true" })
	void shortcutIsWhatSpelWouldSay(String expression) {
		ExpressionPlace place = new ExpressionPlace(expression, "here", RateLimitExpression.KEY, null, null);
		ParsedExpression parsed = ExpressionReader.read(place, mock());
		ParsedExpression.Evaluator shortcut = Shortcuts.find(parsed.expression().getAST());
		ParsedExpression.Evaluator spel = new SpelEvaluator(parsed.expression(), place, mock(), true);
		assertThat(shortcut).isNotNull();
		for (RequestView each : new RequestView[] { this.request, TestRequest.anonymous(), null }) {
			RateLimitContext context = RateLimitContext.of(each);
			assertThat(shortcut.evaluate(context)).isEqualTo(spel.evaluate(context));
		}
	}

	@Test
	void onlyASessionHasAnIdentifier() {
		assertThat(Bindings.keyOf(new Bindings().key("session.id + '!'"), this.request)).isEqualTo("session-1!");
		assertThat(Bindings.keyOf(new Bindings().key("header('X-Api-Key').id"), this.request))
			.isEqualTo("address:192.0.2.7");
	}

	@Test
	void wordsOfRequestsAreNullOutsideOfOne() {
		PolicyBinding binding = new Bindings().key("'' + clientAddress + principal + path + method + session + request "
				+ "+ header('X-Api-Key') + pathVariable('id') + parameter('n') + cookie('c') + claim('sub')");
		assertThat(Bindings.keyOf(binding, null)).isEqualTo("null".repeat(11));
	}

	public static final class Tenants {

		public String get(Object id) {
			return "a".equals(id) ? "acme" : "none";
		}

	}

}
