package io.github.ratelimit.annotation;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitExceededException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.web.context.request.async.AsyncRequestNotUsableException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests calls of methods that are charged by their outcome, outside of requests.
 */
@ExtendWith(OutputCaptureExtension.class)
class ChargedCallTests {

	@AutoClose
	private final LimitedApplication<Service> application = new LimitedApplication<>(Service.class);

	private final Service service = this.application.bean();

	@Test
	void aCallIsChargedWhatItReturns() {
		this.service.tokens(30);
		assertThat(left("tokens")).isEqualTo(70);
		this.service.tokens(0);
		assertThat(left("tokens")).isEqualTo(70);
		this.service.tokens(70);
		assertThat(left("tokens")).isZero();
		assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> this.service.tokens(0));
	}

	@Test
	void aCallThatThrowsIsOver() throws IOException {
		this.service.failing(false);
		assertThat(left("failing")).isEqualTo(3);
		for (int i = 1; i <= 3; i++) {
			assertThatIOException().isThrownBy(() -> this.service.failing(true)).withMessage("as asked");
			assertThat(left("failing")).isEqualTo(3 - i);
		}
		assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> this.service.failing(false));
	}

	@Test
	void aMethodMayCallItself() {
		assertThat(this.service.nested(this.service, 3)).isEqualTo(6);
		assertThat(left("nested")).isEqualTo(100 - (0 + 1 + 3 + 6));
	}

	@Test
	void aFutureIsSettledWhenItCompletesAndBeforeAnybodySees() {
		CompletableFuture<Integer> pending = new CompletableFuture<>();
		CompletableFuture<Integer> returned = this.service.later(pending);
		assertThat(left("later")).isEqualTo(90);
		CompletableFuture<Long> seen = returned.thenApply((value) -> left("later"));
		pending.complete(25);
		assertThat(seen.join()).isEqualTo(75);
		assertThat(returned.join()).isEqualTo(25);
	}

	@Test
	void aFutureIsSettledHoweverItEndsAndWhoeverEndsIt() {
		CompletableFuture<Integer> failing = new CompletableFuture<>();
		CompletableFuture<Integer> returned = this.service.later(failing);
		failing.completeExceptionally(new IllegalStateException("as asked"));
		assertThat(returned.handle((value, failure) -> failure).join()).hasMessage("as asked");
		assertThat(left("later")).isEqualTo(99);
		CompletableFuture<Integer> cancelled = new CompletableFuture<>();
		this.service.later(cancelled).cancel(true);
		assertThat(cancelled).isCancelled();
		assertThat(left("later")).as("left, as what has reserved 10").isEqualTo(89);
		CompletableFuture<Integer> completed = new CompletableFuture<>();
		this.service.later(completed).complete(25);
		assertThat(completed).isCompletedWithValue(25);
		assertThat(left("later")).isEqualTo(64);
		CompletableFuture<Integer> failed = new CompletableFuture<>();
		this.service.later(failed).completeExceptionally(new IllegalStateException("as asked"));
		assertThat(failed).isCompletedExceptionally();
		assertThat(left("later")).isEqualTo(54);
	}

	@Test
	void aFutureOfAnotherClassIsLeftByWhoeverCompletesItToo() {
		CompletableFuture<Integer> completed = Mono.<Integer>never().toFuture();
		this.service.later(completed).complete(0);
		assertThat(completed).isCompletedWithValue(0);
		assertThat(left("later")).isEqualTo(90);
		this.service.later(Mono.<Integer>never().toFuture()).completeExceptionally(new TimeoutException());
		assertThat(left("later")).isEqualTo(80);
		AtomicBoolean cancelled = new AtomicBoolean();
		this.service.later(Mono.<Integer>never().doOnCancel(() -> cancelled.set(true)).toFuture()).cancel(true);
		assertThat(left("later")).isEqualTo(70);
		assertThat(cancelled).as("what the future was made of").isTrue();
	}

	@Test
	void aCallThatFailsBecauseItsClientHasGoneIsNotOver() {
		assertThatIOException().isThrownBy(() -> this.service.written(new AsyncRequestNotUsableException("as asked")));
		assertThat(left("written")).isEqualTo(90);
		assertThatIOException().isThrownBy(() -> this.service.written(new IOException("as asked")));
		assertThat(left("written")).isEqualTo(90);
		Flux<Integer> cut = Flux.just(1)
			.concatWith(Flux.error(new IllegalStateException(new AsyncRequestNotUsableException("as asked"))));
		assertThatIllegalStateException().isThrownBy(() -> this.service.flux(cut).blockLast());
		assertThat(left("flux")).isEqualTo(90);
	}

	@Test
	void whatOnlyARequestHasLeavesWhatWasReservedOutsideOfOne(CapturedOutput output) {
		for (int i = 1; i <= 3; i++) {
			this.service.byStatus();
			assertThat(left("by-status")).isEqualTo(3 - i);
			this.service.byLogin();
			assertThat(left("by-login")).isEqualTo(3 - i);
		}
		assertThat(output)
			.containsOnlyOnce("The charge 'status >= 400' of Service.byStatus() (policy 'by-status') "
					+ "failed: it reads status, and the call is not the handler of an HTTP request")
			.containsOnlyOnce(
					"The charge 'authenticationFailed ? 1 : 0' of Service.byLogin() (policy 'by-login') failed: "
							+ "it reads authenticationFailed, and the call is not part of an HTTP request");
	}

	@Test
	void aFutureIsChargedByTheExceptionThatItsStagesWrap() {
		this.service.expected(CompletableFuture.<Integer>failedFuture(new IllegalStateException("as asked"))
			.thenApply((value) -> value));
		assertThat(left("expected")).isEqualTo(97);
		this.service
			.expected(CompletableFuture.failedFuture(new IllegalStateException("as asked", new IOException("cause"))));
		assertThat(left("expected")).isEqualTo(94);
		this.service.expected(CompletableFuture.failedFuture(new CompletionException("as asked", null)));
		assertThat(left("expected")).isEqualTo(91);
	}

	@Test
	void aStageOfAnotherClassIsSettledToo() {
		CompletableFuture<Integer> pending = new CompletableFuture<>();
		CompletionStage<Integer> minimal = pending.minimalCompletionStage();
		assertThat(this.service.stage(minimal) == minimal).isTrue();
		assertThat(left("stage")).isEqualTo(99);
		pending.complete(7);
		assertThat(left("stage")).isEqualTo(93);
	}

	@Test
	void aMonoIsSettledForEachSubscription() {
		Mono<Integer> mono = this.service.mono(Mono.just(12));
		assertThat(left("mono")).isEqualTo(100);
		assertThat(mono.block()).isEqualTo(12);
		assertThat(left("mono")).isEqualTo(88);
		assertThat(mono.block()).isEqualTo(12);
		assertThat(left("mono")).isEqualTo(76);
		assertThatIllegalStateException()
			.isThrownBy(() -> this.service.mono(Mono.error(new IllegalStateException("as asked"))).block());
		assertThat(left("mono")).isEqualTo(75);
		assertThat(this.service.mono(Mono.empty()).block()).isNull();
		assertThat(left("mono")).isEqualTo(75);
		this.service.mono(Mono.never()).subscribe().dispose();
		assertThat(left("mono")).as("cancelled, as a future").isEqualTo(74);
	}

	@Test
	void aFluxIsChargedByItsLastValueHoweverItEnds() {
		assertThat(this.service.flux(Flux.just(1, 2, 30)).collectList().block()).containsExactly(1, 2, 30);
		assertThat(left("flux")).isEqualTo(70);
		Flux<Integer> failing = Flux.just(5).concatWith(Flux.error(new IllegalStateException("as asked")));
		assertThatIllegalStateException().isThrownBy(() -> this.service.flux(failing).blockLast());
		assertThat(left("flux")).isEqualTo(65);
		Disposable subscription = this.service.flux(Flux.just(5).concatWith(Flux.never())).subscribe();
		assertThat(left("flux")).isEqualTo(55);
		subscription.dispose();
		assertThat(left("flux")).as("left, as what has reserved 10").isEqualTo(55);
	}

	@Test
	void oneReservesAtArrivalSoThatNobodyGetsPastTheLimit() {
		CompletableFuture<Integer> pending = new CompletableFuture<>();
		for (int i = 0; i < 10; i++) {
			this.service.later(pending);
		}
		assertThat(this.service.later(pending)).isCompletedExceptionally();
		pending.complete(0);
		assertThat(left("later")).isEqualTo(100);
		assertThat(this.service.later(CompletableFuture.completedFuture(100)).join()).isEqualTo(100);
		assertThat(left("later")).isZero();
	}

	@Test
	void aConfiguredPolicyHasTheChargeItself() {
		String[] policies = { "ratelimit.policies.bulk.limit=100", "ratelimit.policies.bulk.window=1h",
				"ratelimit.policies.tokens.limit=50", "ratelimit.policies.tokens.window=1h",
				"ratelimit.policies.tokens.charge=result * 2", "ratelimit.policies.bulk.charge=result" };
		try (LimitedApplication<Named> named = new LimitedApplication<>(Named.class, policies)) {
			named.bean().doubled(4);
			assertThat(named.remaining("bulk", "shared:")).isEqualTo(92);
			named.bean().plain(4);
			assertThat(named.remaining("bulk", "shared:")).isEqualTo(88);
			named.bean().tokens(10);
			assertThat(named.remaining("tokens", "shared:")).isEqualTo(30);
		}
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> new LimitedApplication<>(Named.class, Arrays.copyOf(policies, 5)))
			.withMessage("@RateLimited on Named.doubled(int) has the charge 'result * 2', but the policy 'bulk' itself "
					+ "has none")
			.satisfies((ex) -> assertThat(ex.action()).isEqualTo("Write it in the policy: as "
					+ "ratelimit.policies.bulk.charge, or in the code that registers the policy."));
	}

	private long left(String policy) {
		return this.application.remaining(policy, "shared:");
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

		@RateLimited(name = "written", limit = 100, window = "1h", cost = "10", charge = "exception != null ? 0 : 1")
		public void written(IOException failure) throws IOException {
			throw failure;
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

		@RateLimited(name = "expected", limit = 100, window = "1h", charge = "exception.message == 'as asked' ? 3 : 4")
		public CompletableFuture<Integer> expected(CompletableFuture<Integer> result) {
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

		@RateLimited(name = "tokens", limit = 100, window = "1h", charge = "result")
		public int tokens(int used) {
			return used;
		}

	}

}
