package io.github.ratelimit.annotation;

import java.math.BigDecimal;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.ParallelFlux;
import reactor.core.publisher.Sinks;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests calls whose elements are charged as they pass. Each reserves 10 of 1000 permits.
 */
@ExtendWith(OutputCaptureExtension.class)
class CountedElementsTests {

	private static final long ALL = 1000;

	@AutoClose
	private final LimitedApplication<Service> application = new LimitedApplication<>(Service.class,
			"ratelimit.policies.named.limit=1000", "ratelimit.policies.named.window=1h",
			"ratelimit.policies.named.charge-each=result", "ratelimit.policies.configured.limit=1000",
			"ratelimit.policies.configured.window=1h", "ratelimit.policies.configured.charge=charged * 3",
			"ratelimit.policies.configured.charge-each=result + 1", "ratelimit.policies.shadowed.limit=1000",
			"ratelimit.policies.shadowed.window=1h", "ratelimit.policies.shadowed.charge-each=result",
			"ratelimit.policies.shadowed.shadow-limits[0].limit=500",
			"ratelimit.policies.shadowed.shadow-limits[0].window=1h");

	private final Service service = this.application.bean();

	@Test
	void aStreamIsChargedTheSumOfItsElements() {
		assertThat(this.service.each(Flux.just(1, 20, 300)).collectList().block()).containsExactly(1, 20, 300);
		assertThat(charged("each")).isEqualTo(321);
		this.service.each(Flux.empty()).blockLast();
		assertThat(charged("each")).isEqualTo(321);
	}

	@Test
	void elementsCountAsTheyPassAndAreChargedWhenTheStreamIsOver() {
		Sinks.Many<Object> sink = Sinks.many().unicast().onBackpressureBuffer();
		this.service.each(sink.asFlux()).subscribe();
		sink.tryEmitNext(20);
		sink.tryEmitNext(7);
		assertThat(charged("each")).as("reserved").isEqualTo(10);
		sink.tryEmitComplete();
		assertThat(charged("each")).isEqualTo(27);
	}

	@ParameterizedTest
	@CsvSource({ "1, 10", "2, 10", "3, 35" })
	void aStreamThatIsLeftIsChargedWhatHasPassedAndWhatItHasReservedAtLeast(int taken, long charged) {
		this.service.each(Flux.just(1, 4, 30, 400)).take(taken).blockLast();
		assertThat(charged("each")).isEqualTo(charged);
	}

	@Test
	void aStreamThatHasUsedUpAllGoesOnAndIsADebtOfOneCapacityAtMost() {
		assertThat(this.service.each(Flux.range(1, 100).map((number) -> 100)).count().block()).isEqualTo(100);
		assertThat(charged("each")).isEqualTo(ALL);
		assertThatExceptionOfType(RateLimitExceededException.class)
			.isThrownBy(() -> this.service.each(Flux.just(1)).blockLast())
			.satisfies((rejection) -> assertThat(rejection.retryAfter()).hasMinutes(60).hasSeconds(60 * 60 + 36));
	}

	@Test
	void aChargeReadsTheSum() {
		this.service.priced(Flux.just(1, 2)).blockLast();
		assertThat(charged("priced")).as("2 elements, 3 together and 10 reserved").isEqualTo(2 + 100 * 3 + 10);
	}

	@Test
	void aChargeReadsHowManyElementsThereWere() {
		this.service.counted(Flux.range(1, 7)).blockLast();
		assertThat(charged("counted")).isEqualTo(7);
		this.service.counted(Flux.range(1, 7)).take(3).blockLast();
		assertThat(charged("counted")).isEqualTo(17);
		this.service.counted(Flux.range(1, 70)).take(30).blockLast();
		assertThat(charged("counted")).isEqualTo(47);
		this.service.counted(Flux.empty()).blockLast();
		assertThat(charged("counted")).isEqualTo(47);
	}

	@Test
	void aChargeThatReadsThatItWasCancelledMayBeLess() {
		this.service.lenient(Flux.just(1, 2, 300)).take(2).blockLast();
		assertThat(charged("lenient")).isEqualTo(3);
		this.service.lenient(Flux.just(1, 2, 300)).blockLast();
		assertThat(charged("lenient")).isEqualTo(303 + 3);
	}

	@Test
	void anElementThatCannotBeChargedCountsOneAndIsToldOnce(CapturedOutput output) {
		Flux<Object> elements = Flux.just(5, "text", -1, Double.NaN, -0.5, List.of(), 7);
		assertThat(this.service.each(elements).count().block()).isEqualTo(7);
		assertThat(charged("each")).isEqualTo(5 + 5 + 7);
		this.service.each(elements).blockLast();
		RateLimiter limiter = this.application.get(RateLimiterRegistry.class).policy("each");
		assertThat(limiter.failures(RateLimitExpression.CHARGE_EACH)).isEqualTo(10);
		assertThat(limiter.failures(RateLimitExpression.CHARGE)).isZero();
		assertThat(output)
			.containsOnlyOnce("The charge-each '#root.result' of Service.each(Flux) (policy 'each') failed: "
					+ "it gave a String in place of true, false or a number from 0. The element counts as 1. "
					+ "Further failures are only counted, in the metric ratelimit.expression.failures.");
	}

	@Test
	void nullCountsOne() {
		this.service.field(Flux.just(new Chunk(null), new Chunk(6L), new Chunk(null))).blockLast();
		assertThat(charged("field")).isEqualTo(8);
	}

	@Test
	void fractionsAreAddedBeforeTheSumIsRoundedUp() {
		this.service.each(Flux.just(0.1, 0.2f, 0.3, 0.4, new BigDecimal("2.000000000000000000000000001")).repeat(9))
			.blockLast();
		assertThat(charged("each")).isEqualTo(30);
		this.service.each(Flux.just(true, false, true, 0.5)).blockLast();
		assertThat(charged("each")).isEqualTo(33);
		this.service.each(Flux.just(new BigDecimal("1e-1000000000"), 1)).blockLast();
		assertThat(charged("each")).isEqualTo(35);
	}

	@Test
	void theSumDoesNotOverflow() {
		this.service.each(Flux.just(Long.MAX_VALUE, Long.MAX_VALUE, new BigDecimal("1e1000000000"), 1)).blockLast();
		assertThat(charged("each")).isEqualTo(ALL);
	}

	@Test
	void aCollectionIsAStreamThatHasPassed() {
		assertThat(this.service.list(List.of(1, 2, 30))).hasSize(3);
		assertThat(charged("list")).isEqualTo(33);
		this.service.list(Arrays.asList(1, null));
		assertThat(charged("list")).isEqualTo(35);
	}

	@Test
	void aCollectionThatCannotBeReadCostsAtLeastWhatIsReserved() {
		this.service.list(new AbstractList<>() {

			@Override
			public Integer get(int index) {
				throw new IllegalStateException("closed");
			}

			@Override
			public int size() {
				return 3;
			}

		});
		assertThat(charged("list")).isEqualTo(10);
	}

	@Test
	void eachSubscriptionCountsForItself() {
		Flux<Object> stream = this.service.each(Flux.just(20));
		Disposable left = stream.concatWith(Flux.never()).subscribe();
		stream.blockLast();
		left.dispose();
		assertThat(charged("each")).isEqualTo(40);
	}

	@Test
	void aPolicyHasAChargeForEachElement() {
		this.service.named(Flux.just(1, 2)).blockLast();
		assertThat(charged("named")).isEqualTo(3);
		this.service.namedWithOwn(Flux.just(1, 2)).blockLast();
		assertThat(charged("named")).as("its own charge is in place of both").isEqualTo(3 + 2);
		this.service.configured(Flux.just(1, 2)).blockLast();
		assertThat(charged("configured")).as("in place of the annotation's").isEqualTo(3 * 5);
	}

	@Test
	void elementsCountOnceBesideLimitsThatAreTriedInShadow() {
		this.service.shadowed(Flux.just(1, 20, 300)).blockLast();
		assertThat(charged("shadowed")).isEqualTo(321);
	}

	@ParameterizedTest
	@ValueSource(
			classes = { PlainEach.class, MonoEach.class, PlainElements.class, JdkIterable.class, ParallelEach.class })
	void aMethodThatPassesNoElementsIsNamed(Class<?> type) {
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> new LimitedApplication<>(type))
			.withMessageStartingWith("@RateLimited on " + type.getSimpleName()
					+ ".call() charges each element of what is returned, but a ")
			.withMessageEndingWith(" passes none that can be counted")
			.satisfies((ex) -> assertThat(ex.action()).startsWith("Return a Flux"));
	}

	@Test
	void aPolicyWithoutAChargeHasNoRoomForOneOfEachElement() {
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> new LimitedApplication<>(NamedEach.class, "ratelimit.policies.plain.limit=100",
					"ratelimit.policies.plain.window=1h"))
			.withMessage("@RateLimited on NamedEach.call() has the chargeEach 'result', but the policy 'plain' itself "
					+ "has none")
			.satisfies((ex) -> assertThat(ex.action()).isEqualTo("Write it in the policy: as "
					+ "ratelimit.policies.plain.charge-each, or in the code that registers the policy."));
	}

	private long charged(String policy) {
		return ALL - this.application.remaining(policy, "shared:");
	}

	record Chunk(@Nullable Long tokens) {

	}

	static class Service {

		@RateLimited(name = "each", limit = ALL, window = "1h", cost = "10", chargeEach = "#root.result")
		public Flux<Object> each(Flux<?> stream) {
			return stream.cast(Object.class);
		}

		@RateLimited(name = "field", limit = ALL, window = "1h", cost = "10", chargeEach = "result.tokens")
		public Flux<Chunk> field(Flux<Chunk> stream) {
			return stream;
		}

		@RateLimited(name = "priced", limit = ALL, window = "1h", cost = "10", chargeEach = "result",
				charge = "elements + charged * 100 + reserved")
		public Flux<Integer> priced(Flux<Integer> stream) {
			return stream;
		}

		@RateLimited(name = "counted", limit = ALL, window = "1h", cost = "10", charge = "elements")
		public Flux<Integer> counted(Flux<Integer> stream) {
			return stream;
		}

		@RateLimited(name = "lenient", limit = ALL, window = "1h", cost = "10", chargeEach = "result",
				charge = "cancelled ? charged : charged + 0")
		public Flux<Integer> lenient(Flux<Integer> stream) {
			return stream;
		}

		@RateLimited(name = "list", limit = ALL, window = "1h", cost = "10", chargeEach = "result")
		public List<Integer> list(List<Integer> elements) {
			return elements;
		}

		@RateLimited("named")
		public Flux<Integer> named(Flux<Integer> stream) {
			return stream;
		}

		@RateLimited(policy = "named", charge = "elements")
		public Flux<Integer> namedWithOwn(Flux<Integer> stream) {
			return stream;
		}

		@RateLimited("shadowed")
		public Flux<Integer> shadowed(Flux<Integer> stream) {
			return stream;
		}

		@RateLimited(name = "configured", limit = 1, window = "1h", chargeEach = "100", charge = "charged + 1000")
		public Flux<Integer> configured(Flux<Integer> stream) {
			return stream;
		}

	}

	static class PlainEach {

		@RateLimited(limit = 1, window = "1h", chargeEach = "result")
		public long call() {
			return 1;
		}

	}

	static class ParallelEach {

		@RateLimited(limit = 5, window = "1h", chargeEach = "1")
		public ParallelFlux<Integer> call() {
			return Flux.just(1).parallel();
		}

	}

	static class MonoEach {

		@RateLimited(limit = 1, window = "1h", chargeEach = "result")
		public Mono<Integer> call() {
			return Mono.just(1);
		}

	}

	static class PlainElements {

		@RateLimited(limit = 1, window = "1h", charge = "elements")
		public String call() {
			return "one";
		}

	}

	static class JdkIterable {

		@RateLimited(limit = 1, window = "1h", chargeEach = "result")
		public Iterable<Integer> call() {
			return List.of(1);
		}

	}

	static class NamedEach {

		@RateLimited(policy = "plain", chargeEach = "result")
		public Flux<Integer> call() {
			return Flux.just(1);
		}

	}

}
