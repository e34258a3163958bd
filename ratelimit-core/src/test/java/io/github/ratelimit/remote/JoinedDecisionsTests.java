package io.github.ratelimit.remote;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.Threads;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.remote.StoreCallException.Blame;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.model.Decisions;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Which requests join, what they are answered, and what becomes of those that give up or
 * fail. The store answers when the test lets it.
 */
class JoinedDecisionsTests extends RemoteStoreTest {

	private static final int UNDER_WAY = HeldDecider.FEW;

	private final HeldDecider states = new HeldDecider(this.remote.open(RateLimitPolicy.of("policy", TEN)));

	private final PostedCalls posted = new PostedCalls();

	private final JoinedDecisions joined = joined(this.states);

	/* Is over at once if it is awaited. */
	private final Deadline over = Deadline.after(Duration.ZERO);

	private final Deadline patient = Deadline.after(SETTINGS.timeout());

	private boolean asking = true;

	private JoinedDecisions joined(RemoteDecider states) {
		return new JoinedDecisions(states, (key, permits, given) -> this.posted.post(states.refund(key, permits, given),
				RemoteStore.Answer::await));
	}

	@AfterEach
	void nothingIsKept() {
		this.asking = false;
		answerAll();
		assertThat(this.joined.queues).isEmpty();
		assertThat(this.joined.queuesWithoutDelay).isEmpty();
	}

	private void answerAll() {
		while (!this.states.held.isEmpty()) {
			answerNext();
		}
	}

	private void answerNext() {
		this.states.held.remove(0).answer();
	}

	private RemoteStore.Answer<RateLimitDecision> start(long permits, Deadline deadline) {
		return this.joined.decide("key", permits, false, deadline);
	}

	private CompletableFuture<RateLimitDecision> ask(long permits) {
		return later(start(permits, this.patient));
	}

	private static CompletableFuture<RateLimitDecision> later(RemoteStore.Answer<RateLimitDecision> answer) {
		return answer.later(answer::await).toCompletableFuture();
	}

	private void keepAsking() {
		ask(0).thenRun(() -> {
			if (this.asking) {
				keepAsking();
			}
		});
	}

	private List<CompletableFuture<RateLimitDecision>> ask(long... permits) {
		return LongStream.of(permits).mapToObj(this::ask).toList();
	}

	/* Those that are sent from now on join. */
	private void askFourTimes() {
		IntStream.range(0, UNDER_WAY).forEach((i) -> ask(0));
	}

	/* The permits of each call that is under way, of those that were sent last. */
	private List<String> sent() {
		List<HeldDecider.Held<?>> held = this.states.held;
		return held.stream().map((call) -> Arrays.toString(call.permits)).toList();
	}

	private static List<String> told(List<CompletableFuture<RateLimitDecision>> answers) {
		return answers.stream()
			.map((answer) -> !answer.isDone() ? "-"
					: answer.join().allowed() ? "" + answer.join().remaining() : "rejected")
			.toList();
	}

	@Test
	void whoFindsFewUnderWayIsSentAloneAndMoreTogetherOnceFewAre() {
		List<CompletableFuture<RateLimitDecision>> answers = ask(1, 1, 1, 1, 2, 0, 9, 3, 1);
		assertThat(sent()).containsExactly("[1]", "[1]", "[1]", "[1]");
		answerNext();
		assertThat(sent()).containsExactly("[1]", "[1]", "[1]", "[2, 0, 9, 3, 1]");
		assertThat(told(answers)).startsWith("9", "-").endsWith("-");
		ask(5);
		IntStream.range(0, 3).forEach((i) -> answerNext());
		assertThat(sent()).containsExactly("[2, 0, 9, 3, 1]");
		answerNext();
		assertThat(sent()).containsExactly("[5]");
		assertThat(told(answers)).containsExactly("9", "8", "7", "6", "4", "4", "rejected", "1", "0");
	}

	@Test
	void thoseWhoAskAgainOnceTheyAreToldJoinTheNextCall() {
		askFourTimes();
		ask(1, 1, 1, 1).forEach((answer) -> answer.thenRun(() -> ask(2)));
		IntStream.range(0, UNDER_WAY).forEach((i) -> answerNext());
		assertThat(sent()).containsExactly("[1, 1, 1, 1]");
		answerNext();
		assertThat(sent()).containsExactly("[2, 2, 2, 2]");
	}

	@Test
	void halfOfManyAreToldWhileTheStoreDecidesForTheOthers() {
		IntStream.range(0, 64).forEach((i) -> keepAsking());
		for (int i = 0; i < 2 * UNDER_WAY; i++) {
			answerNext();
		}
		assertThat(this.states.held.stream().map((call) -> call.permits.length)).containsExactly(32, 32);
	}

	@Test
	void whoWaitsAloneIsSentAlone() {
		askFourTimes();
		CompletableFuture<RateLimitDecision> answer = ask(3);
		answerNext();
		assertThat(sent()).endsWith("[3]");
		answerAll();
		assertThat(answer).isCompletedWithValueMatching((decision) -> decision.remaining() == 7);
	}

	@Test
	void othersAreThoseForAnotherKeyAndThoseThatCannotWait() {
		askFourTimes();
		this.joined.decide("other", 2, false, this.patient);
		this.joined.decide("key", 3, true, this.patient);
		assertThat(sent()).endsWith("[2]", "[3]");
	}

	@Test
	void aStoreThatCannotJoinIsAskedForEach() {
		this.states.joins = false;
		ask(1, 2, 3, 4, 5, 6);
		assertThat(sent()).containsExactly("[1]", "[2]", "[3]", "[4]", "[5]", "[6]");
	}

	@Test
	void soManyAreSentWhateverIsUnderWay() {
		askFourTimes();
		LongStream.range(1, JoinedDecisions.MAX_WAITING).forEach((i) -> ask(0));
		assertThat(sent()).hasSize(UNDER_WAY);
		ask(0);
		assertThat(this.states.held.get(UNDER_WAY).permits).hasSize(JoinedDecisions.MAX_WAITING);
	}

	@Test
	void whoGivesUpBeforeItIsSentNeverIsAndBlamesNoServer() {
		askFourTimes();
		RemoteStore.Answer<RateLimitDecision> impatient = start(5, this.over);
		CompletableFuture<RateLimitDecision> patient = ask(1);
		assertThat(failure(impatient).blame()).isEqualTo(Blame.CALLER);
		answerAll();
		assertThat(patient).isCompletedWithValueMatching((decision) -> decision.remaining() == 9);
		assertThat(this.remote.asked()).doesNotContain("take 5 of ");
	}

	/* The last first, and neither looks nor rejections. */
	@Test
	void whoGivesUpWhileItsCallIsUnderWayIsRefundedOnceWhenTheAnswerComes() {
		askFourTimes();
		List<RemoteStore.Answer<RateLimitDecision>> impatient = new ArrayList<>();
		for (long permits : new long[] { 1, 0, 2, 90, 3 }) {
			impatient.add(start(permits, this.over));
		}
		CompletableFuture<RateLimitDecision> patient = ask(4);
		answerNext();
		assertThat(impatient.stream().map(JoinedDecisionsTests::failure).distinct()).singleElement()
			.returns(Blame.SERVER, StoreCallException::blame);
		answerAll();
		assertThat(told(List.of(patient))).containsExactly("0");
		assertThat(this.remote.asked()).filteredOn((text) -> text.contains("refund"))
			.containsExactly("later: refund 3 to ", "later: refund 2 to ", "later: refund 1 to ");
		assertThat(this.shared.open(RateLimitPolicy.of("policy", TEN)).decide("key", 0).remaining()).isEqualTo(10);
	}

	private static StoreCallException failure(RemoteStore.Answer<?> answer) {
		return catchThrowableOfType(StoreCallException.class, answer::await);
	}

	@Test
	void whoHoldsNoThreadGivesUpAtItsDeadlineWhetherItWaitsOrHasJoined() {
		askFourTimes();
		Deadline soon = Deadline.after(Duration.ofSeconds(3));
		CompletableFuture<RateLimitDecision> joined = later(start(1, soon));
		CompletableFuture<RateLimitDecision> patient = ask(4);
		answerNext();
		CompletableFuture<RateLimitDecision> waiting = later(start(1, soon));
		assertThat(blame(joined)).isEqualTo(Blame.SERVER);
		assertThat(blame(waiting)).isEqualTo(Blame.CALLER);
		assertThat(soon.remainingNanos()).isZero();
		assertThat(patient).isNotDone();
		answerAll();
		assertThat(told(List.of(patient))).containsExactly("5");
		assertThat(this.remote.asked()).contains("later: refund 1 to ");
	}

	@ParameterizedTest
	@NullAndEmptySource
	void whoIsNotToldWhenItsCallIsAnsweredFailsAtOnce(@Nullable List<RateLimitDecision> decisions) {
		askFourTimes();
		List<CompletableFuture<RateLimitDecision>> answers = ask(1, 1);
		answerNext();
		HeldDecider.Held<?> call = this.states.held.remove(UNDER_WAY - 1);
		complete(call.answer, decisions);
		assertThat(answers).allMatch(CompletableFuture::isCompletedExceptionally);
	}

	@SuppressWarnings("unchecked")
	private static <T> void complete(HeldAnswer<T> answer, @Nullable Object value) {
		answer.complete((T) value);
	}

	private static Blame blame(CompletableFuture<?> failed) {
		CompletionException failure = catchThrowableOfType(CompletionException.class, failed::join);
		return ((StoreCallException) failure.getCause()).blame();
	}

	@Test
	void whoIsInterruptedGivesUpToo() {
		askFourTimes();
		RemoteStore.Answer<RateLimitDecision> interrupted = start(5, this.patient);
		ask(1);
		answerNext();
		Thread.currentThread().interrupt();
		assertThat(failure(interrupted).blame()).isEqualTo(Blame.CALLER);
		assertThat(Thread.interrupted()).isTrue();
		answerAll();
		assertThat(this.remote.asked()).contains("later: refund 5 to ");
	}

	@Test
	void aCallIsAwaitedForAsLongAsOneThatHasJoinedWaits() {
		askFourTimes();
		Deadline longest = Deadline.after(SETTINGS.timeout().plusSeconds(1));
		start(1, this.over);
		start(1, longest);
		start(1, this.patient);
		answerNext();
		assertThat(this.states.held.get(UNDER_WAY - 1).deadline).isSameAs(longest);
	}

	@Test
	void aFailureIsThatOfAllThatHaveJoinedAlsoIfSomeHaveGivenUpBefore() {
		askFourTimes();
		RemoteStore.Answer<RateLimitDecision> impatient = start(1, this.over);
		RemoteStore.Answer<RateLimitDecision> first = start(1, this.patient);
		RemoteStore.Answer<RateLimitDecision> second = start(1, this.patient);
		answerNext();
		StoreCallException gaveUp = failure(impatient);
		this.states.held.remove(UNDER_WAY - 1).fail(new StoreCallException("reset", null, Blame.SERVER));
		assertThat(failure(first)).isSameAs(gaveUp);
		assertThat(failure(second)).isSameAs(gaveUp);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void whatFailsMakesWayForThoseThatWait(boolean joins) {
		askFourTimes();
		if (joins) {
			ask(1, 1);
			answerNext();
		}
		CompletableFuture<RateLimitDecision> answer = ask(3);
		this.states.held.remove(UNDER_WAY - 1).fail(new StoreCallException("reset", null, Blame.SERVER));
		assertThat(sent()).endsWith("[3]");
		answerAll();
		assertThat(answer).isCompletedWithValueMatching((decision) -> decision.remaining() == 7);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void anErrorFailsThoseThatHaveJoinedAndNoOthers(boolean atOnce) {
		Error error = new NoClassDefFoundError("for this test");
		HeldDecider broken = new HeldDecider(this.remote.open(RateLimitPolicy.of("broken", TEN))) {

			@Override
			public RemoteStore.Call<List<RateLimitDecision>> decideAll(String key, long[] permits,
					boolean withoutDelay) {
				if (atOnce) {
					throw error;
				}
				return super.decideAll(key, permits, withoutDelay);
			}

		};
		JoinedDecisions decisions = joined(broken);
		List<RemoteStore.Answer<RateLimitDecision>> answers = IntStream.range(0, UNDER_WAY + 2)
			.mapToObj((i) -> decisions.decide("key", 1, false, this.patient))
			.toList();
		broken.held.remove(0).answer();
		if (!atOnce) {
			broken.held.remove(UNDER_WAY - 1).fail(error);
		}
		for (RemoteStore.Answer<RateLimitDecision> answer : answers.subList(UNDER_WAY, UNDER_WAY + 2)) {
			assertThatExceptionOfType(CompletionException.class).isThrownBy(answer::await).withCause(error);
		}
		broken.held.forEach(HeldDecider.Held::answer);
		assertThat(answers.get(1).await().remaining()).isEqualTo(8);
		assertThat(decisions.queues).isEmpty();
	}

	@Test
	void whatCannotBeSentKeepsNobodyWaiting() {
		HeldDecider broken = new HeldDecider(this.remote.open(RateLimitPolicy.of("broken", TEN))) {

			@Override
			public RemoteStore.Call<RateLimitDecision> decide(String key, long permits, boolean withoutDelay) {
				return (deadline) -> {
					throw new NoClassDefFoundError("for this test");
				};
			}

		};
		JoinedDecisions decisions = joined(broken);
		for (int i = 0; i <= UNDER_WAY; i++) {
			assertThatExceptionOfType(NoClassDefFoundError.class)
				.isThrownBy(() -> decisions.decide("key", 1, false, this.patient));
		}
	}

	@Test
	void whatOneDoesWithItsAnswerCostsNoOtherItsOwn() {
		askFourTimes();
		List<String> events = new ArrayList<>();
		ask(1).thenAccept((decision) -> {
			events.add("asks again");
			ask(2).thenAccept((again) -> events.add("has " + again.remaining()));
			throw new IllegalStateException("for this test");
		});
		ask(1).thenAccept((decision) -> events.add("has " + decision.remaining()));
		answerAll();
		assertThat(events).containsExactly("asks again", "has 8", "has 6");
	}

	/* Requests alike and unlike, in joins of all sizes. */
	@Test
	void randomRequestsAreDecidedAsIfEachHadComeAlone() {
		RandomCases.check(200, (random) -> {
			RateLimitPolicy policy = RandomLimits.policy(random, 1000, 52);
			try (LocalRateLimitStore one = new LocalRateLimitStore(this.clock, 100);
					LocalRateLimitStore other = new LocalRateLimitStore(this.clock, 100)) {
				HeldDecider held = new HeldDecider(new FakeRemoteStore(one, false).open(policy));
				JoinedDecisions decisions = joined(held);
				PolicyDecider alone = other.open(policy);
				for (int round = 0; round < 20; round++) {
					List<Runnable> checks = new ArrayList<>();
					boolean withoutDelay = random.nextInt(4) == 0;
					for (int i = random.nextInt(random.nextInt(5) == 0 ? 80 : 12); i >= 0; i--) {
						long permits = random.nextInt(4);
						CompletableFuture<RateLimitDecision> answer = later(
								decisions.decide("key", permits, withoutDelay, this.patient));
						checks.add(() -> assertThat(Decisions.describe(answer.join()))
							.isEqualTo(Decisions.describe(withoutDelay ? alone.decideWithoutDelay("key", permits)
									: alone.decide("key", permits))));
					}
					while (!held.held.isEmpty()) {
						held.held.remove(0).answer();
					}
					checks.forEach(Runnable::run);
					this.clock.advanceNanos(RandomLimits.pause(random, alone.decide("key", 0), policy.limits().get(0)));
				}
			}
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void nobodyIsLostAndNoPermitIsGivenTwiceAmongManyThreads(boolean waits) throws Exception {
		int threads = 64;
		int each = 100;
		HeldDecider held = new HeldDecider(this.remote.open(RateLimitPolicy.of("many", limit(threads * each / 2))));
		JoinedDecisions decisions = joined(held);
		AtomicBoolean running = new AtomicBoolean(true);
		Thread server = new Thread(() -> {
			while (running.get()) {
				held.held.stream().findFirst().ifPresent((call) -> {
					held.held.remove(call);
					call.answer();
				});
			}
		});
		server.start();
		long taken = Threads.sum(threads, (number) -> LongStream.range(0, each).filter((i) -> {
			RemoteStore.Answer<RateLimitDecision> answer = decisions.decide("key", 1, false, this.patient);
			return (waits ? answer.await() : later(answer).join()).allowed();
		}).count());
		running.set(false);
		server.join();
		assertThat(taken).isEqualTo(threads * each / 2);
		assertThat(this.remote.calls()).isLessThanOrEqualTo(threads * each);
		assertThat(decisions.queues).isEmpty();
	}

}
