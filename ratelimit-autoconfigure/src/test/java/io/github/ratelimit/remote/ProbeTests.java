package io.github.ratelimit.remote;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.remote.StoreCallException.Blame;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link Probe}: which servers it asks how often, and what it finds.
 */
class ProbeTests {

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	private static final StoreCallException CUT = new StoreCallException("the cable is cut", null, Blame.SERVER);

	private static final StoreCallException STOPPED = new StoreCallException("the caller was stopped", null,
			Blame.CALLER);

	private final ManualClock clock = ManualClock.atMidnight();

	private final Servers servers = new Servers();

	private final Breakers breakers = new Breakers(this.clock, INTERVAL, Set::of, "Redis", "");

	private final Probe probe = probe(Duration.ofSeconds(20));

	private Probe probe(Duration timeout) {
		return new Probe(this.servers, new ResilienceSettings(timeout, INTERVAL, INTERVAL, 1), this.breakers,
				this.clock);
	}

	@Test
	void aServerThatAnswersAtTheSecondTimeHasNotFailed() {
		this.servers.fail("one", CUT, 1);
		this.probe.check();
		assertThat(this.servers.asked).isEqualTo(2);
		assertThat(this.probe.failure()).isNull();
	}

	@Test
	void anOutageIsFoundWhileAnotherServerAnswers() {
		this.servers.fail("one", CUT, 4);
		this.servers.fail("two", CUT, 0);
		this.probe.check();
		assertThat(this.servers.asked).isEqualTo(4);
		assertThat(this.probe.failure()).isEqualTo("one: the cable is cut");
		assertThat(this.breakers.of("one").isAvailable()).isFalse();
		assertThat(this.breakers.of("two").isAvailable()).isTrue();
	}

	@Test
	void aFailureIsFoundAlsoWhereTheServerMayBeAskedOnlyOnce() {
		this.servers.fail("one", CUT, 5);
		this.probe.check();
		this.clock.advance(INTERVAL);
		this.probe.check();
		assertThat(this.servers.asked).isEqualTo(5);
		assertThat(this.probe.failure()).isEqualTo("one: the cable is cut");
	}

	@Test
	void whatIsFoundIsOldAfterTheInterval() {
		this.servers.fail("one", CUT, 4);
		assertThat(this.probe.failure()).isNull();
		this.probe.check();
		this.breakers.of("one").succeeded(true);
		this.clock.advance(INTERVAL.minusNanos(1));
		assertThat(this.probe.failure()).isEqualTo("the cable is cut");
		this.clock.advanceNanos(1);
		assertThat(this.probe.failure()).isNull();
	}

	@Test
	void aCallerThatIsStoppedBlamesNoServer() {
		this.servers.fail("one", STOPPED, 4);
		this.probe.check();
		assertThat(this.probe.failure()).isNull();
		assertThat(this.breakers.of("one").isAvailable()).isTrue();
	}

	@Test
	void withoutTimeNoServerIsAsked() {
		this.servers.fail("one", CUT, 1);
		probe(Duration.ZERO).check();
		assertThat(this.servers.asked).isZero();
	}

	/**
	 * Servers that answer as they are told, in turn.
	 */
	private static final class Servers implements OneByOneStore {

		private final Map<String, Deque<Optional<StoreCallException>>> answers = new LinkedHashMap<>();

		private int asked;

		/* The server fails so often, and then answers. */
		void fail(String server, StoreCallException failure, int times) {
			Deque<Optional<StoreCallException>> answers = new ArrayDeque<>();
			for (int i = 0; i < times; i++) {
				answers.add(Optional.of(failure));
			}
			answers.add(Optional.empty());
			this.answers.put(server, answers);
		}

		@Override
		public String name() {
			return "servers";
		}

		@Override
		public String displayName() {
			return "The servers";
		}

		@Override
		public PolicyDecider open(RateLimitPolicy policy) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Check check() {
			return new Check() {

				@Override
				public Set<String> servers() {
					return Servers.this.answers.keySet();
				}

				@Override
				public Map<String, StoreCallException> ask(Set<String> servers, Deadline deadline) {
					return failures(servers);
				}

			};
		}

		private Map<String, StoreCallException> failures(Set<String> servers) {
			this.asked += servers.isEmpty() ? 0 : 1;
			Map<String, StoreCallException> failures = new HashMap<>();
			for (String server : servers) {
				this.answers.get(server).remove().ifPresent((failure) -> failures.put(server, failure));
			}
			return failures;
		}

	}

}
