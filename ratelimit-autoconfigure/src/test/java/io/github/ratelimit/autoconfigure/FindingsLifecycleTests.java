package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFinding;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

@ExtendWith(OutputCaptureExtension.class)
class FindingsLifecycleTests {

	/* A mock of a record makes every record of the process allocate more. */
	private static final RateLimitProperties PROPERTIES = new Binder().bindOrCreate("ratelimit",
			RateLimitProperties.class);

	@Test
	void looksAgainAfterAFailureAndSaysItOnce(CapturedOutput output) {
		RateLimiterRegistry registry = mock(RateLimiterRegistry.class);
		given(registry.policies()).willThrow(new IllegalStateException("on purpose"))
			.willThrow(new IllegalStateException("once more"))
			.willReturn(Set.of());
		try (FindingsLifecycle lifecycle = new FindingsLifecycle(PROPERTIES, registry, ManualClock.atMidnight(),
				new RateLimitFindings())) {
			lifecycle.look();
			lifecycle.look();
			assertThat(lifecycle.list()).isEmpty();
		}
		verify(registry, times(3)).policies();
		assertThat(output.getAll()).containsOnlyOnce("Findings of rate limits could not be looked for");
	}

	@Test
	void countsTheAgeOfAPolicyFromItsFirstMoment() {
		ManualClock clock = ManualClock.atMidnight();
		try (LocalRateLimitStore store = new LocalRateLimitStore(clock, 16)) {
			StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(store, List.of());
			try (FindingsLifecycle lifecycle = new FindingsLifecycle(PROPERTIES, registry, clock,
					new RateLimitFindings())) {
				registry
					.register(RateLimitPolicy.of("login",
							RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 10, Duration.ofDays(1))))
					.decide("ada", 1);
				clock.advance(Duration.ofDays(30));
				assertThat(lifecycle.list()).extracting(RateLimitFinding::code)
					.containsExactly(FindingCode.NEVER_REACHED);
			}
		}
	}

}
