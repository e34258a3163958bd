package io.github.ratelimit.integration.graphqlwebsocket;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.annotation.RateLimited;

import org.springframework.messaging.handler.annotation.MessageExceptionHandler;
import org.springframework.messaging.handler.annotation.MessageMapping;
import org.springframework.messaging.simp.annotation.SendToUser;
import org.springframework.stereotype.Controller;

/**
 * Handlers of messages that answer rejections in their own way.
 */
@Controller
class OwnAnswerMessageHandlers {

	@MessageMapping("handled")
	@SendToUser("/queue/replies")
	@RateLimited(name = "handledMessage", limit = 1, window = "1d")
	String handled(String name) {
		return "hello " + name;
	}

	@MessageExceptionHandler
	@SendToUser("/queue/replies")
	String tooMany(RateLimitExceededException ex) {
		return "slow down";
	}

}
