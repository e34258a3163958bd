package io.github.ratelimit.policy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitSession;
import io.github.ratelimit.store.RateLimitStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Whoever wants to know of a ban is told once, when it begins.
 */
@ExtendWith(OutputCaptureExtension.class)
class BanReportTests extends LocalPolicies {

	private final List<String> told = new ArrayList<>();

	private final RateLimiter limiter = registry(new Listener()).register(
			RateLimitPolicy.builder("login").limit(window(1)).ban(RateLimitBan.builder().after(2).build()).build());

	@Test
	void listenersAreToldOfEachBanOnce() {
		for (int i = 0; i < 6; i++) {
			this.limiter.decide("alice", 1);
		}
		assertThat(this.told).containsExactly("ALLOWED", "REJECTED",
				"login bans alice until 2026-03-05T00:05:00Z, number 1", "BANNED", "BANNED", "BANNED", "BANNED");
		this.told.clear();
		this.clock.advance(Duration.ofMinutes(5));
		for (int i = 0; i < 4; i++) {
			this.limiter.decide("alice", 1);
		}
		assertThat(this.told).containsExactly("ALLOWED", "REJECTED",
				"login bans alice until 2026-03-05T00:15:00Z, number 2", "BANNED", "BANNED");
		assertThat(this.limiter.count(RateLimitOutcome.BANNED)).isEqualTo(6);
		assertThat(this.limiter.count(RateLimitOutcome.REJECTED)).isEqualTo(2);
	}

	@Test
	void aLineIsLoggedWithTheHashOfTheKeyAndNotTheKey(CapturedOutput output) {
		for (int i = 0; i < 6; i++) {
			this.limiter.decide("alice", 1);
		}
		assertThat(output.getAll().lines().filter((line) -> line.contains("bans the key"))).singleElement()
			.asString()
			.contains("INFO")
			.containsPattern("The rate limit policy 'login' bans the key with the hash [0-9a-f]{16} for 5 min, "
					+ "its ban number 1$");
		assertThat(output.getAll()).doesNotContain("alice");
	}

	@Test
	void bansFillNoLog(CapturedOutput output) {
		RateLimiter limiter = registry().register(this.limiter.policy());
		for (int i = 0; i < 50; i++) {
			ban(limiter, "first" + i);
		}
		assertThat(bans(output)).hasSize(3).noneMatch((line) -> line.contains("more"));
		this.clock.advance(Duration.ofMinutes(1));
		ban(limiter, "later");
		ban(limiter, "latest");
		assertThat(bans(output)).hasSize(5)
			.element(3)
			.asString()
			.endsWith(", its ban number 1. There were 47 more bans that were not logged");
		assertThat(bans(output).get(4)).endsWith(", its ban number 1");
	}

	private static void ban(RateLimiter limiter, String key) {
		for (int i = 0; i < 3; i++) {
			limiter.decide(key, 1);
		}
	}

	private static List<String> bans(CapturedOutput output) {
		return output.getAll().lines().filter((line) -> line.contains("bans the key")).toList();
	}

	@Test
	void ofSeveralPoliciesTheOneThatBansIsReported() {
		RateLimiter other = registry(new Listener()).register(RateLimitPolicy.of("wide", window(100)));
		List<PermitRequest> both = List.of(PermitRequest.of(other, "key", 1), PermitRequest.of(this.limiter, "bob", 1));
		for (int i = 0; i < 6; i++) {
			new Acquisition(this.clock).take(both);
		}
		assertThat(this.told).filteredOn((each) -> each.contains("bans"))
			.containsExactly("login bans bob until 2026-03-05T00:05:00Z, number 1");
		assertThat(other.peek("key").remaining()).isEqualTo(99);
	}

	@Test
	void whatBeginsBansInSeveralPoliciesIsReportedOfEachOnce() {
		RateLimitDecision first = RateLimitDecisions.newlyBanned(0, Duration.ofMinutes(1).toNanos(), 1);
		RateLimitDecision second = RateLimitDecisions.newlyBanned(0, Duration.ofMinutes(2).toNanos(), 7);
		RateLimitDecision third = RateLimitDecisions.newlyBanned(0, Duration.ofMinutes(3).toNanos(), 2);
		RateLimiterRegistry registry = new StoreRateLimiterRegistry(answering(first, second, third),
				List.of(new Listener()));
		RateLimit limit = window(1);
		RateLimiter one = registry.register(RateLimitPolicy.of("one", limit));
		RateLimiter two = registry.register(RateLimitPolicy.of("two", limit));
		RateLimiter three = registry.register(RateLimitPolicy.of("three", limit));
		assertThat(new Acquisition(this.clock).take(List.of(PermitRequest.of(one, "key", 1),
				PermitRequest.of(two, "key", 1), PermitRequest.of(two, "key", 1), PermitRequest.of(three, "key", 1),
				PermitRequest.of(one, "key", 1))))
			.isFalse();
		assertThat(this.told).containsExactly("one bans key until 1970-01-01T00:01:00Z, number 1", "BANNED",
				"two bans key until 1970-01-01T00:02:00Z, number 7",
				"three bans key until 1970-01-01T00:03:00Z, number 2");
	}

	@Test
	void aStoreThatDoesNotBanIsSaidNotToDoSo(CapturedOutput output) {
		RateLimitPolicy banning = RateLimitPolicy.builder("strict")
			.limit(window(1))
			.ban(RateLimitBan.builder().build())
			.build();
		registry().register(banning);
		StoreRateLimiterRegistry.unlimited(this.clock).register(banning);
		assertThat(output).doesNotContain("does not ban");
		new StoreRateLimiterRegistry(answering(), List.of()).register(banning);
		assertThat(output)
			.contains("The store 'answering' does not ban keys, so that the ban of the policy 'strict' has "
					+ "no effect. Remove it, or use the store caffeine or redis.");
	}

	/*
	 * A store that answers the questions of one request with what it is given.
	 */
	private static RateLimitStore answering(RateLimitDecision... answers) {
		RateLimitSession session = mock();
		given(session.decide(any())).willReturn(List.of(answers));
		RateLimitStore store = mock();
		given(store.name()).willReturn("answering");
		given(store.open(any())).willReturn(mock());
		given(store.sessions()).willReturn(() -> session);
		return store;
	}

	private final class Listener implements RateLimitListener {

		@Override
		public void onDecision(RateLimitPolicy policy, String key, RateLimitDecision decision,
				RateLimitOutcome outcome) {
			BanReportTests.this.told.add(outcome.name());
		}

		@Override
		public void onBan(RateLimitPolicy policy, String key, Instant until, int times) {
			BanReportTests.this.told.add(policy.name() + " bans " + key + " until " + until + ", number " + times);
		}

	}

}
