package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOverrideException.Reason;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What instances that share overrides make of a store that fails, and of what they cannot
 * read or put in force.
 */
@ExtendWith(OutputCaptureExtension.class)
class SharedOverrideFailureTests extends SharingInstances {

	@Test
	void whileTheStoreIsGoneWhatWasLastKnownStaysInForce(CapturedOutput output) {
		Instance one = start();
		one.overrides().put(override(10).build());
		this.shared.gone = true;
		one.registry.stop();
		one.registry.start();
		assertThat(one.limit("k")).isEqualTo(10);
		assertRefused(Reason.UNAVAILABLE, () -> one.overrides().put(override(20).build()));
		assertRefused(Reason.UNAVAILABLE, () -> one.overrides().remove(target(null)));
		assertThat(one.limit("k")).isEqualTo(10);
		assertThat(output).doesNotContain("could not be read");
	}

	@Test
	void startThatCannotReadSaysSoOnceAndReadsWhenItCan(CapturedOutput output) {
		start().overrides().put(override(10).build());
		this.shared.gone = true;
		Instance two = start();
		assertThat(two.limit("k")).isEqualTo(100);
		two.registry.stop();
		two.registry.start();
		this.shared.gone = false;
		Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(two.limit("k")).isEqualTo(10));
		assertThat(output.getOut().split("could not be read from the store", -1)).hasSize(2);
		assertThat(output).contains("could be read at last; in force now: 1");
	}

	@Test
	void observerThatFailsKeepsNoOverrideFromBeingInForce(CapturedOutput output) {
		Instance one = start();
		Instance two = start();
		for (Instance each : List.of(one, two)) {
			each.registry.observe((limiter) -> {
				if (limiter.shadow() != null) {
					throw new IllegalStateException("of an observer");
				}
			});
			each.registry.observeOverrides((change) -> {
				throw new IllegalStateException("of another observer");
			});
		}
		one.overrides().put(override(10).mode(RateLimitMode.SHADOW).build());
		assertThat(one.limit("k")).isEqualTo(10);
		Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(two.limit("k")).isEqualTo(10));
		assertThat(output).contains("of an observer").contains("of another observer");
	}

	@Test
	void lookThatEndsWithAnErrorIsNotTheLastAndIsSaidOnce(CapturedOutput output) {
		Instance one = start();
		this.shared.failure = new NoClassDefFoundError("for this test");
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> this.shared.failures >= 2);
		this.shared.failure = null;
		write("api", "since=2026-01-01T00\\:00\\:00Z\nmode=SHADOW");
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> one.limiter.version("k").policy().mode() == RateLimitMode.SHADOW);
		assertThat(one.overrides().inForce()).hasSize(1);
		assertThat(output).containsOnlyOnce("Overrides of rate limits could not be looked for, or not be put in force")
			.contains("NoClassDefFoundError: for this test");
	}

	@Test
	void whatCouldNotBePutInForceIsReadAgain(CapturedOutput output) {
		Instance one = start();
		AtomicBoolean failing = new AtomicBoolean(true);
		one.registry.observe((limiter) -> {
			if (limiter.shadow() != null && failing.getAndSet(false)) {
				throw new NoClassDefFoundError("for this test");
			}
		});
		write("api", "since=2026-01-01T00\\:00\\:00Z\nmode=SHADOW");
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> one.limiter.version("k").policy().mode() == RateLimitMode.SHADOW);
		assertThat(output).containsOnlyOnce("could not be looked for, or not be put in force");
	}

	@Test
	void textsThatAreNotForThisInstanceAreIgnoredAndSaidOnce(CapturedOutput output) {
		write("unknown", "since=2026-01-01T00\\:00\\:00Z\nmode=SHADOW");
		write("api", "since=2026-01-01T00\\:00\\:00Z\nmode=SHADOW\nlimits[0].colour=red");
		write("api/key/bad", "not what we write");
		write("api/plan/pro", "since=2026-01-01T00\\:00\\:00Z\nmode=SHADOW");
		write("api/other/pro", "since=2026-01-01T00\\:00\\:00Z\nmode=SHADOW");
		write("api/key/k", "since=2026-01-01T00\\:00\\:00Z\nmode=SHADOW");
		Instance one = start();
		assertThat(one.overrides().inForce()).hasSize(1);
		assertThat(one.limiter.version("k").policy().mode()).isEqualTo(RateLimitMode.SHADOW);
		assertThat(one.limiter.version("other").policy().mode()).isEqualTo(RateLimitMode.ENFORCE);
		write("api/key/again", "since=2026-01-01T00\\:00\\:00Z\nmode=SHADOW");
		one.registry.stop();
		one.registry.start();
		assertThat(one.overrides().inForce()).hasSize(2);
		assertThat(output.getOut().split("'unknown' is ignored by this instance", -1)).hasSize(2);
		assertThat(output).contains("the policy has no such plan here")
			.contains("[limits[0].colour]")
			.contains("neither a policy's, nor that of a key or a plan");
	}

}
