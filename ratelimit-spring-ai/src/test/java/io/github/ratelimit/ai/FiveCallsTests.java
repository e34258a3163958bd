package io.github.ratelimit.ai;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

import io.github.ratelimit.RateLimitExceededException;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.chat.prompt.Prompt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The figures with which docs/budgets-for-models.md begins: five calls at once, of a
 * limit of 100 tokens.
 */
class FiveCallsTests {

	private static final int LIMIT = 100;

	/* The answer is longer than what is reserved for it. */
	private static final ChatResponse ANSWER = FakeModel.answer("Hello", 18, 120);

	private static final Prompt PROMPT = new Prompt("Hello world", ChatOptions.builder().maxTokens(60).build());

	@Test
	void checkingFirstAndRecordingLaterLetsAllFivePass() throws Exception {
		AtomicLong recorded = new AtomicLong();
		CountDownLatch decided = new CountDownLatch(5);
		List<Boolean> passed = fiveAtOnce(() -> {
			boolean passes = recorded.get() < LIMIT;
			decided.countDown();
			decided.await();
			if (passes) {
				recorded.addAndGet(ANSWER.getMetadata().getUsage().getTotalTokens());
			}
			return passes;
		});
		assertThat(passed).containsOnly(true);
		assertThat(recorded).hasValue(5 * 138);
	}

	@Test
	void reservingFirstLetsOnePassAndThenNothingUntilItIsPaid() {
		Budgets.with((budgets) -> {
			CountDownLatch decided = new CountDownLatch(5);
			AtomicLong used = new AtomicLong();
			budgets.fake().answersTo((prompt) -> {
				await(decided);
				used.addAndGet(138);
				return Flux.just(ANSWER);
			});
			List<Boolean> passed = fiveAtOnce(() -> passes(budgets.model(), decided));
			assertThat(passed).containsOnlyOnce(true);
			assertThat(used).hasValue(138);

			// it has reserved 66, and 138 - 100 are a debt
			Duration untilPaid = Duration.ofDays(1).dividedBy(LIMIT).multipliedBy(38 + 66);
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> budgets.model().call(PROMPT))
				.satisfies((ex) -> assertThat(ex.retryAfter()).isEqualTo(untilPaid));
			budgets.clock().advance(untilPaid);
			budgets.model().call(PROMPT);
			assertThat(used).hasValue(2 * 138);
		}, "ratelimit.policies.tokens.limit=" + LIMIT);
	}

	private static boolean passes(ChatModel model, CountDownLatch decided) {
		try {
			model.call(PROMPT);
			return true;
		}
		catch (RateLimitExceededException ex) {
			decided.countDown();
			return false;
		}
	}

	/* One of the five is the one that waits, once the others are decided. */
	private static void await(CountDownLatch decided) {
		decided.countDown();
		try {
			decided.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static List<Boolean> fiveAtOnce(Callable<Boolean> call) {
		ExecutorService callers = Executors.newFixedThreadPool(5);
		try {
			List<Boolean> passed = new ArrayList<>();
			for (Future<Boolean> each : callers.invokeAll(List.of(call, call, call, call, call))) {
				passed.add(each.get());
			}
			return passed;
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
		finally {
			callers.shutdownNow();
		}
	}

}
