package io.github.ratelimit.actuate;

import java.util.List;
import java.util.function.UnaryOperator;

import io.github.ratelimit.actuate.RateLimitsEndpoint.RateLimitsDescriptor;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the endpoint tells of the store, and of its own access.
 */
class StoreHealthTests {

	@Test
	void storeIsAskedAndItsStateShown() {
		Unavailable unavailable = new Unavailable();
		RateLimitsDescriptor told = describe(unavailable, false);
		assertThat(told.health())
			.isEqualTo(new RateLimitsEndpoint.StoreHealthDescriptor(false, 3, "connection refused"));
		assertThat(told.writable()).isFalse();
		assertThat(unavailable.checks).isOne();
	}

	@Test
	void storeThatIsAlwaysThereHasNoHealth() {
		assertThat(describe(null, true).health()).isNull();
		assertThat(describe(null, true).writable()).isTrue();
	}

	private static RateLimitsDescriptor describe(RateLimitStoreAvailability availability, boolean writable) {
		try (LocalRateLimitStore store = new LocalRateLimitStore(ManualClock.atMidnight(), 10)) {
			return new RateLimitsEndpoint(new StoreRateLimiterRegistry(store, List.of()), "clientAddress",
					UnaryOperator.identity(), null, new EndpointParts(null, availability, writable, List::of))
				.rateLimits();
		}
	}

}
