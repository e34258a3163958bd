package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.Threads;
import io.github.ratelimit.store.PolicyDecider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Instances of an application share the bans of a key as they share its budget.
 */
class RedisBanSharingTests {

	private static final RateLimitPolicy POLICY = RateLimitPolicy.builder("bans")
		.limit(TestPolicies.limit(RateLimitAlgorithm.TOKEN_BUCKET, 1, Duration.ofHours(1)))
		.ban(RateLimitBan.builder().after(3).build())
		.build();

	private final TestRedis redis = TestRedis.start();

	private final TestStore one = TestStore.of(this.redis, TestStore.PATIENT);

	private final TestStore other = TestStore.of(this.redis, TestStore.PATIENT);

	private final PolicyDecider here = this.one.open(POLICY);

	private final PolicyDecider there = this.other.open(POLICY);

	@AfterEach
	void stop() {
		this.one.close();
		this.other.close();
		this.redis.close();
	}

	@Test
	void rejectionsOfAllInstancesCountAndOneBeginsTheBan() {
		assertThat(this.here.decide("key", 1).allowed()).isTrue();
		assertThat(this.there.decide("key", 1).banned()).isFalse();
		assertThat(this.here.decide("key", 1).banned()).isFalse();
		RateLimitDecision last = this.there.decide("key", 1);
		assertThat(last.newBan()).isEqualTo(1);
		assertThat(last.retryAfterNanos()).isEqualTo(Duration.ofMinutes(5).toNanos());
		RateLimitDecision next = this.here.decide("key", 1);
		assertThat(next.banned()).isTrue();
		assertThat(next.newBan()).isZero();
	}

	@Test
	void aBannedKeyIsAskedForOnceASecondByEachInstance() {
		for (int i = 0; i < 5; i++) {
			this.here.decide("key", 1);
			this.there.decide("key", 1);
		}
		int before = this.one.calls() + this.other.calls();
		for (int second = 0; second < 10; second++) {
			for (int i = 0; i < 100; i++) {
				assertThat(this.here.decide("key", 1).banned()).isTrue();
				assertThat(this.there.decide("key", 1).banned()).isTrue();
			}
			this.one.clock().advance(Duration.ofSeconds(1));
			this.other.clock().advance(Duration.ofSeconds(1));
		}
		assertThat(this.one.calls() + this.other.calls() - before).isBetween(18, 20);
	}

	@Test
	void aResetLiftsTheBanForAllInstancesWithinASecond() {
		for (int i = 0; i < 5; i++) {
			this.here.decide("key", 1);
			this.there.decide("key", 1);
		}
		this.here.reset("key");
		assertThat(this.here.decide("key", 0).remaining()).isEqualTo(1);
		this.other.clock().advance(Duration.ofSeconds(1));
		assertThat(this.there.decide("key", 1).allowed()).isTrue();
	}

	@Test
	void aBanOutlivesTheInstanceThatBeganIt() {
		for (int i = 0; i < 4; i++) {
			this.here.decide("key", 1);
		}
		this.one.closeStore();
		try (TestStore restarted = TestStore.of(this.redis, TestStore.PATIENT)) {
			RateLimitDecision decision = restarted.open(POLICY).decide("key", 1);
			assertThat(decision.banned()).isTrue();
			assertThat(decision.newBan()).isZero();
			assertThat(decision.retryAfter()).isLessThanOrEqualTo(Duration.ofMinutes(5));
		}
	}

	@Test
	void oneOfManyRequestsBeginsTheBan() {
		List<Long> begun = Threads.run(4, (number) -> {
			PolicyDecider states = (number % 2 == 0) ? this.here : this.there;
			long bans = 0;
			for (int i = 0; i < 50; i++) {
				bans += states.decide("key", 1).newBan();
			}
			return bans;
		});
		assertThat(begun.stream().mapToLong(Long::longValue).sum()).isEqualTo(1);
	}

}
