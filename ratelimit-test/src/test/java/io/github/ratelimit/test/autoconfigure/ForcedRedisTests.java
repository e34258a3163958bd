package io.github.ratelimit.test.autoconfigure;

import java.time.Duration;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimiterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.test.web.servlet.client.RestTestClient;

import static io.github.ratelimit.test.assertj.RateLimitAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A store that answers for several policies at once can be forced for one of them. Redis
 * is not running, so that decisions that are not forced are made in this process.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "ratelimit.store=redis", "spring.data.redis.port=1", "ratelimit.rules[0].path=/search",
				"ratelimit.rules[0].policy=login", "ratelimit.rules[1].path=/search", "ratelimit.rules[1].policy=many",
				"ratelimit.policies.many.limit=100", "ratelimit.policies.many.window=1h" })
@AutoConfigureRestTestClient
@AutoConfigureRateLimit
class ForcedRedisTests {

	@Autowired
	private RestTestClient client;

	@Autowired
	private RateLimitOutcomes outcomes;

	@Autowired
	private RateLimiterRegistry registry;

	@Test
	void onlyWhatIsForcedIsAskedOfNobody() {
		this.outcomes.force("many", RateLimitOutcome.REJECTED);
		this.outcomes.force("login", RateLimitOutcome.ALLOWED);
		assertThat(search()).isRateLimited().hasRetryAfter(Duration.ofMinutes(1)).hasViolatedPolicies("many");
		this.outcomes.force("many", RateLimitOutcome.ALLOWED);
		assertThat(search()).isAllowed().hasRemaining("many", 100);
		assertThat(search()).isRateLimited().hasViolatedPolicies("SearchController.search");
	}

	@Test
	void otherPoliciesKeepWhatTheyWouldHaveGiven() {
		assertThat(this.registry.storeName()).isEqualTo("redis");
		long before = this.registry.peek("login", "127.0.0.1").remaining();
		this.outcomes.force("many", RateLimitOutcome.BANNED);
		assertThat(search()).isBanned();
		assertThat(this.registry.peek("login", "127.0.0.1").remaining()).isEqualTo(before).isPositive();
	}

	private RestTestClient.ResponseSpec search() {
		return this.client.get().uri("/search").exchange();
	}

}
