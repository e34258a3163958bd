package io.github.ratelimit.request;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.store.RateLimitSession;
import io.github.ratelimit.test.ManualClock;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

/**
 * {@link Acquisition} from a store that answers for several policies at once.
 */
class JointPermitsTests {

	private final ManualClock clock = ManualClock.atMidnight();

	private final LocalRateLimitStore local = new LocalRateLimitStore(this.clock, 100);

	private final JointStore store = new JointStore(this.local);

	private final List<String> reported = new ArrayList<>();

	private final StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(this.store,
			List.of((policy, key, decision, outcome) -> this.reported.add(outcome + " " + policy.name() + " " + key)));

	private final RateLimiter ten = bucket(this.registry, "ten", 10);

	private final RateLimiter five = bucket(this.registry, "five", 5);

	private final Acquisition acquisition = new Acquisition(this.clock);

	@AfterEach
	void close() {
		this.local.close();
	}

	@Test
	void allPoliciesAreAskedInOneStepAndEachIsReported() {
		assertThat(take(of(this.ten, "a", 2), of(this.five, "b", 3))).isTrue();
		assertThat(this.store.asked()).hasSize(1);
		assertThat(questions(0)).containsExactly(tuple("a", 2L, false), tuple("b", 3L, false));
		assertThat(this.acquisition.entries()).extracting((entry) -> entry.decision().remaining())
			.containsExactly(8L, 2L);
		assertThat(this.reported).containsExactly("ALLOWED ten a", "ALLOWED five b");
	}

	@Test
	void requestsOfOnePolicyAndKeyAreOneQuestionOfTheHighestCost() {
		assertThat(take(of(this.ten, "b", 1), of(this.ten, "a", 2), of(this.five, "a", 1), of(this.ten, "a", 3)))
			.isTrue();
		assertThat(questions(0)).containsExactly(tuple("b", 1L, false), tuple("a", 3L, false), tuple("a", 1L, false));
		assertThat(this.acquisition.entries()).extracting((entry) -> entry.decision().remaining())
			.containsExactly(9L, 7L, 4L);
	}

	@Test
	void aPolicyThatChangesBetweenTwoPlacesIsAskedAsItWasAtTheFirst() {
		PermitRequest before = of(this.ten, "a", 1);
		PermitRequest other = of(this.five, "a", 1);
		this.registry
			.change(RateLimitPolicy.of("ten", RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 20, Duration.ofMinutes(1))))
			.make();
		assertThat(take(before, other, of(this.ten, "a", 2))).isTrue();
		assertThat(questions(0)).containsExactly(tuple("a", 2L, false), tuple("a", 1L, false));
		assertThat(this.acquisition.entries()).extracting((entry) -> entry.policy().capacity())
			.containsExactly(10L, 5L);
	}

	@Test
	void aRejectionIsAllThatIsSaidAndReported() {
		assertThat(take(of(this.ten, "a", 2), of(this.five, "a", 6))).isFalse();
		assertThat(this.acquisition.entries()).containsExactly(this.acquisition.rejection())
			.extracting((entry) -> entry.request().limiter())
			.containsExactly(StoreRateLimiter.of(this.five));
		assertThat(this.reported).containsExactly("REJECTED five a");
		assertThat(this.store.given()).isEmpty();
		assertThat(this.ten.peek("a").remaining()).isEqualTo(10);
	}

	@Test
	void whatEarlierStepsTookIsRefundedInOneStepTheLastReportedFirst() {
		take(of(this.ten, "a", 2), of(this.five, "a", 3));
		this.reported.clear();
		assertThat(take(of(this.five, "b", 6))).isFalse();
		assertThat(this.store.given()).hasSize(1);
		assertThat(given(0)).containsExactly(tuple("a", 2L), tuple("a", 3L));
		assertThat(questions(2)).containsExactly(tuple("a", 0L, false), tuple("a", 0L, false));
		assertThat(this.reported).containsExactly("REJECTED five b", "RETURNED five a", "RETURNED ten a");
		assertThat(this.acquisition.entries()).extracting((entry) -> entry.decision().remaining())
			.containsExactly(10L, 5L, 5L);
		assertThat(this.acquisition.entries()).extracting((entry) -> entry.request().permits())
			.containsExactly(0L, 0L, 6L);
	}

	@Test
	void whatOneKeyGaveInTwoStepsIsRefundedOfBoth() {
		take(of(this.ten, "a", 2), of(this.ten, "a", 3), of(this.ten, "b", 1));
		take(of(this.ten, "a", 5));
		assertThat(take(of(this.five, "b", 6))).isFalse();
		assertThat(given(0)).containsExactly(tuple("a", 3L), tuple("b", 1L), tuple("a", 2L));
		assertThat(this.ten.count(RateLimitOutcome.RETURNED)).isEqualTo(3);
		assertThat(this.ten.peek("a").remaining()).isEqualTo(10);
	}

	@Test
	void whatWasRefundedIsNotRefundedAgain() {
		take(of(this.ten, "a", 2));
		take(of(this.five, "a", 6));
		this.reported.clear();
		assertThat(take(of(this.five, "a", 6))).isFalse();
		assertThat(this.store.given()).hasSize(1);
		assertThat(this.reported).containsExactly("REJECTED five a");
	}

	@Test
	void onlyWhatWasTakenIsRefunded() {
		take(of(this.ten, "a", 0), of(this.five, "a", 1));
		take(of(this.five, "a", 6));
		assertThat(given(0)).containsExactly(tuple("a", 1L));
	}

	@Test
	void aRequestThatCostsNothingIsNotReported() {
		assertThat(take(of(this.ten, "a", 0))).isTrue();
		assertThat(this.reported).isEmpty();
		assertThat(this.acquisition.entries()).hasSize(1);
	}

	@Test
	void aRequestThatCostsLessThanNothingIsAMistakeAndAsksNothing() {
		assertThatIllegalArgumentException().isThrownBy(() -> take(of(this.ten, "a", 1), of(this.five, "a", -1)))
			.withMessage("A request cannot cost -1 permits; use 1 or more");
		assertThat(this.store.asked()).isEmpty();
	}

	@Test
	void nothingIsAskedForNothing() {
		assertThat(take()).isTrue();
		assertThat(this.store.asked()).isEmpty();
	}

	@Test
	void aPolicyThatMustNotDelayIsAskedAtOnce() {
		RateLimiter queue = this.registry.register(RateLimitPolicy.of("queue",
				RateLimit.builder(RateLimitAlgorithm.LEAKY_BUCKET)
					.limit(1)
					.window(Duration.ofSeconds(1))
					.burst(10L)
					.build()));
		Acquisition hasty = new Acquisition(this.clock, new WaitingRoom(0), Long.MAX_VALUE);
		assertThat(hasty.take(List.of(of(queue, "a", 1), of(this.ten, "a", 1)))).isTrue();
		assertThat(questions(0)).containsExactly(tuple("a", 1L, true), tuple("a", 1L, false));
	}

	@Test
	void aRequestHasOneSessionAndEachCallWithinItOneOfItsOwn() {
		take(of(this.ten, "a", 1));
		take(of(this.five, "a", 1));
		assertThat(this.store.opened()).containsExactly("request");
		Acquisition call = this.acquisition.call("place");
		assertThat(call.take(List.of(of(this.ten, "b", 1)))).isTrue();
		assertThat(call.take(List.of(of(this.five, "b", 1)))).isTrue();
		assertThat(this.store.opened()).containsExactly("request", "call");
	}

	private boolean take(PermitRequest... requests) {
		return this.acquisition.take(Arrays.asList(requests));
	}

	private List<Tuple> questions(int step) {
		return this.store.asked()
			.get(step)
			.stream()
			.map((RateLimitSession.Question question) -> tuple(question.key(), question.permits(),
					question.withoutDelay()))
			.toList();
	}

	private List<Tuple> given(int step) {
		return this.store.given().get(step).stream().map((given) -> tuple(given.key(), given.permits())).toList();
	}

	private static PermitRequest of(RateLimiter limiter, String key, long permits) {
		return PermitRequest.of(limiter, key, permits);
	}

	private static RateLimiter bucket(RateLimiterRegistry registry, String name, long limit) {
		return registry.register(
				RateLimitPolicy.of(name, RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, limit, Duration.ofMinutes(1))));
	}

}
