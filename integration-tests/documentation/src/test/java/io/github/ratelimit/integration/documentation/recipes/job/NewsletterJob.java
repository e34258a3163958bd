package io.github.ratelimit.integration.documentation.recipes.job;

import java.util.List;

import io.github.ratelimit.RateLimiterRegistry;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

@Component
class NewsletterJob {

	private final RateLimiterRegistry rateLimiters;

	private final Mailer mailer;

	NewsletterJob(RateLimiterRegistry rateLimiters, Mailer mailer) {
		this.rateLimiters = rateLimiters;
		this.mailer = mailer;
	}

	@Scheduled(fixedDelayString = "${newsletter.delay:PT5M}")
	void run() {
		if (this.rateLimiters.decide("newsletter", "all").allowed()) {
			List.of("ada", "bob", "eve").forEach(this.mailer::send);
		}
	}

}
