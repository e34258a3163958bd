package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.stream.IntStream;

import io.github.ratelimit.store.SharedOverrides;
import io.github.ratelimit.store.SharedOverrides.PublishedReport;
import io.github.ratelimit.store.SharedOverrides.Report;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.github.ratelimit.store.SharedOverrides.ANY_VERSION;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What instances report of themselves while they ask for what was overridden.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedisReportsTests extends OneVirtualServer {

	private static final String KEY = "test:{overrides}:instances";

	private final ManualClock clock = server.clock();

	private final TestRedis redis = server.redis();

	private final SharedOverrides one = overrides();

	private final SharedOverrides other = overrides();

	private static SharedOverrides overrides() {
		return new RedisOverrides(server.time(), "test", TestStore.PATIENT.timeout());
	}

	@Test
	void aReportIsPublishedByTheCallThatReadsOverrides() {
		this.one.publish(() -> new Report("shop-1 \u20ac", "a\tb\n\u0000\ud83d\ude00"));
		long version = this.one.read(ANY_VERSION).version();
		assertThat(this.other.reports())
			.containsExactly(new PublishedReport("shop-1 \u20ac", "a\tb\n\u0000\ud83d\ude00", Duration.ZERO));
		int calls = server.calls();
		for (int i = 0; i < 100; i++) {
			assertThat(this.one.read(version).entries()).isNull();
		}
		assertThat(server.calls()).isEqualTo(calls + 100);
	}

	@Test
	void nothingIsPublishedWhereThereIsNoReport() {
		this.one.publish(() -> null);
		this.one.read(ANY_VERSION);
		this.other.read(ANY_VERSION);
		assertThat(this.one.reports()).isEmpty();
		assertThat(this.redis.keys()).isEmpty();
	}

	@Test
	void whoCannotReportFollowsWhatOthersChangeAndSaysSoOnce(CapturedOutput output) {
		this.one.publish(() -> {
			throw new IllegalStateException("cannot be counted");
		});
		this.other.write("key", "value", null, ANY_VERSION, 9);
		for (int i = 0; i < 3; i++) {
			assertThat(this.one.read(ANY_VERSION).entries()).containsKey("key");
		}
		assertThat(output.toString().split("cannot tell the others what it has counted", -1)).hasSize(2);
	}

	@Test
	void theLastReportOfEachCountsAndItsAgeIsByTheServersTime() {
		this.one.publish(() -> new Report("shop-1", "first"));
		this.one.read(ANY_VERSION);
		this.other.publish(() -> new Report("shop-2", "other"));
		this.other.read(ANY_VERSION);
		this.clock.advance(Duration.ofSeconds(3));
		this.one.publish(() -> new Report("shop-1", "second"));
		this.one.read(ANY_VERSION);
		assertThat(this.one.reports()).containsExactlyInAnyOrder(new PublishedReport("shop-1", "second", Duration.ZERO),
				new PublishedReport("shop-2", "other", Duration.ofSeconds(3)));
	}

	@Test
	void anInstanceThatIsGoneDisappears() {
		this.one.publish(() -> new Report("shop-1", "text"));
		this.one.read(ANY_VERSION);
		this.clock.advanceNanos(Duration.ofSeconds(10).toNanos() - 1000);
		assertThat(this.other.reports()).hasSize(1);
		this.clock.advanceNanos(1000);
		assertThat(this.other.reports()).isEmpty();
		assertThat(this.redis.keys()).isEmpty();
	}

	@Test
	void nobodyNeedsToLookForThoseThatAreGoneToBeForgotten() {
		this.one.publish(() -> new Report("shop-1", "text"));
		for (int i = 0; i < 1000; i++) {
			String name = "pod-" + i;
			this.other.publish(() -> new Report(name, "text"));
			this.other.read(ANY_VERSION);
		}
		for (int i = 0; i < 61; i++) {
			this.clock.advance(Duration.ofSeconds(1));
			this.one.read(ANY_VERSION);
		}
		assertThat(this.redis.number("HLEN", KEY)).isEqualTo(1);
		assertThat(this.redis.number("TTL", KEY)).isBetween(55L, 60L);
	}

	@Test
	void manyInstancesWithLongReportsAreAllRead() {
		String text = "x".repeat(40_000);
		for (int i = 0; i < 50; i++) {
			String name = "pod-" + i;
			this.one.publish(() -> new Report(name, text));
			this.one.read(ANY_VERSION);
		}
		assertThat(this.other.reports()).hasSize(50).allSatisfy((report) -> assertThat(report.text()).isEqualTo(text));
		assertThat(this.other.reports()).extracting(PublishedReport::instance)
			.containsExactlyInAnyOrderElementsOf(IntStream.range(0, 50).mapToObj((i) -> "pod-" + i).toList());
	}

	@Test
	void aServerWhoseClockIsSetBackKeepsThoseThatItKnowsForSeconds() {
		this.one.publish(() -> new Report("shop-1", "text"));
		this.one.read(ANY_VERSION);
		server.setBack(Duration.ofSeconds(5));
		assertThat(this.other.reports()).containsExactly(new PublishedReport("shop-1", "text", Duration.ZERO));
		server.setBack(Duration.ofHours(1));
		assertThat(this.other.reports()).isEmpty();
	}

	@Test
	void whatIsNoReportIsRemoved() {
		this.redis.call("HSET", KEY, "short", "x");
		assertThat(this.one.reports()).isEmpty();
		this.redis.call("SET", KEY, "x");
		assertThat(this.one.reports()).isEmpty();
		this.redis.call("SET", KEY, "x");
		this.one.publish(() -> new Report("shop-1", "text"));
		assertThat(this.one.read(ANY_VERSION).entries()).isEmpty();
		this.one.read(ANY_VERSION);
		assertThat(this.one.reports()).extracting(PublishedReport::instance).containsExactly("shop-1");
	}

	@Test
	void overridesAreReadWhereNothingMayBePublished() {
		this.one.write("api", "text", null, ANY_VERSION, 10);
		this.one.publish(() -> new Report("shop-1", "text"));
		this.redis.call("ACL", "SETUSER", "default", "-hset");
		try {
			assertThat(this.one.read(ANY_VERSION).entries()).containsOnlyKeys("api");
			assertThat(this.one.reports()).isEmpty();
		}
		finally {
			this.redis.call("ACL", "SETUSER", "default", "+@all");
		}
	}

}
