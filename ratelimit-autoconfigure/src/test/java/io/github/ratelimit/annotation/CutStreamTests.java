package io.github.ratelimit.annotation;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;

import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.testserver.Leaving;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that nobody makes a stream of a service cheaper than what it has reserved by
 * leaving it, at whichever element and in whatever way. What it has used is in its last
 * element.
 */
class CutStreamTests {

	private static final long ALL = 1_000_000;

	private static final long RESERVED = 4;

	@AutoClose
	private final LimitedApplication<Service> application = new LimitedApplication<>(Service.class);

	private final Service service = this.application.bean();

	@Test
	void whoeverLeavesAStreamPaysWhatItHasReservedAtLeast() {
		Map<End, Integer> ends = new EnumMap<>(End.class);
		RandomCases.check(10_000, (random) -> ends.merge(checkOne(random), 1, Integer::sum));
		assertThat(ends).as("what was tried").hasSize(End.values().length);
	}

	private End checkOne(Random random) {
		Source source = new Source(random);
		Leaving leaving = Leaving.values()[random.nextInt(Leaving.values().length)];
		int at = random.nextInt(7);
		Leaver subscriber = new Leaver(random);
		leaving.of(this.service.stream(source.flux()), at).subscribe(subscriber);
		source.emit();
		subscriber.dispose();

		long charged = ALL - this.application.remaining("stream", "shared:");
		assertThat(charged).as("%s at %d of %s: %s", leaving, at, source, source.end).isEqualTo(source.charged());
		this.application.get(RateLimiterRegistry.class).policy("stream").reset("shared:");
		return source.end;
	}

	private enum End {

		/** It goes on, without a subscriber or with one that forgets it. */
		NONE,

		/** It has completed or failed. */
		OVER,

		/** Its subscriber has left it. */
		LEFT

	}

	/**
	 * What the method returns, and what became of it.
	 */
	private static final class Source {

		private final Integer[] numbers;

		private final boolean fails;

		private final boolean ends;

		private final Sinks.@Nullable Many<Integer> sink;

		private boolean subscribed;

		private int last;

		private End end = End.NONE;

		Source(Random random) {
			this.numbers = random.ints(random.nextInt(6), 0, 9).boxed().toArray(Integer[]::new);
			this.ends = random.nextInt(3) > 0;
			this.fails = random.nextInt(4) == 0;
			this.sink = random.nextBoolean() ? Sinks.many().unicast().onBackpressureBuffer() : null;
		}

		Flux<Integer> flux() {
			Flux<Integer> flux;
			if (this.sink != null) {
				flux = this.sink.asFlux();
			}
			else {
				flux = Flux.just(this.numbers);
				if (!this.ends) {
					flux = flux.concatWith(Flux.never());
				}
				else if (this.fails) {
					flux = flux.concatWith(Flux.error(new IllegalStateException("as asked")));
				}
			}
			return flux.doFirst(() -> this.subscribed = true)
				.doOnNext((number) -> this.last = number)
				.doOnCancel(() -> end(End.LEFT))
				.doOnTerminate(() -> end(End.OVER));
		}

		private void end(End end) {
			if (this.end == End.NONE) {
				this.end = end;
			}
		}

		void emit() {
			if (this.sink == null) {
				return;
			}
			for (Integer number : this.numbers) {
				this.sink.tryEmitNext(number);
			}
			if (this.ends && this.fails) {
				this.sink.tryEmitError(new IllegalStateException("as asked"));
			}
			else if (this.ends) {
				this.sink.tryEmitComplete();
			}
		}

		long charged() {
			return switch (this.end) {
				case NONE -> this.subscribed ? RESERVED : 0;
				case OVER -> this.last;
				case LEFT -> Math.max(RESERVED, this.last);
			};
		}

		@Override
		public String toString() {
			return Arrays.toString(this.numbers) + ", ends " + this.ends + ", fails " + this.fails;
		}

	}

	/**
	 * A subscriber that leaves at a moment of its own, unless something has left before.
	 */
	private static final class Leaver extends BaseSubscriber<Object> {

		private final boolean throwing;

		private final long requested;

		private int left;

		Leaver(Random random) {
			this.left = random.nextInt(10);
			this.throwing = random.nextInt(4) == 0;
			this.requested = random.nextBoolean() ? Long.MAX_VALUE : 1;
		}

		@Override
		protected void hookOnSubscribe(Subscription subscription) {
			if (this.left == 0) {
				cancel();
			}
			else {
				request(this.requested);
			}
		}

		@Override
		protected void hookOnNext(Object value) {
			this.left--;
			if (this.left > 0) {
				request(1);
			}
			else if (this.throwing) {
				throw new IllegalStateException("as asked");
			}
			else {
				cancel();
			}
		}

		@Override
		protected void hookOnError(Throwable failure) {
			// it has been asked for
		}

	}

	static class Service {

		@RateLimited(name = "stream", limit = ALL, window = "1h", cost = "" + RESERVED, charge = "result ?: 0")
		public Flux<Integer> stream(Flux<Integer> stream) {
			return stream;
		}

	}

}
