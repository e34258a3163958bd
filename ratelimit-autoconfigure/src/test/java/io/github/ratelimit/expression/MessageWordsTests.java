package io.github.ratelimit.expression;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.policy.AppliedLocation;
import io.github.ratelimit.request.McpMessage;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.RequestView;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What rules read of the messages for an MCP server.
 */
class MessageWordsTests {

	private final Bindings bindings = new Bindings().withBean("rateLimitMcpMessages", new Object());

	private PolicyBinding rule(@Nullable String key, @Nullable String cost, @Nullable String condition) {
		return this.bindings.bind(new AppliedLocation("rule /mcp", key, cost, condition, null), null,
				"ratelimit.rules[0]");
	}

	private static List<PermitRequest> asked(PolicyBinding rule, @Nullable McpMessage message) {
		List<PermitRequest> asked = new ArrayList<>();
		rule.resolve(RateLimitContext.of(new Request(message)), null, asked);
		return asked;
	}

	private static String key(PolicyBinding rule, @Nullable McpMessage message) {
		return asked(rule, message).get(0).key();
	}

	@Test
	void keyCostAndConditionReadTheMessage() {
		McpMessage call = new McpMessage("tools/call", "search");
		assertThat(key(rule("mcp.tool", null, null), call)).isEqualTo("search");
		assertThat(key(rule("#root.mcp.method", null, null), call)).isEqualTo("tools/call");
		assertThat(key(rule("mcp.method + ' ' + mcp?.tool", null, null), call)).isEqualTo("tools/call search");
		assertThat(asked(rule(null, "mcp.tool == 'search' ? 3 : 1", null), call).get(0).permits()).isEqualTo(3);
		assertThat(asked(rule(null, null, "mcp.tool == 'search'"), call)).hasSize(1);
		assertThat(asked(rule(null, null, "mcp.tool == 'other'"), call)).isEmpty();
	}

	@Test
	void requestWithoutAMessageHasNeitherMethodNorTool() {
		assertThat(asked(rule(null, null, "mcp.method == 'tools/call'"), McpMessage.NONE)).isEmpty();
		assertThat(key(rule("mcp.tool", null, null), McpMessage.NONE)).contains(TestRequest.ADDRESS);
	}

	@Test
	void messageThatIsRefusedPaysForEveryCondition() {
		assertThat(asked(rule(null, null, "mcp.method == 'tools/call'"), null)).hasSize(1);
		assertThat(key(rule("mcp.tool", null, null), null)).contains(TestRequest.ADDRESS);
	}

	@Test
	void onlyWhatReadsTheMessageNeedsTheBody() {
		assertThat(rule("mcp.tool", null, null).readsMessage()).isTrue();
		assertThat(rule(null, null, "mcp.method == 'tools/call'").readsMessage()).isTrue();
		assertThat(rule(null, null, "mcp.method == 'tools/call'").isPrompt()).isFalse();
		assertThat(rule("header('Mcp-Name')", null, null).readsMessage()).isFalse();
		assertThat(rule("header('Mcp-Name')", null, null).isPrompt()).isTrue();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			mcp.tol          | reads 'mcp.tol', which is not known      | Did you mean 'tool'?
			mcp.name         | reads 'mcp.name', which is not known     | Known are mcp.method and mcp.tool.
			#root.mcp.params | reads 'mcp.params', which is not known   | Known are mcp.method and mcp.tool.
			""")
	void otherPropertyOfAMessageIsUnknown(String key, String reason, String action) {
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> rule(key, null, null))
			.withMessageContaining(reason)
			.satisfies((ex) -> assertThat(ex.action()).contains(action));
	}

	@Test
	void onlyRulesKnowTheMessage() {
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> this.bindings.key("mcp.tool"))
			.withMessageContaining("reads 'mcp', which only rules know");

		AppliedLocation ofModels = new AppliedLocation("the calls of chat models", "mcp.tool", null, null, null);
		Method call = ClassUtils.getMethod(Object.class, "toString");
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> this.bindings.bind(ofModels, call, "ratelimit.ai"))
			.withMessageContaining("reads 'mcp', which only rules know");
	}

	@Test
	void withoutAnMcpServerThereIsNoMessage() {
		AppliedLocation rule = new AppliedLocation("rule /mcp", "mcp.tool", null, null, null);
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> new Bindings().bind(rule, null, "ratelimit.rules[0]"))
			.withMessageContaining("reads 'mcp', but there is no MCP server")
			.satisfies((ex) -> assertThat(ex.action()).contains("ratelimit.mcp.endpoints"));
	}

	/**
	 * A request with a message, or with one that is refused.
	 *
	 * @param message the message, or {@code null} if it is refused
	 */
	private record Request(@Nullable McpMessage message) implements RequestView {

		private static final TestRequest OTHERWISE = new TestRequest(null, Map.of());

		@Override
		public McpMessage mcp() {
			if (this.message == null) {
				throw new IllegalStateException("refused");
			}
			return this.message;
		}

		@Override
		public String clientAddress() {
			return OTHERWISE.clientAddress();
		}

		@Override
		public java.security.@Nullable Principal principal() {
			return null;
		}

		@Override
		public @Nullable String header(String name) {
			return null;
		}

		@Override
		public @Nullable String session() {
			return null;
		}

		@Override
		public Object request() {
			return this;
		}

	}

}
