package io.github.ratelimit.web.mcp;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.request.McpMessage;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.web.mcp.SentMessage.Refusal;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The JSON-RPC errors that messages are answered with which are not served.
 */
class McpMessagesTests {

	private final McpMessages messages = new McpMessages(List.of("/mcp"), 429, 1024);

	private String rejection(RateLimitDecision decision) {
		return new String(this.messages.rejection("1", decision, "[\"a\"]"), StandardCharsets.US_ASCII);
	}

	private static RateLimitDecision rejected(long retryAfterNanos) {
		return RateLimitDecisions.rejected(0, 0, retryAfterNanos, 0, 0);
	}

	@Test
	void rejectionSaysWhenToTryAgain() {
		assertThat(rejection(rejected(Duration.ofMillis(11_001).toNanos())))
			.isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":429,\"message\":\"Rate limit exceeded. Try "
					+ "again in 12 seconds.\",\"data\":{\"retryAfter\":12,\"violated-policies\":[\"a\"]}}}");
		assertThat(rejection(rejected(1))).contains("Try again in 1 second.", "\"retryAfter\":1,");
	}

	@Test
	void whatCanNeverPassIsNotToBeTriedAgain() {
		assertThat(rejection(rejected(RateLimitDecision.NEVER))).contains("Do not try again",
				"\"data\":{\"violated-policies\":[\"a\"]}");
	}

	@Test
	void banAndOutageSaySo() {
		assertThat(rejection(RateLimitDecisions.banned(0, Duration.ofMinutes(1).toNanos())))
			.contains("\"code\":429,\"message\":\"Banned. Try again in 60 seconds.\"");
		assertThat(rejection(RateLimitDecisions.unavailable(0, Duration.ofSeconds(2).toNanos())))
			.contains("\"code\":-32603,\"message\":\"Whether a rate limit is exceeded cannot be decided at present. "
					+ "Try again in 2 seconds.\"");
	}

	@Test
	void refusalHasTheIdentifierThatWasRead() {
		SentMessage message = new SentMessage("\"x\"", McpMessage.NONE, Refusal.HEADER_MISMATCH);
		assertThat(new String(this.messages.refusal(message, Refusal.HEADER_MISMATCH), StandardCharsets.US_ASCII))
			.isEqualTo(
					"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"error\":{\"code\":-32020,\"message\":\"Mcp-Method or Mcp-Name "
							+ "does not match the body\"}}");
	}

	@Test
	void noMoreIsReadThanMayBe() {
		assertThat(this.messages.read(new byte[1025], (field) -> List.of()).refusal()).isEqualTo(Refusal.TOO_LARGE);
		assertThat(this.messages.read(new byte[1024], (field) -> List.of()).refusal()).isEqualTo(Refusal.NO_JSON);
	}

}
