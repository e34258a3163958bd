package io.github.ratelimit.annotation;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimiterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Calls of methods that are charged by their outcome, outside of requests.
 */
@ExtendWith(OutputCaptureExtension.class)
class ChargedCallTests {

	@Test
	void aCallIsChargedWhatItReturns() {
		run((context) -> {
			Service service = context.getBean(Service.class);
			service.tokens(30);
			assertThat(left(context, "tokens")).isEqualTo(70);
			service.tokens(0);
			assertThat(left(context, "tokens")).isEqualTo(70);
			service.tokens(70);
			assertThat(left(context, "tokens")).isZero();
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> service.tokens(0));
		});
	}

	@Test
	void aCallThatThrowsIsOver() {
		run((context) -> {
			Service service = context.getBean(Service.class);
			service.failing(false);
			assertThat(left(context, "failing")).isEqualTo(3);
			for (int i = 1; i <= 3; i++) {
				assertThatIOException().isThrownBy(() -> service.failing(true)).withMessage("as asked");
				assertThat(left(context, "failing")).isEqualTo(3 - i);
			}
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> service.failing(false));
		});
	}

	@Test
	void aMethodMayCallItself() {
		run((context) -> {
			Service service = context.getBean(Service.class);
			assertThat(service.nested(context.getBean(Service.class), 3)).isEqualTo(6);
			assertThat(left(context, "nested")).isEqualTo(100 - (0 + 1 + 3 + 6));
		});
	}

	@Test
	void aFutureIsSettledWhenItCompletesAndBeforeAnybodySees() {
		run((context) -> {
			Service service = context.getBean(Service.class);
			CompletableFuture<Integer> pending = new CompletableFuture<>();
			CompletableFuture<Integer> returned = service.later(pending);
			assertThat(left(context, "later")).isEqualTo(90);
			CompletableFuture<Long> seen = returned.thenApply((value) -> left(context, "later"));
			pending.complete(25);
			assertThat(seen.join()).isEqualTo(75);
			assertThat(returned.join()).isEqualTo(25);
		});
	}

	@Test
	void aFutureThatFailsOrIsCancelledIsSettled() {
		run((context) -> {
			Service service = context.getBean(Service.class);
			CompletableFuture<Integer> failing = new CompletableFuture<>();
			CompletableFuture<Integer> returned = service.later(failing);
			failing.completeExceptionally(new IllegalStateException("as asked"));
			assertThat(returned.handle((value, failure) -> failure).join()).hasMessage("as asked");
			assertThat(left(context, "later")).isEqualTo(99);
			CompletableFuture<Integer> pending = new CompletableFuture<>();
			service.later(pending).cancel(true);
			assertThat(pending).isCancelled();
			assertThat(left(context, "later")).isEqualTo(98);
		});
	}

	@Test
	void aFutureThatItsCallerCompletesIsSettled() {
		run((context) -> {
			Service service = context.getBean(Service.class);
			CompletableFuture<Integer> pending = new CompletableFuture<>();
			service.later(pending).complete(25);
			assertThat(pending).isCompletedWithValue(25);
			assertThat(left(context, "later")).isEqualTo(75);
			CompletableFuture<Integer> late = new CompletableFuture<>();
			service.later(late).completeExceptionally(new IllegalStateException("as asked"));
			assertThat(late).isCompletedExceptionally();
			assertThat(left(context, "later")).isEqualTo(74);
		});
	}

	@Test
	void whatOnlyARequestHasLeavesWhatWasReservedOutsideOfOne(CapturedOutput output) {
		run((context) -> {
			Service service = context.getBean(Service.class);
			for (int i = 1; i <= 3; i++) {
				service.byStatus();
				assertThat(left(context, "by-status")).isEqualTo(3 - i);
				service.byLogin();
				assertThat(left(context, "by-login")).isEqualTo(3 - i);
			}
		});
		assertThat(output)
			.containsOnlyOnce("The charge 'status >= 400' of Service.byStatus() (policy 'by-status') "
					+ "failed: it reads status, and the call is not the handler of an HTTP request")
			.containsOnlyOnce(
					"The charge 'authenticationFailed ? 1 : 0' of Service.byLogin() (policy 'by-login') failed: "
							+ "it reads authenticationFailed, and the call is not part of an HTTP request");
	}

	@Test
	void aStageOfAnotherClassIsSettledToo() {
		run((context) -> {
			Service service = context.getBean(Service.class);
			CompletableFuture<Integer> pending = new CompletableFuture<>();
			CompletionStage<Integer> minimal = pending.minimalCompletionStage();
			assertThat(service.stage(minimal) == minimal).isTrue();
			assertThat(left(context, "stage")).isEqualTo(99);
			pending.complete(7);
			assertThat(left(context, "stage")).isEqualTo(93);
		});
	}

	@Test
	void aMonoIsSettledForEachSubscription() {
		run((context) -> {
			Service service = context.getBean(Service.class);
			Mono<Integer> mono = service.mono(Mono.just(12));
			assertThat(left(context, "mono")).isEqualTo(100);
			assertThat(mono.block()).isEqualTo(12);
			assertThat(left(context, "mono")).isEqualTo(88);
			assertThat(mono.block()).isEqualTo(12);
			assertThat(left(context, "mono")).isEqualTo(76);
			assertThatIllegalStateException()
				.isThrownBy(() -> service.mono(Mono.error(new IllegalStateException("as asked"))).block());
			assertThat(left(context, "mono")).isEqualTo(75);
			assertThat(service.mono(Mono.empty()).block()).isNull();
			assertThat(left(context, "mono")).isEqualTo(75);
		});
	}

	@Test
	void aFluxIsChargedByItsLastValue() {
		run((context) -> {
			Service service = context.getBean(Service.class);
			assertThat(service.flux(Flux.just(1, 2, 30)).collectList().block()).containsExactly(1, 2, 30);
			assertThat(left(context, "flux")).isEqualTo(70);
		});
	}

	@Test
	void aFluxThatIsCancelledIsSettled() {
		run((context) -> {
			Service service = context.getBean(Service.class);
			Sinks.Many<Integer> sink = Sinks.many().unicast().onBackpressureBuffer();
			Disposable subscription = service.flux(sink.asFlux()).subscribe();
			sink.tryEmitNext(5);
			assertThat(left(context, "flux")).isEqualTo(90);
			subscription.dispose();
			assertThat(left(context, "flux")).isEqualTo(95);
		});
	}

	@Test
	void oneReservesAtArrivalSoThatNobodyGetsPastTheLimit() {
		run((context) -> {
			Service service = context.getBean(Service.class);
			CompletableFuture<Integer> pending = new CompletableFuture<>();
			for (int i = 0; i < 10; i++) {
				service.later(pending);
			}
			assertThat(service.later(pending)).isCompletedExceptionally();
			pending.complete(0);
			assertThat(left(context, "later")).isEqualTo(100);
			assertThat(service.later(CompletableFuture.completedFuture(100)).join()).isEqualTo(100);
			assertThat(left(context, "later")).isZero();
		});
	}

	@Test
	void aPolicyThatIsNamedHasTheChargeItself() {
		runNamed("ratelimit.policies.bulk.charge=result", (context) -> {
			context.getBean(Named.class).doubled(4);
			assertThat(left(context, "bulk")).isEqualTo(92);
			context.getBean(Named.class).plain(4);
			assertThat(left(context, "bulk")).isEqualTo(88);
		});
		runNamed("ratelimit.policies.bulk.key='all'", (context) -> assertThat(context).hasFailed()
			.getFailure()
			.isInstanceOf(InvalidRateLimitException.class)
			.hasMessage("@RateLimited on Named.doubled(int) has the charge 'result * 2', but the policy 'bulk' of "
					+ "application.yml has none")
			.extracting((failure) -> ((InvalidRateLimitException) failure).action())
			.isEqualTo("Write it as ratelimit.policies.bulk.charge."));
	}

	@Test
	void aConfiguredPolicyReplacesTheChargeOfAnAnnotation() {
		LimitedBeans.runner()
			.withPropertyValues("ratelimit.policies.tokens.limit=50", "ratelimit.policies.tokens.window=1h",
					"ratelimit.policies.tokens.charge=result * 2")
			.withBean(Service.class)
			.run((context) -> {
				context.getBean(Service.class).tokens(10);
				assertThat(left(context, "tokens")).isEqualTo(30);
			});
	}

	@Test
	void aChargeThatReadsTheResultOfNoneIsAMistake() {
		LimitedBeans.runner()
			.withBean(Nothing.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidRateLimitException.class)
				.hasMessageContaining("result is void"));
	}

	private static void run(ContextConsumer<AssertableApplicationContext> test) {
		LimitedBeans.runner().withBean(Service.class).run(test);
	}

	private static void runNamed(String property, ContextConsumer<AssertableApplicationContext> test) {
		LimitedBeans.runner()
			.withPropertyValues("ratelimit.policies.bulk.limit=100", "ratelimit.policies.bulk.window=1h", property)
			.withBean(Named.class)
			.run(test);
	}

	private static long left(AssertableApplicationContext context, String policy) {
		return context.getBean(RateLimiterRegistry.class).peek(policy, "shared:").remaining();
	}

	static class Service {

		@RateLimited(name = "tokens", limit = 100, window = "1h", charge = "result")
		public long tokens(long used) {
			return used;
		}

		@RateLimited(name = "failing", limit = 3, window = "1h", charge = "exception != null")
		public void failing(boolean fail) throws IOException {
			if (fail) {
				throw new IOException("as asked");
			}
		}

		@RateLimited(name = "by-status", limit = 3, window = "1h", charge = "status >= 400")
		public void byStatus() {
		}

		@RateLimited(name = "by-login", limit = 3, window = "1h", charge = "authenticationFailed ? 1 : 0")
		public void byLogin() {
		}

		@RateLimited(name = "nested", limit = 100, window = "1h", charge = "result")
		public long nested(Service proxy, long depth) {
			return (depth > 0) ? depth + proxy.nested(proxy, depth - 1) : 0;
		}

		@RateLimited(name = "later", limit = 100, window = "1h", cost = "10", charge = "exception != null ? 1 : result")
		public CompletableFuture<Integer> later(CompletableFuture<Integer> result) {
			return result;
		}

		@RateLimited(name = "stage", limit = 100, window = "1h", charge = "result")
		public CompletionStage<Integer> stage(CompletionStage<Integer> result) {
			return result;
		}

		@RateLimited(name = "mono", limit = 100, window = "1h", charge = "exception != null ? 1 : result ?: 0")
		public Mono<Integer> mono(Mono<Integer> result) {
			return result;
		}

		@RateLimited(name = "flux", limit = 100, window = "1h", cost = "10", charge = "result")
		public Flux<Integer> flux(Flux<Integer> result) {
			return result;
		}

	}

	static class Named {

		@RateLimited(policy = "bulk", charge = "result * 2")
		public int doubled(int number) {
			return number;
		}

		@RateLimited("bulk")
		public int plain(int number) {
			return number;
		}

	}

	static class Nothing {

		@RateLimited(limit = 1, window = "1h", charge = "result")
		public void nothing() {
		}

	}

}
