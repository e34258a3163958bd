package io.github.ratelimit.request;

import java.security.Principal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.Threads;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link WaitingRoom}: nobody keeps all others out.
 */
@ParameterizedClass
@EnumSource(Asking.class)
class FairSlotTests extends Acquiring {

	private final RateLimiter queue = queue("queue");

	private final RateLimiter other = queue("other");

	private WaitingRoom room = new WaitingRoom(this.clock, 8);

	FairSlotTests(Asking asking) {
		super(asking);
	}

	@Test
	void aKeyTakesAQuarterOfTheSlotsAndItsPolicyAHalf() {
		assertThat(waiting(this.queue, "a", 5)).isEqualTo(2);
		assertThat(waiting(this.queue, "b", 5)).isEqualTo(2);
		assertThat(waiting(this.queue, "c", 5)).isZero();
		assertThat(waiting(this.other, "a", 5)).isEqualTo(2);
		assertThat(waiting(this.other, "b", 5)).isEqualTo(2);
		assertThat(this.room.waiting()).isEqualTo(8);
		assertThat(this.queue.count(RateLimitOutcome.QUEUE_FULL)).isEqualTo(3 + 3 + 5);
	}

	@Test
	void aClientTakesAQuarterOfTheSlotsWhateverItsKeysAndPolicies() {
		assertThat(waitingFrom("192.0.2.1", this.queue, "a", 1)).isEqualTo(1);
		assertThat(waitingFrom("192.0.2.1", this.other, "b", 1)).isEqualTo(1);
		assertThat(waitingFrom("192.0.2.1", this.queue, "c", 5)).isZero();
		assertThat(waitingFrom("192.0.2.2", this.queue, "c", 1)).isEqualTo(1);
	}

	@Test
	void aCallWithinARequestCountsForItsClient() {
		Acquisition request = from("192.0.2.1");
		pass(this.queue, "a");
		for (int i = 0; i < 2; i++) {
			assertThat(take(request.call("place"), List.of(of(this.queue, "a", 1)))).isTrue();
		}
		pass(this.other, "a");
		assertThat(take(request.call("place"), List.of(of(this.other, "a", 1)))).isFalse();
	}

	@Test
	void aSlotCountsForEachPolicyThatItsRequestMeets() {
		pass(this.queue, "a");
		Acquisition request = acquisition();
		assertThat(take(request, List.of(of(this.queue, "a", 1)))).isTrue();
		assertThat(take(request, List.of(of(this.other, "a", 1)))).isTrue();
		assertThat(this.room.waiting()).isOne();
		assertThat(waiting(this.other, "a", 5)).isEqualTo(1);

		request.releaseSlot();
		assertThat(waiting(this.other, "a", 5)).isEqualTo(1);
		assertThat(waiting(this.queue, "a", 5)).isEqualTo(2);
	}

	@Test
	void whoHasASlotIsRejectedByAPolicyThatHasItsHalfAndLeaves() {
		assertThat(waiting(this.other, "a", 2)).isEqualTo(2);
		assertThat(waiting(this.other, "b", 2)).isEqualTo(2);
		pass(this.queue, "a");
		pass(this.other, "c");
		Acquisition request = acquisition();
		assertThat(take(request, List.of(of(this.queue, "a", 1)))).isTrue();
		assertThat(take(request, List.of(of(this.other, "c", 1)))).isFalse();
		assertThat(this.room.waiting()).isEqualTo(4);
	}

	@Test
	void aSlotThatIsFreeAgainIsFreeForAllWhomItCountedFor() {
		List<Acquisition> requests = new ArrayList<>();
		pass(this.queue, "a");
		for (int i = 0; i < 2; i++) {
			Acquisition request = from("192.0.2.1");
			assertThat(take(request, List.of(of(this.queue, "a", 1)))).isTrue();
			requests.add(request);
		}
		assertThat(waitingFrom("192.0.2.1", this.queue, "a", 1)).isZero();
		requests.forEach(Acquisition::releaseSlot);
		requests.forEach(Acquisition::releaseSlot);
		assertThat(this.room.waiting()).isZero();
		assertThat(waitingFrom("192.0.2.1", this.queue, "a", 3)).isEqualTo(2);
	}

	@ParameterizedTest
	@CsvSource({ "0, 0", "1, 1", "2, 1", "4, 1", "7, 1", "8, 2" })
	void whereThereIsASlotEachMayHaveOne(int maximum, int ofKey) {
		this.room = new WaitingRoom(this.clock, maximum);
		assertThat(waiting(this.queue, "a", 9)).isEqualTo(ofKey);
	}

	@Test
	void whoeverTriesAtOnceNobodyExceedsTheirPart() {
		ConcurrentMap<String, AtomicInteger> present = new ConcurrentHashMap<>();
		ConcurrentMap<String, Integer> most = new ConcurrentHashMap<>();
		for (String key : List.of("a", "b", "c")) {
			pass(this.queue, key);
			pass(this.other, key);
		}
		Threads.sum(8, (number) -> {
			for (int i = 0; i < 200; i++) {
				RateLimiter limiter = (i % 3 == 0) ? this.other : this.queue;
				String key = List.of("a", "b", "c").get((number + i) % 3);
				Acquisition request = acquisition();
				take(request, List.of(of(limiter, key, 1)));
				if (request.hasSlot()) {
					String policy = limiter.policy().name();
					for (String holder : List.of("all", policy, policy + key)) {
						int now = present.computeIfAbsent(holder, (absent) -> new AtomicInteger()).incrementAndGet();
						most.merge(holder, now, Math::max);
					}
					for (String holder : List.of("all", policy, policy + key)) {
						present.get(holder).decrementAndGet();
					}
					request.releaseSlot();
				}
			}
			return 0;
		});
		assertThat(most.get("all")).isLessThanOrEqualTo(8);
		assertThat(most.get("queue")).isLessThanOrEqualTo(4);
		assertThat(most.get("queuea")).isLessThanOrEqualTo(2);
		assertThat(this.room.waiting()).isZero();
	}

	/* How many of some requests wait, after one that passes. */
	private int waiting(RateLimiter limiter, String key, int count) {
		return waitingFrom(null, limiter, key, count);
	}

	private int waitingFrom(@Nullable String address, RateLimiter limiter, String key, int count) {
		pass(limiter, key);
		int waiting = 0;
		for (int i = 0; i < count; i++) {
			Acquisition request = from(address);
			take(request, List.of(of(limiter, key, 1)));
			if (request.hasSlot()) {
				waiting++;
			}
		}
		return waiting;
	}

	/* From now on, each request of the key has to wait. */
	private static void pass(RateLimiter limiter, String key) {
		if (limiter.peek(key).resetAfter().equals(Duration.ZERO)) {
			limiter.decide(key, 1);
		}
	}

	private Acquisition acquisition() {
		return new Acquisition(this.room);
	}

	private Acquisition from(@Nullable String address) {
		if (address == null) {
			return acquisition();
		}
		return new LimitedHttpRequest(this.room, Long.MAX_VALUE) {

			@Override
			public RequestView view() {
				return new View(address);
			}

		};
	}

	private record View(String clientAddress) implements RequestView {

		@Override
		public @Nullable Principal principal() {
			return null;
		}

		@Override
		public @Nullable String header(String name) {
			return null;
		}

		@Override
		public @Nullable String session() {
			return null;
		}

		@Override
		public Object request() {
			return this;
		}

	}

}
