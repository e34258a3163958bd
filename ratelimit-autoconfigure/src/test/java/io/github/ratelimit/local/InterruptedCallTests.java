package io.github.ratelimit.local;

import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RoomyLimits;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Tick;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static io.github.ratelimit.RateLimitAlgorithm.LEAKY_BUCKET;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * What happens when another call on the same key comes between two steps of a call. One
 * thread shows it, because the calls read the time between these steps.
 */
class InterruptedCallTests {

	private static final String KEY = "key";

	private static final Duration HALF_A_MINUTE = Duration.ofSeconds(30);

	private final InterruptingClock clock = new InterruptingClock();

	@ParameterizedTest
	@EnumSource
	void noRequestIsRejectedByAStateThatIsNewerThanItsTime(Kind kind) {
		LocalStates states = kind.create(this.clock);
		states.decide(KEY, 2);
		this.clock.advance(HALF_A_MINUTE);
		this.clock.interruptOnce(() -> {
			this.clock.advance(HALF_A_MINUTE);
			assertThat(states.decide(KEY, 1).allowed()).isTrue();
		});
		assertThat(states.decide(KEY, 1).allowed()).isTrue();
		assertThat(states.decide(KEY, 0).remaining()).isZero();
	}

	static Stream<Arguments> removals() {
		return Stream.of(Kind.values())
			.flatMap((kind) -> Stream.of(Removal.values()).map((removal) -> arguments(kind, removal)));
	}

	@ParameterizedTest
	@MethodSource("removals")
	void noPermitIsTakenFromAStateThatIsRemoved(Kind kind, Removal removal) {
		LocalStates states = withIdleKey(kind);
		this.clock.interruptOnce(() -> {
			removal.accept(states, KEY);
			assertThat(states.keys.map()).doesNotContainKey(KEY);
		});
		assertThat(states.decide(KEY, 2).remaining()).isZero();
		assertThat(states.decide(KEY, 0).remaining()).isZero();
		assertThat(states.decide(KEY, 1).allowed()).isFalse();
	}

	@ParameterizedTest
	@EnumSource(Removal.class)
	void noPermitThatNeedNotWaitIsTakenFromAStateThatIsRemoved(Removal removal) {
		LocalStates states = states(this.clock, RoomyLimits.of(LEAKY_BUCKET, 2, Duration.ofMinutes(1)));
		states.decideWithoutDelay(KEY, 1);
		this.clock.advance(Duration.ofHours(1));
		this.clock.interruptOnce(() -> removal.accept(states, KEY));
		assertThat(states.decideWithoutDelay(KEY, 1).allowed()).isTrue();
		assertThat(states.decideWithoutDelay(KEY, 1).allowed()).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void aKeyIsNotForgottenThatIsTakenFromMeanwhile(Kind kind) {
		LocalStates states = withIdleKey(kind);
		this.clock.interruptOnce(() -> states.decide(KEY, 2));
		states.keys.forgetIdle();
		assertThat(states.decide(KEY, 0).remaining()).isZero();
		assertThat(states.keys()).isEqualTo(1);
	}

	@ParameterizedTest
	@EnumSource
	void aKeyThatIsTakenFromAfterItSeemedIdleIsNotRetired(Kind kind) {
		LocalStates states = withIdleKey(kind);
		LocalState state = states.keys.map().get(KEY);
		assertThat(state.looksIdle(this.clock.nanos())).isTrue();
		states.decide(KEY, 1);
		assertThat(state.retire(this.clock.nanos(), true)).isFalse();
		assertThat(states.decide(KEY, 1).remaining()).isZero();
	}

	/*
	 * The second time is read inside of the map's operation, where only a word can still
	 * be taken from.
	 */
	@Test
	void aWordIsNotForgottenThatIsTakenFromAtTheLastMoment() {
		LocalStates states = withIdleKey(Kind.WORD);
		this.clock.interruptOnce(() -> this.clock.interruptOnce(() -> states.decide(KEY, 2)));
		states.keys.forgetIdle();
		assertThat(states.decide(KEY, 0).remaining()).isZero();
		assertThat(states.keys()).isEqualTo(1);
	}

	@Test
	void aPermitIsRefundedBesideOneThatIsTakenMeanwhile() {
		LocalStates states = Kind.WORD.create(this.clock);
		RateLimitDecision given = states.decide(KEY, 1);
		this.clock.interruptOnce(() -> states.decide(KEY, 1));
		states.refund(KEY, 1, given);
		assertThat(states.decide(KEY, 0).remaining()).isEqualTo(1);
	}

	@Test
	void nothingIsRefundedToAStateThatIsRemovedMeanwhile() {
		LocalStates states = Kind.WORD.create(this.clock);
		RateLimitDecision given = states.decide(KEY, 2);
		this.clock.interruptOnce(() -> states.reset(KEY));
		states.refund(KEY, 2, given);
		assertThat(states.keys()).isZero();
	}

	@Test
	void aLogThatGrowsMeanwhileKeepsBothPermits() {
		MemoryBudget memory = new MemoryBudget(Long.MAX_VALUE);
		LocalStates states = new LocalStates(
				Algorithm.of(RateLimit.of(SLIDING_WINDOW_LOG, 3, Duration.ofMinutes(1)), Tick.NANOSECOND),
				new LocalKeys<>(this.clock, 10, memory));
		states.decide(KEY, 1);
		this.clock.interruptOnce(() -> states.decide(KEY, 1));
		assertThat(states.decide(KEY, 1).remaining()).isZero();
		assertThat(states.decide(KEY, 1).allowed()).isFalse();
		assertThat(memory.used()).isEqualTo(states.keys.bytesOf(KEY, states.keys.map().get(KEY)));
	}

	private LocalStates withIdleKey(Kind kind) {
		LocalStates states = kind.create(this.clock);
		states.decide(KEY, 1);
		this.clock.advance(Duration.ofHours(1));
		return states;
	}

	private static LocalStates states(InterruptingClock clock, RateLimit... limits) {
		return new LocalStates(Algorithm.of(List.of(limits), Tick.NANOSECOND),
				new LocalKeys<>(clock, 10, new MemoryBudget(Long.MAX_VALUE)));
	}

	/**
	 * States that allow two permits a minute.
	 */
	private enum Kind {

		WORD {
			@Override
			LocalStates create(InterruptingClock clock) {
				return states(clock, LIMIT);
			}
		},

		WORDS {
			@Override
			LocalStates create(InterruptingClock clock) {
				return states(clock, LIMIT, LIMIT);
			}
		};

		private static final RateLimit LIMIT = RateLimit.of(TOKEN_BUCKET, 2, Duration.ofMinutes(1));

		abstract LocalStates create(InterruptingClock clock);

	}

	/**
	 * A way for the state of a key to leave the map.
	 */
	private enum Removal implements BiConsumer<LocalStates, String> {

		RESET {
			@Override
			public void accept(LocalStates states, String key) {
				states.reset(key);
			}
		},

		IDLE {
			@Override
			public void accept(LocalStates states, String key) {
				states.keys.forgetIdle();
			}
		},

		EVICTION {
			@Override
			public void accept(LocalStates states, String key) {
				for (int i = 0; i < 1000 && states.keys.map().containsKey(key); i++) {
					states.decide("other" + i % 50, 1);
				}
			}
		}

	}

}
