package io.github.ratelimit.store;

import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.test.model.Decisions;
import io.github.ratelimit.test.model.RandomCases;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

@ParameterizedClass
@EnumSource
class CombinedDecisionTests {

	private final RateLimitDecision roomy = RateLimitDecisions.allowed(7, 9, 20, 300, 30);

	private final RateLimitDecision tight = RateLimitDecisions.allowed(7, 2, 50, 100, 10);

	private final RateLimitDecision soon = RateLimitDecisions.rejected(7, 0, 40, 60, 25);

	private final RateLimitDecision late = RateLimitDecisions.rejected(7, 0, 90, 200, 35);

	private final RateLimitDecision never = RateLimitDecisions.rejected(7, 3, RateLimitDecision.NEVER, 70, 5);

	@Parameter
	private Form form;

	@Test
	void receiptIsThatOfEachLimit() {
		RateLimitReceipt both = RateLimitReceipt.of(all(this.roomy, this.tight));
		assertThat(both.decidedAtNanos(0)).isEqualTo(7);
		assertThat(both.decidedAtNanos(1)).isEqualTo(7);
		assertThat(both.resetAfterNanos(0)).isEqualTo(300);
		assertThat(both.resetAfterNanos(1)).isEqualTo(100);
	}

	@Test
	void receiptKnowsForWhichLimitTheRequestWaited() {
		RateLimitDecision atOnce = RateLimitDecisions.allowed(7, 0, 0, 100, 50);
		RateLimitDecision delayed = RateLimitDecisions.allowed(7, 0, 40, 100, 50);
		RateLimitReceipt receipt = RateLimitReceipt.of(all(atOnce, delayed));
		assertThat(receipt.delayNanos(0)).isZero();
		assertThat(receipt.delayNanos(1)).isEqualTo(40);
	}

	@Test
	void eachLimitKeepsItsOwnStatus() {
		RateLimitDecision all = all(this.roomy, this.soon, this.tight, this.late, this.never);
		List<RateLimitDecision> each = List.of(this.roomy, this.soon, this.tight, this.late, this.never);
		assertThat(all.limits()).extracting(LimitStatus::toString)
			.isEqualTo(each.stream().map(RateLimitDecision::toString).toList());
		for (int i = 0; i < each.size(); i++) {
			assertThat(Decisions.describe(RateLimitDecisions.ofLimit(all, i)))
				.isEqualTo(Decisions.describe(each.get(i)));
		}
	}

	@Test
	void howLimitsAreGroupedDoesNotMatter() {
		RateLimitDecision fromLeft = all(this.roomy, this.soon, this.tight, this.late, this.never);
		RateLimitDecision fromRight = RateLimitDecisions.combined(this.roomy, RateLimitDecisions.combined(this.soon,
				RateLimitDecisions.combined(this.tight, RateLimitDecisions.combined(this.late, this.never))));
		assertThat(Decisions.describe(fromRight)).isEqualTo(Decisions.describe(fromLeft));
	}

	@Test
	void changeOfADecisionChangesEachOfItsLimits() {
		RateLimitDecision rejected = all(this.roomy, this.soon);
		assertThat(Decisions.describe(RateLimitDecisions.after(rejected, 10)))
			.isEqualTo(Decisions.describe(RateLimitDecisions.combined(RateLimitDecisions.allowed(17, 9, 10, 290, 20),
					RateLimitDecisions.rejected(17, 0, 30, 50, 15))));
		assertThat(RateLimitDecisions.asLook(rejected).limits()).extracting(LimitStatus::delayNanos)
			.containsExactly(0L, 0L);
		RateLimitDecision full = RateLimitDecisions.asQueueFull(all(this.roomy, this.tight), 50);
		assertThat(full.queueFull()).isTrue();
		assertThat(full.limits()).extracting(LimitStatus::retryAfterNanos).containsExactly(20L, 50L);
		RateLimitDecision fallback = RateLimitDecisions.asFallback(rejected);
		assertThat(fallback.fallback()).isTrue();
		assertThat(Decisions.describe(fallback)).isEqualTo(Decisions.describe(rejected));
	}

	@Test
	void anyMixIsAsTightAsItsTightestLimits() {
		RandomCases.check(2_000, (random) -> {
			RateLimitDecision[] limits = Stream.generate(() -> any(random))
				.limit(1 + random.nextInt(5))
				.toArray(RateLimitDecision[]::new);
			RateLimitDecision all = all(limits);
			assertThat(Decisions.describe(all, List.of(all))).isEqualTo(expected(limits));
			assertThat(List.of(all.fallback(), all.unavailable(), all.queueFull())).containsOnly(false);
			assertThat(all.limits()).extracting(LimitStatus::toString)
				.isEqualTo(Stream.of(limits).map(RateLimitDecision::toString).toList());
		});
	}

	private static String expected(RateLimitDecision[] limits) {
		boolean allowed = Stream.of(limits).allMatch(RateLimitDecision::allowed);
		boolean never = Stream.of(limits).anyMatch((limit) -> limit.retryAfterNanos() == RateLimitDecision.NEVER);
		long remaining = greatest(Stream.of(limits), (limit) -> -limit.remaining());
		Supplier<Stream<RateLimitDecision>> tightest = () -> Stream.of(limits)
			.filter((limit) -> limit.remaining() == -remaining);
		boolean fixed = tightest.get().anyMatch((limit) -> limit.nextPermitAfterNanos() == 0);
		return "%s at 7: remaining %d, delay %d, retry %d, reset %d, next %d".formatted(
				allowed ? "allowed" : "rejected", -remaining,
				allowed ? greatest(Stream.of(limits), LimitStatus::delayNanos) : 0,
				never ? RateLimitDecision.NEVER : greatest(Stream.of(limits), LimitStatus::retryAfterNanos),
				greatest(Stream.of(limits), LimitStatus::resetAfterNanos),
				fixed ? 0 : greatest(tightest.get(), LimitStatus::nextPermitAfterNanos));
	}

	private static long greatest(Stream<RateLimitDecision> limits, ToLongFunction<LimitStatus> value) {
		return limits.mapToLong(value).max().orElseThrow();
	}

	private static RateLimitDecision any(Random random) {
		long wait = any(random, 4);
		return (random.nextInt(3) > 0)
				? RateLimitDecisions.allowed(7, any(random, 3), wait, any(random, 9), any(random, 3))
				: RateLimitDecisions.rejected(7, any(random, 3), random.nextInt(4) > 0 ? wait : RateLimitDecision.NEVER,
						any(random, 9), any(random, 3));
	}

	private static long any(Random random, int bound) {
		return (random.nextInt(20) > 0) ? random.nextInt(bound) : Long.MAX_VALUE - 1 - random.nextInt(bound);
	}

	@Test
	void marksOfLimitsAreNotThoseOfTheirCommonDecision() {
		RateLimitDecision[] marked = { RateLimitDecisions.asFallback(this.roomy),
				RateLimitDecisions.asQueueFull(this.tight, 50), RateLimitDecisions.unavailable(7, 90) };
		for (RateLimitDecision each : marked) {
			RateLimitDecision all = all(this.tight, each);
			assertThat(List.of(all.fallback(), all.unavailable(), all.queueFull())).containsOnly(false);
			assertThat(Decisions.describe(all, List.of(all)))
				.isEqualTo(expected(new RateLimitDecision[] { this.tight, each }));
		}
	}

	private RateLimitDecision all(RateLimitDecision... limits) {
		return (this.form == Form.SEPARATE) ? RateLimitDecisions.combined(limits) : combined(limits);
	}

	private static RateLimitDecision combined(RateLimitDecision... limits) {
		CombinedDecision combined = RateLimitDecisions.combining(7, limits.length);
		for (RateLimitDecision limit : limits) {
			combined.add(limit.allowed(), limit.remaining(), limit.delayNanos() + limit.retryAfterNanos(),
					limit.resetAfterNanos(), limit.nextPermitAfterNanos());
		}
		return combined;
	}

	/**
	 * How a common decision keeps its limits' statuses.
	 */
	enum Form {

		SEPARATE, JOINT

	}

}
