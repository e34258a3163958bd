package io.github.ratelimit.integration.documentation.recipes.job;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.integration.documentation.recipes.Outcomes;
import io.github.ratelimit.integration.documentation.recipes.Recipe;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class JobRecipeTests {

	@Test
	void mailsLeaveEvenlyAndTheJobRunsOnceAnHour() {
		System.setProperty("newsletter.delay", "PT0.01S");
		try (Recipe recipe = Recipe.start("Scheduled job", Scheduling.class, Mailer.class, NewsletterJob.class)) {
			Mailer mailer = recipe.bean(Mailer.class);
			Outcomes outcomes = recipe.bean(Outcomes.class);
			await().atMost(Duration.ofMinutes(1)).until(() -> outcomes.count(RateLimitOutcome.REJECTED) >= 3);
			assertThat(mailer.sent()).containsExactly("ada", "bob", "eve");
			assertThat(outcomes.count(RateLimitOutcome.DELAYED)).isPositive();
			recipe.bean(Scheduling.class).hours.incrementAndGet();
			await().atMost(Duration.ofMinutes(1)).until(() -> mailer.sent().size() == 6);
		}
		finally {
			System.clearProperty("newsletter.delay");
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Scheduling {

		private final ManualClock midnight = ManualClock.atMidnight();

		private final long start = System.nanoTime();

		final AtomicLong hours = new AtomicLong();

		@Bean
		RateLimitClock runningClock() {
			return () -> this.midnight.nanos() + Duration.ofHours(this.hours.get()).toNanos() + System.nanoTime()
					- this.start;
		}

	}

}
