package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.findings.RateLimitFindings;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls without a request, such as those of jobs, have no address, and show no mistake.
 */
class CallFindingsTests {

	@Test
	void callsOutsideOfRequestsShowNothingOfTheKey() {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(RateLimitAutoConfiguration.class, RateLimitMethodAutoConfiguration.class))
			.withBean(Job.class)
			.run((context) -> {
				for (int i = 0; i < 200; i++) {
					context.getBean(Job.class).run();
				}
				assertThat(context.getBean(RateLimitFindings.class).list()).isEmpty();
			});
	}

	static class Job {

		@RateLimited(limit = 1000, window = "1m")
		public void run() {
		}

	}

}
