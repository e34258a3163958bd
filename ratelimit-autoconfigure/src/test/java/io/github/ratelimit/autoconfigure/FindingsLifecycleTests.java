package io.github.ratelimit.autoconfigure;

import java.util.Set;

import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

@ExtendWith(OutputCaptureExtension.class)
class FindingsLifecycleTests {

	@Test
	void looksAgainAfterAFailureAndSaysItOnce(CapturedOutput output) {
		RateLimiterRegistry registry = mock(RateLimiterRegistry.class);
		given(registry.policies()).willThrow(new IllegalStateException("on purpose"))
			.willThrow(new IllegalStateException("once more"))
			.willReturn(Set.of());
		try (FindingsLifecycle lifecycle = new FindingsLifecycle(registry, ManualClock.atMidnight(),
				new RateLimitFindings())) {
			lifecycle.look();
			lifecycle.look();
			assertThat(lifecycle.list()).isEmpty();
		}
		verify(registry, times(3)).policies();
		assertThat(output.getAll()).containsOnlyOnce("Findings of rate limits could not be looked for");
	}

}
