package io.github.ratelimit.integration.documentation.given;

import io.github.ratelimit.RateLimiterRegistry;

import org.springframework.ai.chat.client.ChatClient;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

/**
 * What a snippet uses as if the application around it had it.
 */
@SuppressWarnings("NullAway")
public abstract class Given {

	/** The registry, injected. */
	protected RateLimiterRegistry rateLimiters;

	/** What sends mails, injected. */
	protected Mailer mailer;

	/** Spring's client of a test without a server, injected. */
	protected MockMvcTester mvc;

	/** The builder of clients for chat models, injected. */
	protected ChatClient.Builder builder;

	/** The port of a test's server, injected. */
	@LocalServerPort
	protected int port;

}
