package io.github.ratelimit.remote;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitSession;
import io.github.ratelimit.store.RateLimitSession.Given;
import io.github.ratelimit.store.RateLimitSession.Question;
import io.github.ratelimit.store.SessionMode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a decision of several policies, each of ten permits and on a server of its own,
 * asks which server, what it takes and what it refunds where servers fail, and how long
 * it waits, in whichever mode it is asked. Answers are what remains, after a {@code ~} if
 * the fallback decided.
 */
@ParameterizedClass
@EnumSource(SessionMode.class)
class MultiPolicyTests extends RemoteStoreTest {

	private static final Duration TIMEOUT = SETTINGS.timeout();

	@Parameter
	private SessionMode mode;

	private final ResilientStore store = new ResilientStore(this.remote, SETTINGS,
			(policy) -> policy.name().equals("rejecting") ? FailureMode.REJECT : FailureMode.LOCAL, this.local::open,
			null, this.clock);

	private final Map<String, PolicyDecider> policies = new HashMap<>();

	private final PolicyDecider one = policy("one");

	private final PolicyDecider two = policy("two");

	private final WaitBudget time = new WaitBudget(TIMEOUT, this.clock);

	private final RateLimitSession session = new RemoteSession(this.remote, this.clock, this.time);

	MultiPolicyTests() {
		super(true);
	}

	private PolicyDecider policy(String name) {
		return this.policies
			.computeIfAbsent(name,
					(added) -> this.store.open(
							RateLimitPolicy.of(added,
									TestPolicies.limit(
											added.equals("queue") ? RateLimitAlgorithm.LEAKY_BUCKET
													: RateLimitAlgorithm.FIXED_WINDOW_COUNTER,
											10, Duration.ofDays(1)))));
	}

	/* Such as "one 3" for three permits of one. */
	private Question question(String text) {
		String[] words = text.split(" ");
		return Question.of(policy(words[0]), "key", Long.parseLong(words[1]), false);
	}

	private List<String> decide(String... questions) {
		return answers(decideIn(this.store.session(), questions));
	}

	private List<@Nullable RateLimitDecision> decideIn(RateLimitSession session, String... questions) {
		return this.mode.decide(session, Stream.of(questions).map(this::question).toList());
	}

	private static List<String> answers(List<@Nullable RateLimitDecision> decisions) {
		return decisions.stream()
			.map((decision) -> (decision == null) ? "none"
					: (decision.fallback() ? "~" : "") + (decision.allowed() ? decision.remaining() : "rejected"))
			.toList();
	}

	private List<Given> given(String... questions) {
		List<@Nullable RateLimitDecision> decisions = decideIn(this.session, questions);
		List<Given> given = new ArrayList<>();
		for (int i = 0; i < questions.length; i++) {
			Question question = question(questions[i]);
			given.add(new Given(question.decider(), "key", question.permits(), decisions.get(i)));
		}
		this.remote.asked();
		return given;
	}

	private void breakDown(String policy) {
		this.remote.failing.add(policy);
		for (int i = 0; i <= Breaker.FAILURES; i++) {
			policy(policy).decide("any", 0);
		}
		this.remote.asked();
	}

	private PolicyDecider inStore(PolicyDecider states) {
		return ((FakeRemoteStore.FakeDecider) ((ResilientStore.ResilientDecider) states).remote).states;
	}

	/* Deadlines are in real time. */
	private static void letTimePass(Duration time) {
		long start = RateLimitClock.system().nanos();
		while (RateLimitClock.system().nanos() - start < time.toNanos()) {
			Thread.onSpinWait();
		}
	}

	/*
	 * All are looked at before any is taken from, in order; a policy alone, or beside
	 * looks, is asked once; and what lacks permits rejects before the others are taken
	 * from.
	 */
	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					one 3, two 4          | 2 | 7, 6         | look at one, look at two, take 3 of one, take 4 of two
					one 3                 | 1 | 7            | take 3 of one
					one 3, two 0          | 1 | 7, 10        | take 3 of one, look at two
					three 0, one 3, two 4 | 2 | 10, 7, 6     | look at three, look at one, look at two, take 3 of one, take 4 of two
					one 3, two 10         | 2 | 7, 0         | look at one, look at two, take 3 of one, take 10 of two
					one 3, two 11         | 2 | 10, rejected | look at one, look at two, take 11 of two
					two 0, one 11         | 1 | 10, rejected | look at two, take 11 of one
					""")
	void aDecisionAsksAsLittleAsItCan(String questions, int waits, String answers, String asked) {
		this.remote.waits();
		assertThat(decide(questions.split(", "))).containsExactly(answers.split(", "));
		assertThat(this.remote.asked()).containsExactly(asked.split(", "));
		assertThat(this.remote.waits()).isEqualTo(waits);
	}

	@Test
	void whereOneCallDecidesItIsTheOnlyOne() {
		this.remote.together = true;
		assertThat(decide("one 3", "two 4")).containsExactly("7", "6");
		assertThat(this.remote.asked()).containsExactly("decide one+two");
		assertThat(decide("one 3", "two 7")).containsExactly("7", "rejected");
		assertThat(this.remote.asked()).containsExactly("decide one+two");
		assertThat(decide("one 1")).containsExactly("6");
		assertThat(this.remote.asked()).containsExactly("take 1 of one");
		this.remote.failing.add("two");
		assertThat(decide("one 3", "two 4")).containsExactly("~3", "~2");
	}

	@Test
	void theFallbackGoesOnFromALookToo() {
		inStore(this.one).decide("key", 4);
		decide("one 3", "two 11");
		this.remote.failing.add("one");
		assertThat(decide("one 0")).containsExactly("~6");
	}

	@Test
	void aPolicyThatLackedPermitsForAMomentIsTakenFromOnce() {
		decide("two 10");
		this.remote.asked();
		this.remote.meanwhile = () -> inStore(this.two).reset("key");
		assertThat(decide("one 3", "two 4")).containsExactly("7", "6");
		assertThat(this.remote.asked()).containsExactly("look at one", "look at two", "take 4 of two", "take 3 of one");
	}

	@Test
	void whatWasTakenBeforeAnotherRejectsIsRefunded() {
		this.remote.meanwhile = () -> inStore(this.two).decide("key", 10);
		assertThat(decide("one 3", "two 4")).containsExactly("none", "rejected");
		assertThat(this.remote.asked()).endsWith("take 3 of one", "take 4 of two", "later: refund 3 to one");
		assertThat(decide("one 0")).containsExactly("10");
	}

	@Test
	void whoWasRejectedBeforePermitsWereRefundedMayTryAgain() {
		this.remote.meanwhile = () -> {
			inStore(this.two).decide("key", 10);
			this.remote.meanwhile = () -> assertThat(decide("one 1")).containsExactly("rejected");
		};
		assertThat(decide("one 10", "two 1")).containsExactly("none", "rejected");
		assertThat(decide("one 1")).containsExactly("9");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aRejectionThatIsKnownAsksNoServer(boolean together) {
		this.remote.together = together;
		decide("one 3", "two 10");
		decide("one 3", "two 1");
		this.remote.asked();
		assertThat(decide("one 3", "two 1")).endsWith("rejected");
		assertThat(decide("two 1")).containsExactly("rejected");
		assertThat(this.remote.asked()).isEmpty();
	}

	@Test
	void aPolicyWhoseServerFailsFallsBackAlone() {
		this.remote.failing.add("two");
		assertThat(decide("one 3", "two 4")).containsExactly("7", "~6");
		assertThat(this.remote.asked()).containsExactly("look at one", "look at two", "take 3 of one");
		assertThat(this.two.fallbacks()).isOne();
	}

	@Test
	void aFallbackThatRejectsUndoesWhatTheStoreGave() {
		this.remote.failing.add("two");
		this.remote.meanwhile = () -> this.two.decide("key", 10);
		assertThat(decide("one 3", "two 4")).endsWith("~rejected");
		assertThat(decide("one 0")).containsExactly("10");
	}

	@Test
	void aFallbackThatIsKnownToRejectAsksNoServer() {
		breakDown("two");
		decide("two 10");
		assertThat(decide("one 3", "two 4")).containsExactly("none", "~rejected");
		assertThat(this.remote.asked()).isEmpty();
		assertThat(decide("one 0")).containsExactly("10");
	}

	@Test
	void aFallbackIsNotTakenFromWhereTheStoreRejects() {
		breakDown("two");
		long before = this.two.fallbacks();
		assertThat(decide("two 10", "one 11")).containsExactly("none", "rejected");
		assertThat(this.remote.asked()).containsExactly("take 11 of one");
		assertThat(this.two.fallbacks()).isEqualTo(before);
		assertThat(decide("two 0")).containsExactly("~10");
	}

	@Test
	void aLookOfAFallbackThatRejectsLeavesTheOthersTheirs() {
		this.remote.failing.addAll(List.of("one", "two", "rejecting"));
		assertThat(decide("one 0", "rejecting 0", "two 0")).containsExactly("~10", "~rejected", "~10");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aServerThatTookNoWritesIsBackWhenARequestHasWritten(boolean together) {
		this.remote.blame = StoreCallException.Blame.WRITES;
		this.remote.together = together;
		breakDown("one");
		this.remote.failing.clear();
		this.clock.advance(INTERVAL);
		decide("one 0", "two 0");
		assertThat(this.store.availability().isAvailable()).isFalse();
		assertThat(decide("one 1", "two 1")).containsExactly("9", "9");
		assertThat(this.store.availability().isAvailable()).isTrue();
	}

	@Test
	void theOneRequestThatTriesAServerAgainAsksIt() {
		breakDown("one");
		breakDown("two");
		decide("two 10");
		this.clock.advance(INTERVAL);
		this.remote.failing.clear();
		assertThat(decide("one 3", "two 4")).containsExactly("7", "6");
		assertThat(this.remote.asked()).containsExactly("look at one", "look at two", "take 3 of one", "take 4 of two");
		assertThat(this.store.availability().isAvailable()).isTrue();
	}

	@Test
	void theOneRequestThatTriesAServerAgainAsksItAlthoughAFallbackRejects() {
		breakDown("one");
		breakDown("two");
		decide("two 10");
		this.clock.advance(INTERVAL);
		this.two.decide("any", 0);
		this.remote.failing.remove("one");
		this.remote.asked();
		assertThat(decide("one 3", "two 4")).containsExactly("none", "~rejected");
		assertThat(this.remote.asked()).containsExactly("take 3 of one", "later: refund 3 to one");
		assertThat(decide("one 0")).containsExactly("10");
	}

	@Test
	void aCallForSeveralCountsForEachServer() {
		this.remote.together = true;
		for (boolean fails : new boolean[] { true, true, false, true, true, true }) {
			assertThat(this.store.availability().isAvailable()).isTrue();
			this.remote.failing.clear();
			this.remote.failing.addAll(fails ? List.of("one") : List.of());
			decide("one 1", "two 1");
		}
		assertThat(this.store.availability().failure()).isEqualTo("one: one hangs; two: one hangs");
	}

	@Test
	void failuresOfOneServerInOneStepCountAsOne() {
		this.remote.failing.add("one");
		for (int i = 0; i < Breaker.FAILURES; i++) {
			assertThat(this.store.availability().isAvailable()).isTrue();
			this.mode.decide(this.session,
					List.of(Question.of(this.one, "a", 0, false), Question.of(this.one, "b", 0, false)));
		}
		assertThat(this.store.availability().failure()).isEqualTo("one: one hangs");
	}

	@Test
	void whatCannotWaitIsAskedWithoutDelay() {
		decide("queue 1");
		this.remote.asked();
		List<@Nullable RateLimitDecision> decisions = this.mode.decide(this.session,
				List.of(Question.of(policy("queue"), "key", 1, true)));
		assertThat(this.remote.asked()).containsExactly("take 1 of queue at once");
		assertThat(decisions.get(0)).returns(true, RateLimitDecision::queueFull);
	}

	@Test
	void whatIsRefundedTogetherIsThereAndRejectionsAreForgotten() {
		List<Given> given = given("one 3", "two 10");
		decide("two 1");
		this.remote.asked();
		this.mode.refund(this.session, given);
		assertThat(this.remote.asked()).containsExactly("at once:", "refund 10 to two", "refund 3 to one");
		assertThat(decide("one 0", "two 1")).containsExactly("10", "9");
	}

	@Test
	void keysOfOnePolicyAreRefundedAtOnce() {
		List<Given> given = Stream.of("a", "b")
			.map((key) -> new Given(this.one, key, 1, this.one.decide(key, 1)))
			.toList();
		this.remote.asked();
		this.mode.refund(this.session, given);
		assertThat(this.remote.asked()).containsExactly("at once:", "refund 1 to one", "refund 1 to one");
	}

	@Test
	void severalDecisionsOnOneKeyAreRefundedInTurnTheLastFirst() {
		List<Given> given = new ArrayList<>();
		for (int permits = 1; permits <= 3; permits++) {
			given.addAll(given("queue " + permits));
		}
		this.mode.refund(this.session, given);
		assertThat(this.remote.asked()).containsExactly("at once:", "refund 3 to queue", "at once:",
				"refund 2 to queue", "at once:", "refund 1 to queue");
		assertThat(decide("queue 0")).containsExactly("10");
	}

	@Test
	void whatAFallbackGaveIsRefundedToIt() {
		this.remote.failing.add("two");
		this.mode.refund(this.session, given("one 3", "two 4"));
		assertThat(this.remote.asked()).containsExactly("at once:", "refund 3 to one");
		assertThat(decide("two 0")).containsExactly("~10");
	}

	@Test
	void whatTheStoreGaveStaysTakenWhileItsServerCannotBeAsked() {
		List<Given> given = given("one 3", "two 4");
		breakDown("two");
		assertThat(decide("two 2")).containsExactly("~4");
		this.mode.refund(this.session, given);
		assertThat(this.remote.asked()).containsExactly("at once:", "refund 3 to one");
		assertThat(decide("two 0")).containsExactly("~4");
		this.remote.failing.clear();
		this.clock.advance(INTERVAL);
		assertThat(decide("two 0")).containsExactly("6");
	}

	@Test
	void aFailureToRefundCountsAsAny() {
		List<Given> given = given("one 3");
		this.remote.failing.add("one");
		for (int i = 0; i < Breaker.FAILURES; i++) {
			assertThat(this.store.availability().isAvailable()).isTrue();
			this.mode.refund(this.session, given);
		}
		assertThat(this.store.availability().isAvailable()).isFalse();
	}

	@Test
	void withoutTimeNoServerIsAskedAndNoneIsBlamed() {
		List<Given> given = given("one 3");
		breakDown("two");
		this.remote.failing.clear();
		this.clock.advance(INTERVAL);
		this.time.use(TIMEOUT.toNanos(), false);
		assertThat(answers(decideIn(this.session, "one 3", "two 4"))).containsExactly("~4", "~6");
		assertThat(this.remote.asked()).isEmpty();
		this.mode.refund(this.session, given);
		assertThat(this.remote.asked()).containsExactly("later: refund 3 to one");
		assertThat(decide("one 0", "two 0")).containsExactly("10", "10");
	}

	@Test
	void whereTimeIsOverMeanwhileTheRestFallsBack() {
		Duration timeout = Duration.ofMillis(500);
		this.remote.meanwhile = () -> letTimePass(timeout);
		RateLimitSession session = new RemoteSession(this.remote, this.clock, new WaitBudget(timeout, this.clock));
		assertThat(answers(decideIn(session, "one 3", "two 4"))).containsExactly("~7", "~6");
		assertThat(this.remote.asked()).containsExactly("look at one", "look at two");
		assertThat(this.store.availability().failure()).isNull();
	}

	@ParameterizedTest
	@CsvSource({ "false, false", "false, true", "true, false", "true, true" })
	void aWaitForAnswersCountsForTheRequestAndOneInVainOnlyLately(boolean refund, boolean inVain) {
		List<Given> given = given("one 3");
		WaitBudget time = new WaitBudget(TIMEOUT, this.clock);
		RateLimitSession session = new RemoteSession(this.remote, this.clock, time);
		this.remote.failing.addAll(inVain ? List.of("one") : List.of());
		if (refund) {
			this.remote.beforeChange = () -> letTimePass(Duration.ofNanos(1));
			this.mode.refund(session, given);
		}
		else {
			this.remote.meanwhile = () -> letTimePass(Duration.ofNanos(1));
			decideIn(session, "one 3");
		}
		assertThat(time.left()).isLessThan(TIMEOUT);
		this.clock.advance(TIMEOUT.multipliedBy(11));
		assertThat(time.left().equals(TIMEOUT)).isEqualTo(inVain);
	}

	@Test
	void aCallWithinTheRequestHasItsOwnTime() {
		this.remote.meanwhile = () -> letTimePass(Duration.ofNanos(1));
		decideIn(this.session.call(), "one 3");
		assertThat(this.time.left()).isEqualTo(TIMEOUT);
	}

}
