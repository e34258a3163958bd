package io.github.ratelimit.remote;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.store.KeyMemory;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitSession.Given;
import io.github.ratelimit.store.RateLimitSession.Question;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A policy whose limits change goes on where it was, also while its store cannot be
 * asked, and nothing that was remembered under other limits decides.
 */
class VersionsTests {

	private static final Duration SECOND = Duration.ofSeconds(1);

	private final ManualClock clock = ManualClock.atMidnight();

	private final LocalRateLimitStore shared = new LocalRateLimitStore(this.clock, 20_000);

	private final LocalRateLimitStore local = new LocalRateLimitStore(this.clock, 20_000);

	private final FailingStore remote = new FailingStore(this.shared);

	private final AtomicInteger memories = new AtomicInteger();

	private final KeyMemory.Provider provider = new KeyMemory.Provider() {

		@Override
		public <V> KeyMemory<V> open(long bytes) {
			VersionsTests.this.memories.incrementAndGet();
			return FixedPlaces.provider().open(bytes);
		}

	};

	private final ResilientStore store = store(FailureMode.LOCAL);

	private final PolicyDecider ten = this.store.open(policy(10));

	@AfterEach
	void close() {
		this.shared.close();
		this.local.close();
	}

	private ResilientStore store(FailureMode mode) {
		return new ResilientStore(this.remote, new ResilienceSettings(Duration.ofSeconds(20), SECOND, SECOND, 1),
				(policy) -> mode, this.local::open, this.provider, this.clock);
	}

	private static RateLimit limit(long limit) {
		return RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, limit, Duration.ofDays(1));
	}

	private static RateLimitPolicy policy(long... limits) {
		List<RateLimit> all = new ArrayList<>();
		for (long limit : limits) {
			all.add(limit(limit));
		}
		return RateLimitPolicy.builder("policy").limits(all).build();
	}

	private PolicyDecider under(long... limits) {
		PolicyDecider changed = this.ten.under(policy(limits));
		assertThat(changed).isNotNull();
		return changed;
	}

	private void breakDown() {
		this.remote.fails = true;
		for (int i = 0; i <= Breaker.FAILURES; i++) {
			this.ten.decide("breaks", 1);
		}
	}

	@Test
	void whatWasTakenStaysTaken() {
		this.ten.decide("key", 8);
		assertThat(under(100).decide("key", 0).remaining()).isEqualTo(92);
		assertThat(under(5).decide("key", 1).allowed()).isFalse();
	}

	@Test
	void aRejectionUnderOtherLimitsIsNotRemembered() {
		PolicyDecider hundred = under(100);
		this.ten.decide("key", 10);
		assertThat(this.ten.decide("key", 1).allowed()).isFalse();
		this.remote.calls();
		assertThat(this.ten.decide("key", 1).allowed()).isFalse();
		assertThat(this.remote.calls()).isZero();
		assertThat(hundred.decide("key", 1).allowed()).isTrue();
		hundred.decide("key", 89);
		assertThat(hundred.decide("key", 1).allowed()).isFalse();
		this.remote.calls();
		assertThat(hundred.decide("key", 1).allowed()).isFalse();
		assertThat(this.remote.calls()).isZero();
	}

	@Test
	void aRejectionIsDroppedOnceOtherLimitsHaveDecided() {
		this.ten.decide("key", 10);
		this.ten.decide("key", 1);
		under(100).decide("key", 0);
		this.remote.calls();
		this.ten.decide("key", 1);
		assertThat(this.remote.calls()).isEqualTo(1);
	}

	@Test
	void whatIsRefundedUnderOneVersionIsForgottenUnderAll() {
		PolicyDecider twenty = under(20);
		RateLimitDecision given = twenty.decide("key", 10);
		assertThat(this.ten.decide("key", 1).allowed()).isFalse();
		twenty.refund("key", 10, given);
		assertThat(this.ten.decide("key", 1).allowed()).isTrue();
	}

	@Test
	void anAnswerUnderOtherLimitsIsNoneToBeginAnOutageWith() {
		under(3, 5).decide("key", 2);
		breakDown();
		RateLimitDecision decision = this.ten.decide("key", 0);
		assertThat(decision.fallback()).isTrue();
		assertThat(decision.remaining()).isEqualTo(10);
	}

	@Test
	void whatWasTakenInAnOutageStaysTakenInIt() {
		breakDown();
		assertThat(this.ten.decide("key", 4).fallback()).isTrue();
		PolicyDecider both = under(20, 100);
		assertThat(both.decide("key", 0).remaining()).isEqualTo(16);
		assertThat(both.decide("key", 6).allowed()).isTrue();
		assertThat(this.ten.decide("key", 1).allowed()).isFalse();
		assertThat(under(20, 7).decide("key", 1).limits()).extracting((limit) -> limit.remaining())
			.containsExactly(9L, 0L);
	}

	@Test
	void aDecisionOfOneVersionCanBeRefundedToAnother() {
		breakDown();
		RateLimitDecision given = this.ten.decide("key", 4);
		PolicyDecider both = under(20, 100);
		both.refund("key", 4, given);
		assertThat(both.decide("key", 0).remaining()).isEqualTo(20);
		RateLimitDecision second = both.decide("key", 5);
		this.ten.refund("key", 5, second);
		assertThat(this.ten.decide("key", 0).remaining()).isEqualTo(10);
	}

	@Test
	void tenThousandVersionsShareOneMemory() {
		for (int i = 1; i <= 10_000; i++) {
			under(i).decide("key" + i, 1);
		}
		assertThat(this.memories).hasValue(1);
	}

	@Test
	void fallbacksOfAllVersionsAreCounted() {
		PolicyDecider twenty = under(20);
		breakDown();
		long before = this.ten.fallbacks();
		twenty.decide("key", 1);
		assertThat(this.ten.fallbacks()).isEqualTo(before + 1);
	}

	@Test
	void anEnforcedPolicyGoesOnInShadowAndBack() {
		this.ten.decide("key", 10);
		PolicyDecider shadow = this.ten.under(policy(12).withMode(RateLimitMode.SHADOW));
		assertThat(shadow.decideAsync("key", 2).toCompletableFuture().join().allowed()).isTrue();
		assertThat(shadow.decideAsync("key", 1).toCompletableFuture().join().allowed()).isFalse();
		assertThat(this.ten.decide("key", 1).allowed()).isFalse();
		PolicyDecider enforced = shadow.under(policy(20));
		assertThat(enforced).isInstanceOf(ResilientStates.class);
		assertThat(enforced.decide("key", 0).remaining()).isEqualTo(8);
	}

	@Test
	void permitsOfAKeyAreRefundedInTurnWhateverVersionGaveThem() {
		PolicyDecider twenty = under(20);
		PolicyCall one = new PolicyCall(new Question(this.ten, "key", 1, false));
		PolicyCall other = new PolicyCall(new Question(twenty, "key", 1, false));
		assertThat(one.isSameState(other)).isTrue();
		assertThat(one.isSameState(new PolicyCall(new Question(twenty, "other", 1, false)))).isFalse();
		PolicyDecider foreign = this.store.open(policy(10));
		assertThat(one.isSameState(new PolicyCall(new Question(foreign, "key", 1, false)))).isFalse();
	}

	@Test
	void versionsAreAskedInSessions() {
		PolicyDecider twenty = under(20);
		PolicyDecider other = this.store.open(policy(5));
		List<RateLimitDecision> decisions = this.store.sessions()
			.get()
			.decide(List.of(new Question(twenty, "key", 15, false), new Question(other, "key", 5, false)));
		assertThat(decisions).allMatch(RateLimitDecision::allowed);
		this.store.sessions().get().refund(List.of(new Given(twenty, "key", 15, decisions.get(0))));
		assertThat(this.ten.decide("key", 0).remaining()).isEqualTo(10);
		assertThat(IntStream.range(0, 20).filter((i) -> twenty.decide("key", 1).allowed()).count()).isEqualTo(20);
	}

	@Test
	void aStoreThatCannotGoOnSaysSo() {
		ResilientStore plain = new ResilientStore(new SpreadStore(this.shared),
				new ResilienceSettings(Duration.ofSeconds(20), SECOND, SECOND, 1), (policy) -> FailureMode.ALLOW,
				this.local::open, null, this.clock);
		assertThat(plain.open(policy(10)).under(policy(20))).isNull();
	}

}
