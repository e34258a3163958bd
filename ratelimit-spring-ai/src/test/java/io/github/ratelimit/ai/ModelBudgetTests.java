package io.github.ratelimit.ai;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeoutException;

import io.github.ratelimit.RateLimitExceededException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.ai.chat.messages.UserMessage;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What a call of a model reserves, and what it is charged in the end.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ModelBudgetTests {

	/* It has two tokens, and the message around it four. */
	private static final String QUESTION = "Hello world";

	@Test
	void callReservesThePromptAndTheMostThatMayComeAndIsChargedItsUsage() {
		Budgets.with((budgets) -> {
			List<Long> during = new ArrayList<>();
			budgets.fake().answersTo((prompt) -> {
				during.add(budgets.used());
				return Flux.just(FakeModel.answer("Yes", 10, 5));
			});
			budgets.model().call(QUESTION);
			assertThat(during).containsExactly(6L + 100);
			assertThat(budgets.used()).isEqualTo(15);
		});
	}

	@Test
	void optionsOfTheCallSayTheMostThatMayComeAndElseTheProperty() {
		Budgets.with((budgets) -> {
			List<Long> during = new ArrayList<>();
			budgets.fake().answersTo((prompt) -> {
				during.add(budgets.used());
				return Flux.just(FakeModel.answer("Yes", 0, 0));
			});
			budgets.model().call(new Prompt(QUESTION, ChatOptions.builder().maxTokens(20).build()));
			budgets.fake().answers(FakeModel.answer("Yes", 1, 0));
			long before = budgets.used();
			budgets.fake().answersTo((prompt) -> {
				during.add(budgets.used() - before);
				return Flux.just(FakeModel.answer("Yes", 0, 0));
			});
			budgets.model().call(new Prompt(QUESTION, ChatOptions.builder().build()));
			assertThat(during).containsExactly(6L + 20, 6L + 300);
		}, "ratelimit.ai.max-tokens=300");
	}

	@Test
	void missingUsageIsEstimated() {
		Budgets.with((budgets) -> {
			budgets.fake().answers(FakeModel.piece(QUESTION));
			budgets.model().call(QUESTION);
			assertThat(budgets.used()).isEqualTo(6 + 2);
		});
	}

	@Test
	void eachWayToCallTheModelIsLimited() {
		Budgets.with((budgets) -> {
			ChatModel model = budgets.model();
			model.call(QUESTION);
			model.call(new UserMessage(QUESTION));
			model.call(new Prompt(QUESTION));
			model.stream(QUESTION).blockLast();
			model.stream(new UserMessage(QUESTION)).blockLast();
			model.stream(new Prompt(QUESTION)).blockLast();
			budgets.client().prompt(QUESTION).call().content();
			budgets.client().prompt(QUESTION).stream().content().blockLast();
			assertThat(budgets.used()).isEqualTo(8 * 15);
		});
	}

	@Test
	void usageOfAStreamIsThatOfItsLastPieceOrTheMostThatWasReported() {
		Budgets.with((budgets) -> {
			budgets.fake().answers(FakeModel.piece("Yes"), FakeModel.piece(" no"), FakeModel.answer("", 10, 5));
			budgets.model().stream(QUESTION).blockLast();
			assertThat(budgets.used()).isEqualTo(15);

			budgets.fake().answers(FakeModel.answer("Yes", 10, 1), FakeModel.answer(" no", 0, 7), FakeModel.piece(""));
			budgets.model().stream(QUESTION).blockLast();
			assertThat(budgets.used()).isEqualTo(15 + 17);
		});
	}

	@Test
	void streamIsReservedAnewForEachSubscriber() {
		Budgets.with((budgets) -> {
			Flux<String> stream = budgets.model().stream(QUESTION);
			assertThat(budgets.used()).isZero();
			stream.blockLast();
			stream.blockLast();
			assertThat(budgets.used()).isEqualTo(2 * 15);
		});
	}

	@Test
	void streamThatIsLeftPaysWhatItHasReservedOrWhatWasSentIfThatIsMore() {
		Budgets.with((budgets) -> {
			budgets.fake().answersTo((prompt) -> Flux.just(FakeModel.piece(QUESTION), FakeModel.answer("", 10, 5)));
			budgets.model().stream(QUESTION).blockFirst();
			assertThat(budgets.used()).isEqualTo(6 + 100);

			String text = " word".repeat(500);
			budgets.fake().answersTo((prompt) -> Flux.just(FakeModel.piece(text), FakeModel.answer("", 10, 5)));
			budgets.model().stream(QUESTION).blockFirst();
			assertThat(budgets.used()).isEqualTo(106 + 6 + 500);
		});
	}

	@Test
	void chargeThatReadsCancelledChoosesWhatAStreamThatIsLeftPays() {
		Budgets.with((budgets) -> {
			budgets.fake().answersTo((prompt) -> Flux.just(FakeModel.piece(QUESTION), FakeModel.answer("", 10, 5)));
			budgets.model().stream(QUESTION).blockFirst();
			assertThat(budgets.used()).isEqualTo(6 + 2 + 50);
		}, "ratelimit.policies.tokens.charge=usage.totalTokens + (cancelled ? 50 : 0)");
	}

	@Test
	void streamThatIsLeftBeforeItsFirstPieceHasCalledTheModelAndPays() {
		Budgets.with((budgets) -> {
			BaseSubscriber<String> subscriber = new BaseSubscriber<>() {

				@Override
				protected void hookOnSubscribe(Subscription subscription) {
				}

			};
			budgets.model().stream(QUESTION).subscribe(subscriber);
			subscriber.cancel();
			assertThat(budgets.fake().prompts).hasSize(1);
			assertThat(budgets.used()).isEqualTo(106);
		});
	}

	/*
	 * Whatever a reader does, it is never cheaper than what has come, nor than to stay.
	 */
	@Test
	void noWayToLeaveIsCheaper() {
		long seed = Long.getLong("ratelimit.seed", 39L);
		Random random = new Random(seed);
		Budgets.with((budgets) -> {
			for (int i = 0; i < 1000; i++) {
				int pieces = 1 + random.nextInt(20);
				List<ChatResponse> answer = new ArrayList<>(Collections.nCopies(pieces, FakeModel.piece(" word")));
				answer.add(FakeModel.answer("", 6, pieces));
				budgets.fake().answersTo((prompt) -> Flux.fromIterable(answer));
				Flux<ChatResponse> stream = budgets.model().stream(new Prompt(QUESTION));
				int after = 1 + random.nextInt(pieces + 1);
				switch (random.nextInt(5)) {
					case 0 -> stream.take(after).blockLast();
					case 1 -> stream.takeUntil((piece) -> random.nextBoolean()).blockLast();
					case 2 -> stream.concatWith(Flux.never())
						.takeUntilOther(Mono.delay(Duration.ofNanos(random.nextInt(1_000_000))))
						.blockLast();
					case 3 ->
						stream.map((piece) -> random.nextInt(5) / random.nextInt(2)).onErrorComplete().blockLast();
					default -> stream.blockFirst();
				}
				// a time-out may come even before the model is called
				long least = budgets.fake().prompts.isEmpty() ? 0 : 6L + pieces;
				assertThat(budgets.used()).as("seed %s, stream %s", seed, i).isBetween(least, 106L);
				budgets.fake().prompts.clear();
				budgets.forget();
			}
		});
	}

	@Test
	void failureWithoutAnAnswerIsRefundedAndOneOnTheWayPaysWhatWasSent() {
		Budgets.with((budgets) -> {
			IllegalStateException failure = new IllegalStateException("503");
			budgets.fake().fails(failure);
			assertThatThrownBy(() -> budgets.model().call(QUESTION)).isSameAs(failure);
			assertThatThrownBy(() -> budgets.model().stream(QUESTION).blockLast()).isSameAs(failure);
			assertThat(budgets.used()).isZero();

			budgets.fake()
				.answersTo((prompt) -> Flux.concat(Flux.just(FakeModel.piece(QUESTION)), Flux.error(failure)));
			assertThatThrownBy(() -> budgets.model().stream(QUESTION).blockLast()).isSameAs(failure);
			assertThat(budgets.used()).isEqualTo(6 + 2);
		});
	}

	@Test
	void callThatNobodyWaitedForPaysWhatItHasReserved() {
		Budgets.with((budgets) -> {
			for (Throwable timeout : List.of(new RuntimeException(new SocketTimeoutException("Read timed out")),
					new RuntimeException(new TimeoutException()))) {
				long before = budgets.used();
				budgets.fake().fails(timeout);
				assertThatThrownBy(() -> budgets.model().call(QUESTION)).isSameAs(timeout);
				assertThat(budgets.used()).isEqualTo(before + 106);
			}

			long before = budgets.used();
			budgets.fake().fails(new RuntimeException(new SocketTimeoutException("Connect timed out")));
			assertThatThrownBy(() -> budgets.model().call(QUESTION)).hasRootCauseMessage("Connect timed out");
			budgets.fake().fails(new RuntimeException(new IOException("Connection reset")));
			assertThatThrownBy(() -> budgets.model().call(QUESTION)).hasRootCauseMessage("Connection reset");
			assertThat(budgets.used()).isEqualTo(before);
		});
	}

	@Test
	void callThatIsInterruptedPaysWhatItHasReservedHoweverItFails() {
		Budgets.with((budgets) -> {
			IllegalStateException failure = new IllegalStateException("closed");
			budgets.fake().answersTo((prompt) -> {
				Thread.currentThread().interrupt();
				return Flux.error(failure);
			});
			assertThatThrownBy(() -> budgets.model().call(QUESTION)).isSameAs(failure);
			assertThat(Thread.interrupted()).isTrue();
			assertThat(budgets.used()).isEqualTo(106);

			budgets.fake().fails(new RuntimeException(new ClosedByInterruptException()));
			assertThatThrownBy(() -> budgets.model().call(QUESTION))
				.hasCauseInstanceOf(ClosedByInterruptException.class);
			assertThat(budgets.used()).isEqualTo(2 * 106);
		});
	}

	@Test
	void rejectionSaysWhenToTryAgainAndDoesNotReachTheModel() {
		Budgets.with((budgets) -> {
			budgets.fake().answers(FakeModel.answer("Yes", 10, 940));
			budgets.model().call(QUESTION);
			Duration perToken = Duration.ofDays(1).dividedBy(1000);
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> budgets.model().call(QUESTION))
				.satisfies((ex) -> assertThat(ex.retryAfter()).isEqualTo(perToken.multipliedBy(56)));
			assertThatExceptionOfType(RateLimitExceededException.class)
				.isThrownBy(() -> budgets.model().stream(QUESTION).blockLast());
			assertThat(budgets.fake().prompts).hasSize(1);

			budgets.clock().advance(perToken.multipliedBy(56));
			budgets.model().call(QUESTION);
			assertThat(budgets.fake().prompts).hasSize(2);
		});
	}

	@Test
	void whatWasUsedBeyondTheReservationIsADebt() {
		Budgets.with((budgets) -> {
			budgets.fake().answers(FakeModel.answer("Yes", 10, 1500));
			budgets.model().call(QUESTION);
			assertThat(budgets.used()).isEqualTo(1000);
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> budgets.model().call(QUESTION))
				.satisfies((ex) -> assertThat(ex.retryAfter())
					.isEqualTo(Duration.ofDays(1).dividedBy(1000).multipliedBy(510 + 106)));
		});
	}

	@Test
	void tokensCallsAndMoneyAreTakenAllOrNothing() {
		Budgets.with((budgets) -> {
			List<Long> during = new ArrayList<>();
			budgets.fake().answersTo((prompt) -> {
				during.addAll(List.of(budgets.used(), budgets.used("calls", "all"), budgets.used("spend", "all")));
				return Flux.just(FakeModel.answer("Yes", 10, 5));
			});
			budgets.model().call(new Prompt(QUESTION, ChatOptions.builder().maxTokens(20).build()));
			assertThat(during).containsExactly(26L, 1L, 6L * 3 + 20 * 15);
			assertThat(List.of(budgets.used(), budgets.used("calls", "all"), budgets.used("spend", "all")))
				.containsExactly(15L, 1L, 10L * 3 + 5 * 15);

			assertThatExceptionOfType(RateLimitExceededException.class)
				.isThrownBy(
						() -> budgets.model().call(new Prompt(QUESTION, ChatOptions.builder().maxTokens(60).build())))
				.satisfies((ex) -> assertThat(ex.policy().name()).isEqualTo("spend"));
			assertThat(List.of(budgets.used(), budgets.used("calls", "all"))).containsExactly(15L, 1L);
		}, "ratelimit.ai.policies=tokens,calls,spend", "ratelimit.policies.calls.key='all'",
				"ratelimit.policies.calls.limit=1000", "ratelimit.policies.calls.window=1d",
				"ratelimit.policies.calls.charge=1", "ratelimit.policies.spend.key='all'",
				"ratelimit.policies.spend.limit=1000", "ratelimit.policies.spend.window=1d",
				"ratelimit.policies.spend.charge=usage.promptTokens * 3 + usage.completionTokens * 15");
	}

	@Test
	void noLengthOfAnAnswerIsTooLongToBeReckonedWith() {
		for (String charge : List.of("usage.totalTokens * 15", "usage.getTotalTokens() * 15")) {
			Budgets.with((budgets) -> {
				Prompt prompt = new Prompt(QUESTION,
						ChatOptions.builder().maxTokens(Integer.MAX_VALUE / 15 + 1).build());
				assertThatExceptionOfType(RateLimitExceededException.class)
					.isThrownBy(() -> budgets.model().call(prompt))
					.satisfies((ex) -> assertThat(ex.retryAfter()).isNull());
			}, "ratelimit.policies.tokens.charge=" + charge);
		}
	}

	@Test
	void chargeMayReadTokensOfACacheThatNothingIsSaidOf() {
		Budgets.with((budgets) -> {
			List<Long> during = new ArrayList<>();
			budgets.fake().answersTo((prompt) -> {
				during.add(budgets.used());
				return Flux.just(FakeModel.answer("Yes", 10, 5));
			});
			budgets.model().call(QUESTION);
			assertThat(during).containsExactly(106L);
			assertThat(budgets.used()).isEqualTo(15);

			budgets.fake().fails(new IllegalStateException("503"));
			assertThatThrownBy(() -> budgets.model().call(QUESTION)).hasMessage("503");
			assertThat(budgets.used()).isEqualTo(15);
		}, "ratelimit.policies.tokens.charge=usage.totalTokens - usage.cacheReadInputTokens * 0.9");
	}

	@Test
	void callWhoseChargeFailsPaysTheTokensThatItMayUse() {
		Budgets.with((budgets) -> {
			budgets.model().call(QUESTION);
			assertThat(budgets.used()).isEqualTo(106);
			budgets.model().stream(QUESTION).blockLast();
			assertThat(budgets.used()).isEqualTo(2 * 106);
		}, "ratelimit.policies.tokens.charge=usage.totalTokens / usage.cacheReadInputTokens");
	}

	@Test
	void controlTokensInATextAreCounted() {
		Budgets.with((budgets) -> {
			String text = " word".repeat(200) + "<|endoftext|>";
			budgets.fake().answersTo((prompt) -> Flux.just(FakeModel.piece(text), FakeModel.piece("")));
			budgets.model().stream("Say <|endoftext|>").blockFirst();
			assertThat(budgets.used()).isBetween(200L, 230L);
			budgets.model().call("Say <|endoftext|>");
			assertThat(budgets.fake().prompts).hasSize(2);
		});
	}

	@Test
	void modelThatCallsAnotherIsChargedOnce() {
		FakeModel fake = new FakeModel();
		Budgets.runner("ratelimit.ai.max-tokens=100")
			.withBean("fake", FakeModel.class, () -> fake)
			.withBean("router", Router.class)
			.run((context) -> {
				Budgets budgets = new Budgets(context, fake);
				ChatModel router = context.getBean("router", ChatModel.class);
				router.call(QUESTION);
				assertThat(budgets.used()).isEqualTo(15);
				router.stream(QUESTION).blockLast();
				assertThat(budgets.used()).isEqualTo(30);
				context.getBean("fake", ChatModel.class).call(QUESTION);
				assertThat(budgets.used()).isEqualTo(45);
			});
	}

	@Test
	void modelThatCallsAnotherBeforeItStreamsIsChargedOnce() {
		FakeModel fake = new FakeModel();
		Budgets.runner("ratelimit.ai.max-tokens=900")
			.withBean("fake", FakeModel.class, () -> fake)
			.withBean("router", CallingRouter.class)
			.run((context) -> {
				Budgets budgets = new Budgets(context, fake);
				context.getBean("router", ChatModel.class).stream(QUESTION).blockLast();
				assertThat(budgets.used()).isEqualTo(15);
				context.getBean("fake", ChatModel.class).call(QUESTION);
				assertThat(budgets.used()).isEqualTo(30);
			});
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void keyThatIsDeniedSaysNothingAboutTheLimit(CapturedOutput output) {
		Budgets.with(
				(budgets) -> assertThatExceptionOfType(RateLimitExceededException.class)
					.isThrownBy(() -> budgets.model().call(QUESTION))
					.satisfies((denied) -> assertThat(denied.decision().denied()).isTrue()),
				"ratelimit.deny.keys.tokens[0]=all");
		assertThat(output).doesNotContain("can never pass");
	}

	@ParameterizedTest
	@ValueSource(strings = { "shadow", "enforce" })
	void modeOfThePolicyHolds(String mode) {
		Budgets.with((budgets) -> {
			budgets.fake().answers(FakeModel.answer("Yes", 10, 1500));
			budgets.model().call(QUESTION);
			if (mode.equals("shadow")) {
				budgets.model().call(QUESTION);
			}
			else {
				assertThatExceptionOfType(RateLimitExceededException.class)
					.isThrownBy(() -> budgets.model().call(QUESTION));
			}
		}, "ratelimit.policies.tokens.mode=" + mode);
	}

	static class Router implements ChatModel {

		private final ChatModel fake;

		Router(ChatModel fake) {
			this.fake = fake;
		}

		@Override
		public ChatResponse call(Prompt prompt) {
			return this.fake.call(prompt);
		}

		@Override
		public Flux<ChatResponse> stream(Prompt prompt) {
			return this.fake.stream(prompt);
		}

	}

	static class CallingRouter extends Router {

		CallingRouter(ChatModel fake) {
			super(fake);
		}

		@Override
		public Flux<ChatResponse> stream(Prompt prompt) {
			return Flux.just(call(prompt));
		}

	}

}
