package io.github.ratelimit.remote;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.github.ratelimit.RateLimitDecision;
import org.jspecify.annotations.Nullable;

/**
 * Asks the store about several policies at once, and reports to the breakers how it went.
 */
final class RoundTrip {

	/** The stage of a round trip that asks nothing. */
	static final CompletionStage<Void> NOTHING = CompletableFuture.completedStage(null);

	private RoundTrip() {
	}

	/**
	 * Has the calls ask the store whose server's breaker permits it.
	 * @return whether a call tries a server again that was not available, and so must be
	 * made
	 */
	static boolean permitCalls(List<PolicyCall> calls) {
		Map<Breaker, Boolean> permitted = new HashMap<>();
		boolean triesAgain = false;
		for (PolicyCall call : calls) {
			boolean available = call.breaker().isAvailable();
			call.askStoreIf(permitted.computeIfAbsent(call.breaker(), Breaker::tryAcquirePermission));
			triesAgain |= call.asksStore() && !available;
		}
		return triesAgain;
	}

	/**
	 * Whether the store has not answered to one of the calls.
	 */
	static boolean hasFailed(List<PolicyCall> calls) {
		return calls.stream().anyMatch((call) -> call.failure() != null);
	}

	/**
	 * Waits for the answer of a call that decides on all policies.
	 * @param askedAt this process' time when the store was asked
	 * @param said takes the answer
	 */
	static CompletionStage<Void> sendTogether(List<PolicyCall> calls,
			RemoteStore.Answer<List<RateLimitDecision>> answer, Mode mode, long askedAt,
			Consumer<List<RateLimitDecision>> said) {
		return mode.deliver(answer, said, (failure) -> calls.forEach((call) -> call.fail(failure)))
			.thenRun(() -> report(calls, askedAt));
	}

	/**
	 * Sends the call of each policy, and waits for the answers once all are sent.
	 * @param askedAt this process' time when the store was asked
	 * @param said takes each answer
	 */
	static <T> CompletionStage<Void> sendEach(List<PolicyCall> calls, Function<PolicyCall, RemoteStore.Answer<T>> send,
			Mode mode, long askedAt, BiConsumer<PolicyCall, T> said) {
		List<RemoteStore.Answer<T>> answers = calls.stream().map(send).toList();

		CompletableFuture<?>[] delivered = new CompletableFuture<?>[answers.size()];
		for (int i = 0; i < delivered.length; i++) {
			PolicyCall call = calls.get(i);
			delivered[i] = mode.deliver(answers.get(i), (answer) -> said.accept(call, answer), call::fail)
				.toCompletableFuture();
		}
		return CompletableFuture.allOf(delivered).thenRun(() -> report(calls, askedAt));
	}

	/*
	 * Reports to each server's breaker how its calls went. Those of one round trip count
	 * as one.
	 */
	private static void report(List<PolicyCall> calls, long askedAt) {
		calls.stream()
			.collect(Collectors.groupingBy(PolicyCall::breaker))
			.forEach((breaker, asked) -> report(breaker, asked, askedAt));
	}

	private static void report(Breaker breaker, List<PolicyCall> asked, long askedAt) {
		List<PolicyCall> answered = asked.stream().filter((call) -> call.failure() == null).toList();
		if (!answered.isEmpty()) {
			breaker.succeeded(answered.stream().anyMatch(PolicyCall::isTaken));
		}
		asked.stream()
			.map(PolicyCall::failure)
			.filter(Objects::nonNull)
			.findFirst()
			.ifPresent((failure) -> breaker.failed(failure, askedAt));
	}

	/**
	 * How the answers to calls are waited for. All calls of a step are sent by then.
	 */
	enum Mode {

		/** The caller's thread waits, and also does all that follows, at once. */
		SYNCHRONOUS,

		/** No thread waits. The one that has the answer does what follows. */
		ASYNCHRONOUS;

		/**
		 * Delivers what an answer says, or why there is none.
		 */
		<T> CompletionStage<Void> deliver(RemoteStore.Answer<T> answer, Consumer<T> said,
				Consumer<StoreCallException> failed) {
			if (this == ASYNCHRONOUS) {
				return answer.later(() -> await(answer, said, failed));
			}
			await(answer, said, failed);
			return NOTHING;
		}

		private static <T> @Nullable Void await(RemoteStore.Answer<T> answer, Consumer<T> said,
				Consumer<StoreCallException> failed) {
			try {
				said.accept(answer.await());
			}
			catch (StoreCallException ex) {
				failed.accept(ex);
			}
			return null;
		}

	}

}
