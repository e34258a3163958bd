package io.github.ratelimit.actuate;

import org.springframework.context.ApplicationContext;

/**
 * Ends steps of a history when a test wants it, and not every five seconds.
 */
public final class HistorySteps {

	private HistorySteps() {
	}

	public static void end(ApplicationContext application) {
		application.getBean(RateLimitHistory.class).record();
	}

}
