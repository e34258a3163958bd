package io.github.ratelimit.messaging;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.RateLimitDecisions;
import org.junit.jupiter.api.Test;

import org.springframework.messaging.Message;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.simp.SimpMessageHeaderAccessor;
import org.springframework.messaging.simp.stomp.StompHeaderAccessor;
import org.springframework.messaging.support.MessageBuilder;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The ERROR frame that a STOMP client gets for a rejected message.
 */
class RejectedMessageAdviceTests {

	private static final RateLimitPolicy POLICY = RateLimitPolicy.of("chat",
			RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 1, Duration.ofMinutes(1)));

	private static StompHeaderAccessor frame(RateLimitDecision decision) {
		List<Message<?>> sent = new ArrayList<>();
		MessageChannel channel = (message, timeout) -> sent.add(message);
		SimpMessageHeaderAccessor received = SimpMessageHeaderAccessor.create();
		received.setSessionId("session");
		new RejectedMessageAdvice(() -> channel).reject(new RateLimitExceededException(POLICY, decision),
				MessageBuilder.createMessage(new byte[0], received.getMessageHeaders()));
		assertThat(sent).hasSize(1);
		return StompHeaderAccessor.wrap(sent.get(0));
	}

	@Test
	void aClientIsToldThatItIsBannedAndUntilWhen() {
		StompHeaderAccessor frame = frame(RateLimitDecisions.banned(0, Duration.ofMinutes(5).toNanos()));
		assertThat(frame.getMessage()).isEqualTo("Rate limit 'chat' has banned the caller, try again in 5 min");
		assertThat(frame.getFirstNativeHeader("banned")).isEqualTo("true");
		assertThat(frame.getFirstNativeHeader("retry-after")).isEqualTo("300");
	}

	@Test
	void aClientThatIsNotBannedIsNotToldOfBans() {
		StompHeaderAccessor frame = frame(RateLimitDecisions.rejected(0, 0, 1, 1, 1));
		assertThat(frame.getMessage()).startsWith("Rate limit 'chat' exceeded");
		assertThat(frame.getFirstNativeHeader("banned")).isNull();
	}

}
