package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.StoreCallException;
import io.github.ratelimit.store.SharedOverrides;
import io.github.ratelimit.store.SharedOverrides.Entry;
import io.github.ratelimit.store.SharedOverrides.Outcome;
import io.github.ratelimit.store.SharedOverrides.Snapshot;
import io.github.ratelimit.store.SharedOverrides.Written;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;

import static io.github.ratelimit.store.SharedOverrides.ANY_VERSION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What a server keeps of what was changed, by its own time.
 */
class RedisOverridesTests extends OneVirtualServer {

	private static final Duration HOUR = Duration.ofHours(1);

	private static final int MAX_NAMES = 10_000;

	private final ManualClock clock = server.clock();

	private final TestRedis redis = server.redis();

	private final SharedOverrides overrides = new RedisOverrides(server.time(), "test", TestStore.PATIENT.timeout());

	private Written write(String name, String text) {
		return this.overrides.write(name, text, null, ANY_VERSION, MAX_NAMES);
	}

	private Snapshot read() {
		Snapshot snapshot = this.overrides.read(ANY_VERSION);
		assertThat(snapshot.entries()).isNotNull();
		return snapshot;
	}

	@Test
	void atFirstThereIsNone() {
		Snapshot snapshot = read();
		assertThat(snapshot.entries()).isEmpty();
		assertThat(snapshot.nowNanos()).isEqualTo(this.clock.nanos());
		assertThat(this.overrides.read(snapshot.version()).entries()).isNull();
		assertThat(this.redis.keys()).isEmpty();
	}

	@Test
	void whatIsWrittenIsRead() {
		long before = read().version();
		Written api = write("api", "{\"limits\": \"\u00fc\ud83d\ude00\u0000\"}");
		Written key = this.overrides.write("api key \u20ac", "", HOUR, 0, MAX_NAMES);
		assertThat(api.outcome()).isEqualTo(Outcome.DONE);
		assertThat(api.version()).isGreaterThan(before);
		assertThat(key.version()).isGreaterThan(api.version());
		Snapshot snapshot = this.overrides.read(api.version());
		assertThat(snapshot.version()).isEqualTo(key.version());
		assertThat(snapshot.entries())
			.isEqualTo(Map.of("api", new Entry("{\"limits\": \"\u00fc\ud83d\ude00\u0000\"}", api.version(), 0),
					"api key \u20ac", new Entry("", key.version(), this.clock.nanos() + HOUR.toNanos())));
		assertThat(this.overrides.read(key.version()).entries()).isNull();
		assertThat(this.redis.keys()).containsExactlyInAnyOrder("test:{overrides}", "test:{overrides}:version")
			.allSatisfy((name) -> assertThat(this.redis.number("TTL", name)).isEqualTo(-1));
	}

	@Test
	void theLastOneWins() {
		Written first = write("api", "first");
		Written second = write("api", "second");
		assertThat(second.outcome()).isEqualTo(Outcome.DONE);
		assertThat(first.before()).isZero();
		assertThat(second.before()).isEqualTo(first.version());
		assertThat(read().entries()).containsEntry("api", new Entry("second", second.version(), 0));
		Written third = this.overrides.write("api", null, null, ANY_VERSION, MAX_NAMES);
		assertThat(second.version()).isBetween(first.version() + 1, third.version() - 1);
		assertThat(third.before()).isEqualTo(second.version());
		assertThat(read().entries()).isEmpty();
		assertThat(write("api", "fourth").before()).isZero();
	}

	@Test
	void anotherVersionThanWasExpectedIsAConflictAndChangesNothing() {
		Written first = this.overrides.write("api", "first", null, 0, MAX_NAMES);
		assertThat(first.outcome()).isEqualTo(Outcome.DONE);
		for (long expected : new long[] { 0, first.version() - 1, first.version() + 1 }) {
			for (String text : new String[] { "second", null }) {
				Written conflict = this.overrides.write("api", text, HOUR, expected, MAX_NAMES);
				assertThat(conflict).isEqualTo(new Written(Outcome.CONFLICT, first.version(), first.version()));
			}
		}
		assertThat(this.overrides.write("other", "text", null, first.version(), MAX_NAMES).outcome())
			.isEqualTo(Outcome.CONFLICT);
		assertThat(this.overrides.read(first.version()).entries()).isNull();
		assertThat(this.overrides.write("api", "second", null, first.version(), MAX_NAMES).outcome())
			.isEqualTo(Outcome.DONE);
	}

	@Test
	void oneNameMoreThanThereMayBeIsRefused() {
		for (int i = 0; i < 3; i++) {
			this.overrides.write("name" + i, "text", HOUR.multipliedBy(i + 1), ANY_VERSION, 3);
		}
		long version = read().version();
		Written full = this.overrides.write("more", "text", null, ANY_VERSION, 3);
		assertThat(full).isEqualTo(new Written(Outcome.FULL, version, 0));
		assertThat(this.overrides.write("name2", "other", null, ANY_VERSION, 3).outcome()).isEqualTo(Outcome.DONE);
		this.clock.advance(HOUR);
		assertThat(this.overrides.write("more", "text", null, ANY_VERSION, 3).outcome()).isEqualTo(Outcome.DONE);
		assertThat(read().entries()).containsOnlyKeys("name1", "name2", "more");
	}

	@Test
	void whatHasEndedIsGoneByTheServersTime() {
		long version = this.overrides.write("api", "text", HOUR, ANY_VERSION, MAX_NAMES).version();
		this.clock.advanceNanos(HOUR.toNanos() - 1000);
		assertThat(read().entries()).containsOnlyKeys("api");
		this.clock.advanceNanos(1000);
		assertThat(read().entries()).isEmpty();
		assertThat(this.redis.keys()).containsExactly("test:{overrides}:version");
		assertThat(this.overrides.read(version).entries()).isNull();
		write("api", "first");
		Written soon = this.overrides.write("api", "second", Duration.ofSeconds(1), ANY_VERSION, MAX_NAMES);
		this.clock.advance(Duration.ofSeconds(1));
		assertThat(this.overrides.write("api", "third", null, soon.version(), MAX_NAMES).outcome())
			.isEqualTo(Outcome.CONFLICT);
		assertThat(this.overrides.write("api", "third", null, 0, MAX_NAMES).outcome()).isEqualTo(Outcome.DONE);
	}

	@Test
	void aServerThatLostItsDataIsSeenToHaveChanged() {
		long before = write("api", "text").version();
		this.redis.call("FLUSHALL");
		Snapshot lost = this.overrides.read(before);
		assertThat(lost.entries()).isEmpty();
		this.clock.advanceNanos(1000);
		assertThat(write("api", "again").version()).isGreaterThan(before);
	}

	@Test
	void anEvictedVersionIsSeenAndTheTextsAreStillInForce() {
		long before = write("api", "text").version();
		this.redis.call("DEL", "test:{overrides}:version");
		Snapshot snapshot = this.overrides.read(before);
		assertThat(snapshot.entries()).containsOnlyKeys("api");
		assertThat(this.overrides.read(snapshot.version()).entries()).isNull();
		this.clock.advanceNanos(5000);
		assertThat(write("other", "text").version()).isGreaterThan(before);
	}

	@Test
	void aClockThatIsSetBackMakesNoVersionTwice() {
		long before = write("api", "text").version();
		this.clock.advanceNanos(-HOUR.toNanos());
		assertThat(write("api", "other").version()).isEqualTo(before + 1);
	}

	@Test
	void askingWhetherAnythingChangedTouchesTheVersionAlone() {
		long version = write("api", "text").version();
		this.redis.call("CONFIG", "RESETSTAT");
		int calls = server.calls();
		assertThat(this.overrides.read(version)).isEqualTo(new Snapshot(version, this.clock.nanos(), null));
		assertThat(server.calls()).isEqualTo(calls + 1);
		assertThat(this.redis.info("commandstats", "cmdstat_get")).contains("calls=1,");
		assertThat(this.redis.info("commandstats", "cmdstat_hscan")).isEmpty();
		assertThat(this.redis.info("commandstats", "cmdstat_hget")).isEmpty();
	}

	@Test
	void thousandsAreReadSomeAtATime() {
		Map<String, String> expected = new HashMap<>();
		for (int i = 0; i < 2000; i++) {
			expected.put("name" + i, "text ".repeat(50) + i);
			this.overrides.write("name" + i, expected.get("name" + i), (i % 2 == 0) ? HOUR : null, ANY_VERSION,
					MAX_NAMES);
		}
		int calls = server.calls();
		Map<String, Entry> entries = read().entries();
		assertThat(entries).hasSize(2000)
			.allSatisfy((name, entry) -> assertThat(entry.text()).isEqualTo(expected.get(name)));
		assertThat(server.calls() - calls).isBetween(10, 40);
		this.clock.advance(HOUR);
		assertThat(read().entries()).hasSize(1000);
		assertThat(this.redis.number("HLEN", "test:{overrides}")).isEqualTo(1000);
	}

	@Test
	void whatAnotherApplicationPutThereIsNone() {
		this.redis.call("RPUSH", "test:{overrides}:version", "x");
		this.redis.call("SET", "test:{overrides}", "x");
		assertThat(read().entries()).isEmpty();
		this.redis.call("SET", "test:{overrides}:version", "nan");
		this.redis.call("HSET", "test:{overrides}", "api", "short", "other", "something longer than sixteen bytes");
		assertThat(read().entries()).isEmpty();
		Written written = write("api", "text");
		assertThat(written.version()).isEqualTo(this.clock.nanos() / 1000);
		this.redis.call("DEL", "test:{overrides}");
		this.redis.call("SET", "test:{overrides}", "x");
		assertThat(write("api", "text").outcome()).isEqualTo(Outcome.DONE);
		assertThat(read().entries()).containsOnlyKeys("api");
	}

	@Test
	void onlyTheFirstReadingHasTheTimeThatAConnectionNeeds() {
		List<Duration> waits = new ArrayList<>();
		ScriptRunner unreachable = new ForwardingRunner(server.time()) {

			@Override
			public <T> PendingCall<T> start(ScriptCall<T> call, Deadline deadline) {
				waits.add(deadline.timeout());
				throw new StoreCallException("as the test wants", null, StoreCallException.Blame.SERVER);
			}

		};
		for (Duration timeout : List.of(Duration.ofMillis(100), Duration.ofSeconds(30))) {
			SharedOverrides overrides = new RedisOverrides(unreachable, "test", timeout);
			for (int i = 0; i < 2; i++) {
				assertThatExceptionOfType(StoreCallException.class).isThrownBy(() -> overrides.read(ANY_VERSION));
			}
		}
		assertThat(waits).containsExactly(Duration.ofSeconds(2), Duration.ofMillis(100), Duration.ofSeconds(30),
				Duration.ofSeconds(30));
	}

	@Test
	void aServerThatDoesNotAnswerIsAFailureWithinTheTimeOut() {
		SharedOverrides impatient = new RedisOverrides(server.time(), "test", Duration.ofMillis(200));
		impatient.read(ANY_VERSION);
		this.redis.freeze();
		try {
			long begin = RunningTime.nanos();
			assertThatExceptionOfType(StoreCallException.class).isThrownBy(() -> impatient.read(ANY_VERSION));
			assertThatExceptionOfType(StoreCallException.class)
				.isThrownBy(() -> impatient.write("api", "text", null, ANY_VERSION, MAX_NAMES));
			assertThat(RunningTime.since(begin)).isLessThan(Duration.ofSeconds(5));
		}
		finally {
			this.redis.thaw();
		}
		read();
	}

}
