package io.github.ratelimit.expression;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.policy.AppliedLocation;
import io.github.ratelimit.request.PermitRequest;
import kotlinx.coroutines.Deferred;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * A value that is not there yet, such as a {@code Mono}, is no key, cost, condition or
 * charge: one whose type is declared is found at start-up, and another fails.
 */
@ExtendWith(OutputCaptureExtension.class)
class PendingValueTests {

	private final Later later = new Later();

	private final Bindings bindings = new Bindings().withBean("later", this.later);

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', commentCharacter = '~', textBlock = """
			#body                             | Mono              | Declare the parameter as the value itself
			#body.name                        | Mono              | @RequestBody Order order
			#body?.name                       | Mono              | @RequestBody Order order
			#parts                            | Flux              | Declare the parameter
			#future                           | CompletableFuture | Declare the parameter
			#any                              | Future            | Declare the parameter
			#deferred                         | Deferred          | Declare the parameter
			#p0                               | Mono              | Declare the parameter
			folded(#body)                     | Mono              | Declare the parameter
			header(#body)                     | Mono              | Declare the parameter
			'a' + #body                       | Mono              | Declare the parameter
			#body == 'a'                      | Mono              | Declare the parameter
			path == 'a' ? #body : path        | Mono              | Declare the parameter
			#body ?: path                     | Mono              | Declare the parameter
			#body.toFuture()                  | CompletableFuture | Declare the parameter as the value itself
			#parts.count()                    | Mono              | Declare the parameter as the value itself
			#parts.next().name                | Mono              | Declare the parameter as the value itself
			#body.id()                        | Mono              | Declare the parameter as the value itself
			#body?.id()                       | Mono              | Declare the parameter as the value itself
			#body.block(1, 2)                 | Mono              | Declare the parameter as the value itself
			#body.then().id()                 | Mono              | Declare the parameter as the value itself
			#parts.startWith('a', 'b')        | Flux              | Declare the parameter as the value itself
			#deferred.id()                    | Deferred          | Declare the parameter as the value itself
			folded(#body.id())                | Mono              | Declare the parameter as the value itself
			@later.mono(path)                 | Mono              | Let the bean give the value itself
			@later.mono(path).name            | Mono              | Let the bean give the value itself
			@later.stage()                    | CompletionStage   | Let the bean give the value itself
			'a' + @later.mono(path)           | Mono              | Let the bean give the value itself
			@later.echo(#body.name)           | Mono              | Declare the parameter
			@later.self.stage()               | CompletionStage   | Let the bean give the value itself
			@later.order.later                | Mono              | Let the bean give the value itself
			!@later.flag()                    | Mono              | Let the bean give the value itself
			@later.mono(path).id()            | Mono              | Let the bean give the value itself
			@later.self.stage().id().name     | CompletionStage   | Let the bean give the value itself
			@later.inherited()                | Mono              | Let the bean give the value itself
			@later.inheritedToo               | Mono              | Let the bean give the value itself
			@later.narrowed.narrow()          | Mono              | Let the bean give the value itself
			@later.narrowed.wide()            | Mono              | Let the bean give the value itself
			""")
	void isFoundAtStartUpWhereItsTypeIsDeclared(String expression, String type, String action) {
		for (RateLimitExpression purpose : List.of(RateLimitExpression.KEY, RateLimitExpression.COST,
				RateLimitExpression.CONDITION, RateLimitExpression.CHARGE)) {
			assertThatExceptionOfType(InvalidRateLimitException.class).as("%s", purpose)
				.isThrownBy(() -> bind(purpose, expression))
				.withMessageContaining("The " + purpose.name().toLowerCase(Locale.ROOT) + " expression '" + expression
						+ "' of Service.call() uses '")
				.withMessageEndingWith("', but a " + type + " has no value yet when the call is limited")
				.satisfies((ex) -> assertThat(ex.action()).contains(action));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "#future.getNow('a')", "#future.done", "#future.join()", "#body.block()",
			"#parts.startWith('a', 'b').blockFirst()", "@later.stage().toCompletableFuture().join()",
			"@later.echo(#body)", "@later.mono(path).block()", "@later.any()", "@later.either(path)",
			"@later.either(path).id()", "@later.any().id()", "@later.id()", "@later.nothing.at.all",
			"@later.echo(@later.mono(path))", "#text", "@later.order.id", "@later" })
	void whatMayBeThereIsLeftToTheCall(String expression) {
		assertThatNoException().isThrownBy(() -> bind(RateLimitExpression.KEY, expression));
	}

	@Test
	void aTextOfItIsTheClientsAddress(CapturedOutput output) {
		PolicyBinding binding = this.bindings.key("'a:' + @later.any()");
		for (Object value : new Object[] { Mono.just("x"), CompletableFuture.completedFuture("x") }) {
			this.later.value = value;
			assertThat(Bindings.keyOf(binding, TestRequest.anonymous())).isEqualTo("address:192.0.2.7");
		}
		assertThat(binding.limiter().failures(RateLimitExpression.KEY)).isEqualTo(2);
		assertThat(output).containsOnlyOnce("cannot convert from reactor.core.publisher.Mono");
		this.later.value = "x";
		assertThat(Bindings.keyOf(binding, TestRequest.anonymous())).isEqualTo("a:x");
	}

	@Test
	void aCostIsOnePermitAndAConditionHolds(CapturedOutput output) {
		this.later.value = Mono.just(3);
		PolicyBinding cost = this.bindings.cost("@later.any()");
		assertThat(resolve(cost)).extracting(PermitRequest::permits).isEqualTo(1L);
		assertThat(cost.limiter().failures(RateLimitExpression.COST)).isOne();
		this.later.value = Mono.just(false);
		PolicyBinding condition = this.bindings.condition("@later.any()");
		assertThat(resolve(condition)).isNotNull();
		assertThat(condition.limiter().failures(RateLimitExpression.CONDITION)).isOne();
		assertThat(Stream.of(output.getOut().split("\n")).filter((line) -> line.contains(" ERROR "))).hasSize(2)
			.allMatch((line) -> line.contains("it gave a MonoJust, which has no value yet, in place of "));
	}

	private static @Nullable PermitRequest resolve(PolicyBinding binding) {
		return Bindings.resolve(binding, TestRequest.anonymous(), "ann", List.of());
	}

	private void bind(RateLimitExpression purpose, String expression) {
		String[] written = new String[RateLimitExpression.values().length];
		written[purpose.ordinal()] = expression;
		this.bindings.bind(
				new AppliedLocation("Service.call()", written[RateLimitExpression.KEY.ordinal()],
						written[RateLimitExpression.COST.ordinal()], written[RateLimitExpression.CONDITION.ordinal()],
						written[RateLimitExpression.CHARGE.ordinal()]),
				ClassUtils.getMethod(Service.class, "call", (Class<?>[]) null), null);
	}

	static final class Service {

		public void call(Mono<String> body, Flux<String> parts, CompletableFuture<String> future, Future<?> any,
				Deferred<String> deferred, String text) {
		}

	}

	/*
	 * Java gives what inherits from it a bridge to each method, because only that is
	 * public.
	 */
	static class Inherited {

		public Mono<String> inherited() {
			return Mono.just("a");
		}

		public Mono<String> getInheritedToo() {
			return inherited();
		}

	}

	public interface Widest {

		Object narrow();

		Object wide();

	}

	/* An interface has bridges, too. */
	public interface Narrowing extends Widest {

		@Override
		Mono<String> narrow();

		@Override
		default Mono<String> wide() {
			return Mono.just("a");
		}

	}

	public static final class Later extends Inherited {

		@Nullable Object value;

		public Mono<String> mono(String path) {
			return Mono.just(path);
		}

		public CompletionStage<String> stage() {
			return CompletableFuture.completedFuture("a");
		}

		public Mono<Boolean> flag() {
			return Mono.just(true);
		}

		public Later getSelf() {
			return this;
		}

		public Narrowing getNarrowed() {
			return new Narrowing() {
				@Override
				public Mono<String> narrow() {
					return wide();
				}
			};
		}

		public Order getOrder() {
			return new Order("a", Mono.just("b"));
		}

		public String echo(Object any) {
			return "a";
		}

		public @Nullable Object any() {
			return this.value;
		}

		public Mono<String> either(int number) {
			return Mono.just("a");
		}

		public String either(String text) {
			return text;
		}

	}

	public record Order(String id, Mono<String> later) {
	}

}
