package io.github.ratelimit.remote;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.LongStream;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.local.JavaProcess;
import io.github.ratelimit.store.LateCharge;
import io.github.ratelimit.store.RateLimitDecisions;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Interleavings of a few requests for one key, of which one call may be under way at a
 * time, as many as a model checker tries: each must be answered as if the requests had
 * come one after the other, none may wait for ever, and nothing may be left.
 */
@Tag("slow")
class JoiningInterleavingTests {

	private static final int SCENARIOS = 8 * Integer.getInteger("ratelimit.interleavings", 1);

	/* The checker looks into all that lives in its process. */
	@Test
	void requestsAreDecidedAsIfOneCameAfterTheOther() throws Exception {
		JavaProcess checker = JavaProcess.run(JoiningInterleavingTests.class, "-XX:TieredStopAtLevel=1",
				"-XX:+UseSerialGC", "-Xmx768m", "-Dratelimit.interleavings=" + SCENARIOS / 8);
		assertThat(checker.exit()).as(checker.text()).isZero();
		assertThat(checker.text()).containsSubsequence("Patient", "Impatient requests are");
	}

	public static void main(String[] arguments) {
		for (Class<?> requests : List.of(Patient.class, Impatient.class)) {
			new ModelCheckingOptions().threads(3)
				.actorsPerThread(1)
				.actorsBefore(0)
				.actorsAfter(1)
				.iterations(SCENARIOS)
				.invocationsPerIteration(150)
				.check(requests);
			System.out.println(requests.getSimpleName() + " requests are decided as if one came after the other");
		}
	}

	/**
	 * A key whose permits are counted.
	 */
	public abstract static class OneKey {

		private static final int ALWAYS_UNDER_WAY = 3;

		static final Deadline PATIENT = Deadline.after(Duration.ofHours(1));

		private final AtomicLong left = new AtomicLong(10);

		private final AtomicLong given = new AtomicLong();

		final JoinedDecisions joined;

		OneKey() {
			Counter counter = new Counter(this.left);
			this.joined = new JoinedDecisions(counter, this::refund);
			for (int i = 0; i < ALWAYS_UNDER_WAY; i++) {
				this.joined.decide("key", 0, false, PATIENT);
			}
			counter.answers = true;
		}

		private CompletionStage<Void> refund(String key, long permits, RateLimitDecision given) {
			this.left.addAndGet(permits);
			return CompletableFuture.completedStage(null);
		}

		RateLimitDecision take(long permits, Deadline deadline) {
			RateLimitDecision decision = this.joined.decide("key", permits, false, deadline).await();
			this.given.addAndGet(decision.allowed() ? permits : 0);
			return decision;
		}

		@Validate
		public void whatIsGoneWasGivenAndNoCallIsLeft() {
			long gone = 10 - this.left.get();
			if (gone != this.given.get()
					|| this.joined.queues.values().stream().anyMatch((queue) -> queue.underWay() != ALWAYS_UNDER_WAY)) {
				throw new AssertionError(gone + " of " + this.given + ", " + this.joined.queues);
			}
		}

	}

	/**
	 * Requests that wait.
	 */
	public static class Patient extends OneKey {

		@Operation
		public String takeOne() {
			return take(1);
		}

		@Operation
		public String takeFour() {
			return take(4);
		}

		@Operation
		public String look() {
			return take(0);
		}

		private String take(long permits) {
			RateLimitDecision decision = take(permits, PATIENT);
			return decision.allowed() + " " + decision.remaining();
		}

	}

	/**
	 * Requests that give up if they are not answered at once: their permits are there
	 * again, or were never taken.
	 */
	public static class Impatient extends OneKey {

		@Operation
		public void takeTwo() {
			take(2, PATIENT);
		}

		@Operation
		public void takeOneOrGiveUp() {
			try {
				take(1, Deadline.after(Duration.ZERO));
			}
			catch (StoreCallException ex) {
				// As it should.
			}
		}

	}

	/**
	 * A store that answers on the thread that asks, or never.
	 */
	private static final class Counter implements RemoteDecider {

		private final AtomicLong left;

		private boolean answers;

		Counter(AtomicLong left) {
			this.left = left;
		}

		@Override
		public RemoteStore.Call<RateLimitDecision> decide(String key, long permits, boolean withoutDelay) {
			return (deadline) -> answer(decision(permits, take(permits)));
		}

		@Override
		public boolean joins() {
			return true;
		}

		@Override
		public RemoteStore.Call<List<RateLimitDecision>> decideAll(String key, long[] permits, boolean withoutDelay) {
			return (deadline) -> answer(LongStream.of(permits).mapToObj((each) -> decision(each, take(each))).toList());
		}

		private <T> RemoteStore.Answer<T> answer(T says) {
			return new RemoteStore.Answer<>() {

				@Override
				public T await() {
					return says;
				}

				@Override
				public <U> CompletionStage<U> later(Supplier<U> next) {
					return CompletableFuture.completedStage(next.get());
				}

				@Override
				public void whenOver(Runnable next) {
					if (Counter.this.answers) {
						next.run();
					}
				}

			};
		}

		private long take(long permits) {
			return this.left.getAndUpdate((left) -> (left < permits) ? left : left - permits);
		}

		private static RateLimitDecision decision(long permits, long left) {
			return (left < permits) ? RateLimitDecisions.rejected(0, left, 1, 1, 1)
					: RateLimitDecisions.allowed(0, left - permits, 0, 0, 0);
		}

		@Override
		public String server(String key) {
			return "";
		}

		@Override
		public RemoteStore.Call<Void> refund(String key, long permits, RateLimitDecision given) {
			throw new UnsupportedOperationException();
		}

		@Override
		public RemoteStore.Call<@Nullable LateCharge> charge(String key, long permits) {
			throw new UnsupportedOperationException();
		}

		@Override
		public RemoteStore.Call<Void> reset(String key) {
			throw new UnsupportedOperationException();
		}

	}

}
