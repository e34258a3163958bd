package io.github.ratelimit.request;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.store.RateLimitSession;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * {@link Acquisition} from a store that answers for several policies at once.
 */
@ParameterizedClass
@EnumSource(Asking.class)
class SessionAcquisitionTests extends Acquiring {

	private final StoreWithSessions store = new StoreWithSessions(this.local);

	private final List<String> reported = new ArrayList<>();

	private final RateLimiter ten;

	private final RateLimiter five;

	SessionAcquisitionTests(Asking asking) {
		super(asking);
		this.registry = registry(asking.of(this.store),
				(policy, key, decision, outcome) -> this.reported.add(outcome + " " + policy.name() + " " + key));
		this.ten = bucket("ten", 10);
		this.five = bucket("five", 5);
	}

	@Test
	void allPoliciesAreAskedInOneStepAndEachIsReported() {
		assertThat(take(of(this.ten, "a", 2), of(this.five, "b", 3))).isTrue();
		assertThat(this.store.asked).hasSize(1);
		assertThat(questions(0)).containsExactly(tuple("a", 2L, false), tuple("b", 3L, false));
		assertThat(this.request.entries()).extracting((entry) -> entry.decision().remaining()).containsExactly(8L, 2L);
		assertThat(this.reported).containsExactly("ALLOWED ten a", "ALLOWED five b");
	}

	@Test
	void requestsOfOnePolicyAndKeyAreOneQuestionOfTheHighestCost() {
		assertThat(take(of(this.ten, "b", 1), of(this.ten, "a", 2), of(this.five, "a", 1), of(this.ten, "a", 3)))
			.isTrue();
		assertThat(questions(0)).containsExactly(tuple("b", 1L, false), tuple("a", 3L, false), tuple("a", 1L, false));
		assertThat(this.request.entries()).extracting((entry) -> entry.decision().remaining())
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
		assertThat(this.request.entries()).extracting((entry) -> entry.policy().capacity()).containsExactly(10L, 5L);
	}

	@Test
	void aRejectionIsAllThatIsSaidAndReported() {
		assertThat(take(of(this.ten, "a", 2), of(this.five, "a", 6))).isFalse();
		assertThat(this.request.entries()).containsExactly(this.request.rejection())
			.extracting((entry) -> entry.request().limiter())
			.containsExactly(StoreRateLimiter.of(this.five));
		assertThat(this.reported).containsExactly("REJECTED five a");
		assertThat(this.store.given).isEmpty();
		assertThat(this.ten.peek("a").remaining()).isEqualTo(10);
	}

	@Test
	void whatEarlierStepsTookIsRefundedInOneStepTheLastReportedFirst() {
		take(of(this.ten, "a", 2), of(this.five, "a", 3));
		this.reported.clear();
		assertThat(take(of(this.five, "b", 6))).isFalse();
		assertThat(this.store.given).hasSize(1);
		assertThat(given(0)).containsExactly(tuple("a", 2L), tuple("a", 3L));
		assertThat(questions(2)).containsExactly(tuple("a", 0L, false), tuple("a", 0L, false));
		assertThat(this.reported).containsExactly("REJECTED five b", "RETURNED five a", "RETURNED ten a");
		assertThat(this.request.entries()).extracting((entry) -> entry.decision().remaining())
			.containsExactly(10L, 5L, 5L);
		assertThat(this.request.entries()).extracting((entry) -> entry.request().permits()).containsExactly(0L, 0L, 6L);
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
		assertThat(this.store.given).hasSize(1);
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
		assertThat(this.request.entries()).hasSize(1);
	}

	@Test
	void nothingIsAskedForNothing() {
		assertThat(take()).isTrue();
		assertThat(this.store.asked).isEmpty();
	}

	@Test
	void aPolicyThatMustNotDelayIsAskedAtOnce() {
		RateLimiter queue = queue("queue");
		Acquisition hasty = new Acquisition(new WaitingRoom(this.clock, 0));
		assertThat(take(hasty, List.of(of(queue, "a", 1), of(this.ten, "a", 1)))).isTrue();
		assertThat(questions(0)).containsExactly(tuple("a", 1L, true), tuple("a", 1L, false));
	}

	@Test
	void aRequestHasOneSessionAndEachCallWithinItOneOfItsOwn() {
		take(of(this.ten, "a", 1));
		take(of(this.five, "a", 1));
		assertThat(this.store.opened).containsExactly("request");
		Acquisition call = this.request.call("location");
		assertThat(take(call, List.of(of(this.ten, "b", 1)))).isTrue();
		assertThat(take(call, List.of(of(this.five, "b", 1)))).isTrue();
		assertThat(this.store.opened).containsExactly("request", "call");
	}

	private List<Tuple> questions(int step) {
		return this.store.asked.get(step)
			.stream()
			.map((RateLimitSession.Question question) -> tuple(question.key(), question.permits(),
					question.withoutDelay()))
			.toList();
	}

	private List<Tuple> given(int step) {
		return this.store.given.get(step).stream().map((given) -> tuple(given.key(), given.permits())).toList();
	}

}
