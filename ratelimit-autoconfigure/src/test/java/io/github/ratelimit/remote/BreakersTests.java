package io.github.ratelimit.remote;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What fails on one server says nothing of the others.
 */
@ExtendWith(OutputCaptureExtension.class)
class BreakersTests {

	private final ManualClock clock = ManualClock.atMidnight();

	private final Set<String> nodes = new HashSet<>(Set.of("one:1", "two:2", "three:3"));

	private final Breakers breakers = new Breakers(this.clock, Duration.ofSeconds(1), () -> this.nodes, "Redis", "");

	private void failAt(String node) {
		Breaker breaker = this.breakers.of(node);
		for (int i = 0; i <= Breaker.FAILURES; i++) {
			assertThat(breaker.mayCall()).isTrue();
			breaker.failed(StoreCallException.noAnswer(Duration.ofMillis(100)), this.clock.nanos());
		}
	}

	@Test
	void oneThatFailsStopsNobodyFromAskingTheOthers(CapturedOutput output) {
		failAt("two:2");
		assertThat(this.breakers.of("two:2").mayCall()).isFalse();
		assertThat(this.breakers.of("one:1").mayCall()).isTrue();
		assertThat(this.breakers.of("three:3").mayCall()).isTrue();
		assertThat(this.breakers.isAvailable()).isFalse();
		assertThat(this.breakers.outages()).isOne();
		assertThat(this.breakers.failure()).isEqualTo("two:2: no answer within 100 ms");
		assertThat(output)
			.contains("Redis at two:2 cannot decide since 2026-03-05T00:00:00Z (no answer within 100 ms)");
		failAt("one:1");
		assertThat(this.breakers.outages()).isEqualTo(2);
		assertThat(this.breakers.failure()).contains("one:1: ").contains("two:2: ");
	}

	@Test
	void oneThatIsNoLongerThereIsNotUnavailableForGood(CapturedOutput output) {
		failAt("two:2");
		this.nodes.remove("two:2");
		assertThat(this.breakers.isAvailable()).isTrue();
		assertThat(this.breakers.failure()).isNull();
		assertThat(this.breakers.outages()).isOne();
		assertThat(output).contains("Redis at two:2 is no longer asked");
	}

	@Test
	void anOutageOfBeforeTheServersWereKnownEndsWhenTheyAre() {
		Set<String> known = Set.copyOf(this.nodes);
		this.nodes.clear();
		failAt("");
		assertThat(this.breakers.isAvailable()).isFalse();
		this.nodes.addAll(known);
		assertThat(this.breakers.isAvailable()).isTrue();
		assertThat(this.breakers.failure()).isNull();
		assertThat(this.breakers.outages()).isOne();
	}

	@Test
	void keysWithoutAServerHaveABreakerOfTheirOwn(CapturedOutput output) {
		this.nodes.add("");
		failAt("");
		for (int i = 0; i < 10; i++) {
			assertThat(this.breakers.isAvailable()).isFalse();
			assertThat(this.breakers.of("").mayCall()).isFalse();
		}
		assertThat(this.breakers.outages()).isOne();
		assertThat(output.getAll()).containsOnlyOnce("Redis cannot decide").doesNotContain("no longer asked");
		this.nodes.remove("");
		assertThat(this.breakers.isAvailable()).isTrue();
		assertThat(output.getAll()).contains("Redis is no longer asked");
	}

	@Test
	void theOnlyServerIsNamedByItsAddress(CapturedOutput output) {
		Breaker only = new Breakers(this.clock, Duration.ofSeconds(1), () -> Set.of(""), "Redis", "cache:6379").of("");
		for (int i = 0; i <= Breaker.FAILURES; i++) {
			only.failed(StoreCallException.noAnswer(Duration.ofMillis(100)), this.clock.nanos());
		}
		assertThat(output).contains("Redis at cache:6379 cannot decide since ");
	}

	@Test
	void theOnlyServerKeepsItsBreaker() {
		this.nodes.clear();
		this.nodes.add("");
		failAt("");
		assertThat(this.breakers.isAvailable()).isFalse();
		assertThat(this.breakers.failure()).isEqualTo("no answer within 100 ms");
		assertThat(this.breakers.of("")).isSameAs(this.breakers.of(""));
	}

	@Test
	void serversThatComeAndGoLeaveNothingBehind() {
		Breaker first = this.breakers.of("one:1");
		this.nodes.remove("one:1");
		this.breakers.of("four:4");
		assertThat(this.breakers.of("one:1")).isNotSameAs(first);
	}

}
