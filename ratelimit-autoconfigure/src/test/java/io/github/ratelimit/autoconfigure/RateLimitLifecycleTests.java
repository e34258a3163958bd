package io.github.ratelimit.autoconfigure;

import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class RateLimitLifecycleTests {

	@Test
	void looksAgainAfterAFailureAndSaysItOnce(CapturedOutput output) {
		RateLimitProperties properties = new Binder().bindOrCreate("ratelimit", RateLimitProperties.class);
		StoreRateLimiterRegistry registry = StoreRateLimiterRegistry.unlimited(RateLimitClock.system());
		AtomicInteger looks = new AtomicInteger();
		RateLimitClock failing = () -> {
			if (looks.incrementAndGet() < 3) {
				throw new IllegalStateException("on purpose");
			}
			return 0;
		};
		try (RateLimitLifecycle lifecycle = new RateLimitLifecycle(properties, registry,
				new ConfiguredPolicies(properties, null), failing, new RateLimitFindings())) {
			lifecycle.look();
			lifecycle.look();
			assertThat(lifecycle.list()).isEmpty();
		}
		assertThat(looks).hasValue(3);
		assertThat(output.getAll()).containsOnlyOnce("Findings of rate limits could not be looked for");
	}

}
