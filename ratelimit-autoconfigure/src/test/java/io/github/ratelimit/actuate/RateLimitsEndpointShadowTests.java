package io.github.ratelimit.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.actuate.RateLimitsEndpoint.PolicyDescriptor;
import io.github.ratelimit.actuate.RateLimitsEndpoint.ShadowDescriptor;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is decided in shadow, beside what is enforced.
 */
class RateLimitsEndpointShadowTests {

	private static final RateLimit TWO = RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 2,
			Duration.ofMinutes(1));

	private static final RateLimit FIVE = RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 5,
			Duration.ofMinutes(1));

	private final LocalRateLimitStore store = new LocalRateLimitStore(ManualClock.atMidnight(), 1000);

	private final StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(this.store, List.of());

	private final RateLimitsEndpoint endpoint = new RateLimitsEndpoint(this.registry, "clientAddress",
			UnaryOperator.identity(), null, new EndpointParts(null, null, true, List::of));

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void bothSidesAreShownWithTheirCounts() {
		RateLimiter both = this.registry
			.register(RateLimitPolicy.builder("both").limit(FIVE).shadowLimits(List.of(TWO)).build());
		for (int i = 0; i < 6; i++) {
			both.decide("ada", 1);
			both.decide("bob", 1);
		}
		both.decide("cleo", 1);
		PolicyDescriptor shown = policies().get("both");
		assertThat(policies()).hasSize(1);
		assertThat(shown.mode()).isEqualTo("enforce");
		assertThat(shown.requests()).containsEntry("allowed", 11L).containsEntry("rejected", 2L);
		ShadowDescriptor shadow = shown.shadow();
		assertThat(shadow).isNotNull();
		assertThat(shadow.limits()).hasSize(1).first().satisfies((limit) -> assertThat(limit.limit()).isEqualTo(2));
		assertThat(shadow.requests()).containsEntry("allowed", 5L).containsEntry("rejected", 8L);
		assertThat(shadow.rejectedKeys()).isEqualTo(2);
		assertThat(shadow.dropped()).isZero();
	}

	@Test
	void aPolicyInShadowIsShownAsSuch() {
		RateLimiter tried = this.registry
			.register(RateLimitPolicy.builder("tried").limit(TWO).mode(RateLimitMode.SHADOW).build());
		for (int i = 0; i < 3; i++) {
			tried.decide("ada", 1);
		}
		PolicyDescriptor shown = policies().get("tried");
		assertThat(shown.mode()).isEqualTo("shadow");
		assertThat(shown.shadow()).isNotNull()
			.satisfies((shadow) -> assertThat(shadow.requests()).isEqualTo(shown.requests())
				.containsEntry("rejected", 1L));
		assertThat(this.endpoint.key("tried", "ada")).isNotNull()
			.satisfies((key) -> assertThat(key.standing().remaining()).isZero());
		this.endpoint.reset("tried", "ada");
		tried.decide("ada", 1);
		assertThat(policies().get("tried").requests()).containsEntry("allowed", 3L);
	}

	@Test
	void aPolicyThatIsOnlyEnforcedShowsNoShadow() {
		this.registry.register(RateLimitPolicy.of("enforced", FIVE));
		assertThat(policies().get("enforced").mode()).isEqualTo("enforce");
		assertThat(policies().get("enforced").shadow()).isNull();
	}

	private Map<String, PolicyDescriptor> policies() {
		return this.endpoint.rateLimits().policies();
	}

}
