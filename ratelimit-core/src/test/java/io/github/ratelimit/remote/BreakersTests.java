package io.github.ratelimit.remote;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.ratelimit.remote.StoreCallException.Blame;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What fails on one server says nothing of the others, and which servers are checked how
 * often.
 */
@ExtendWith(OutputCaptureExtension.class)
class BreakersTests extends RemoteStoreTest {

	private final Breakers breakers = new Breakers(this.remote, SETTINGS, this.clock);

	private void serversAre(String... servers) {
		this.remote.servers.clear();
		this.remote.servers.addAll(List.of(servers));
	}

	private void failAt(String server) {
		for (int i = 0; i <= Breaker.FAILURES; i++) {
			assertThat(this.breakers.of(server).tryAcquirePermission()).isTrue();
			this.breakers.of(server).failed(StoreCallException.noAnswer(Duration.ofMillis(100)), this.clock.nanos());
		}
	}

	@Test
	void oneThatFailsStopsNobodyFromAskingTheOthers(CapturedOutput output) {
		serversAre("one:1", "two:2", "three:3");
		failAt("two:2");
		assertThat(this.breakers.of("two:2").tryAcquirePermission()).isFalse();
		assertThat(this.breakers.of("one:1").tryAcquirePermission()).isTrue();
		assertThat(this.breakers.of("three:3").tryAcquirePermission()).isTrue();
		assertThat(this.breakers.isAvailable()).isFalse();
		assertThat(this.breakers.outages()).isOne();
		assertThat(this.breakers.failure()).isEqualTo("two:2: no answer within 100 ms");
		assertThat(output)
			.contains("The grid at two:2 cannot decide since 2026-03-05T00:00:00Z (no answer within 100 ms)");
		failAt("one:1");
		assertThat(this.breakers.outages()).isEqualTo(2);
		assertThat(this.breakers.failure()).contains("one:1: ").contains("two:2: ");
	}

	@Test
	void whatDecidesIsSaidInAWord() {
		serversAre("one:1", "two:2");
		assertThat(this.breakers.decides()).isEqualTo(this.remote.name());
		assertThat(this.breakers.onFailure()).isNull();
		this.breakers.note(FailureMode.LOCAL);
		failAt("two:2");
		assertThat(this.breakers.onFailure()).isEqualTo("local");
		assertThat(this.breakers.decides()).isEqualTo(this.remote.name() + " and local");
		failAt("one:1");
		assertThat(this.breakers.decides()).isEqualTo("local");
		this.breakers.note(FailureMode.REJECT);
		assertThat(this.breakers.decides()).isEqualTo("on-failure");
		this.breakers.of("one:1").succeeded(true);
		this.breakers.of("two:2").succeeded(true);
		assertThat(this.breakers.decides()).isEqualTo(this.remote.name());
	}

	@Test
	void theOnlyServerIsAllThatDecides() {
		serversAre();
		this.breakers.note(FailureMode.ALLOW);
		failAt("");
		assertThat(this.breakers.decides()).isEqualTo("allow");
	}

	@Test
	void oneThatIsNoLongerThereIsNotUnavailablePermanently(CapturedOutput output) {
		serversAre("one:1", "two:2");
		failAt("two:2");
		Breaker gone = this.breakers.of("two:2");
		serversAre("one:1");
		assertThat(this.breakers.isAvailable()).isTrue();
		assertThat(this.breakers.failure()).isNull();
		assertThat(this.breakers.outages()).isOne();
		assertThat(output).contains("The grid at two:2 is no longer asked");
		assertThat(this.breakers.of("two:2")).isNotSameAs(gone);
	}

	@Test
	void anOutageOfBeforeTheServersWereKnownEndsWhenTheyAre() {
		serversAre();
		failAt("");
		assertThat(this.breakers.isAvailable()).isFalse();
		serversAre("one:1", "two:2");
		assertThat(this.breakers.isAvailable()).isTrue();
		assertThat(this.breakers.outages()).isOne();
	}

	@Test
	void keysWithoutAServerHaveABreakerOfTheirOwn(CapturedOutput output) {
		serversAre("one:1", "");
		failAt("");
		for (int i = 0; i < 10; i++) {
			assertThat(this.breakers.isAvailable()).isFalse();
			assertThat(this.breakers.of("").tryAcquirePermission()).isFalse();
		}
		assertThat(this.breakers.outages()).isOne();
		assertThat(output.getAll()).containsOnlyOnce("The grid at grid:7000 cannot decide since ")
			.doesNotContain("no longer asked");
		assertThat(this.breakers.failure()).isEqualTo("no answer within 100 ms");
		serversAre("one:1");
		assertThat(this.breakers.isAvailable()).isTrue();
		assertThat(output.getAll()).contains("is no longer asked");
	}

	private void failNext(String server, Blame blame, int times) {
		this.remote.failures.put(server,
				Stream.generate(() -> new StoreCallException("the cable is cut", null, blame))
					.limit(times)
					.collect(Collectors.toCollection(ArrayDeque::new)));
	}

	@Test
	void eachServerIsCheckedOnceInAnIntervalHoweverOftenHealthIsAsked() {
		serversAre("one", "two");
		for (int interval = 0; interval < 3; interval++) {
			for (int i = 0; i < 100; i++) {
				this.breakers.check();
			}
			assertThat(this.remote.asked()).containsExactlyInAnyOrder("check one", "check two");
			this.clock.advance(INTERVAL);
		}
	}

	@Test
	void aServerThatAnswersACheckAtTheSecondTimeHasNotFailed() {
		failNext("", Blame.SERVER, 1);
		this.breakers.check();
		assertThat(this.remote.calls()).isEqualTo(2);
		assertThat(this.breakers.failure()).isNull();
	}

	@Test
	void aCheckFindsAnOutageWhileAnotherServerAnswers() {
		serversAre("one", "two");
		failNext("one", Blame.SERVER, 4);
		this.breakers.check();
		assertThat(this.remote.asked()).hasSize(5).containsOnlyOnce("check two");
		assertThat(this.breakers.failure()).isEqualTo("one: the cable is cut");
		assertThat(this.breakers.of("one").isAvailable()).isFalse();
		assertThat(this.breakers.of("two").isAvailable()).isTrue();
	}

	@Test
	void aFailureIsFoundAlsoWhereTheServerMayBeCheckedOnlyOnce() {
		failNext("", Blame.SERVER, 5);
		this.breakers.check();
		this.clock.advance(INTERVAL);
		this.breakers.check();
		assertThat(this.remote.calls()).isEqualTo(5);
		assertThat(this.breakers.failure()).isEqualTo("the cable is cut");
	}

	@Test
	void whatACheckFoundIsOldAfterTheInterval() {
		failNext("", Blame.SERVER, 4);
		assertThat(this.breakers.failure()).isNull();
		this.breakers.check();
		this.breakers.of("").succeeded(true);
		this.clock.advance(INTERVAL.minusNanos(1));
		assertThat(this.breakers.isAvailable()).isFalse();
		assertThat(this.breakers.failure()).isEqualTo("the cable is cut");
		this.clock.advanceNanos(1);
		assertThat(this.breakers.failure()).isNull();
		assertThat(this.breakers.isAvailable()).isTrue();
	}

	@Test
	void whatACheckFoundLongAgoIsNotFoundAgainWhileServersAreAsked() {
		failNext("", Blame.SERVER, 4);
		this.breakers.check();
		this.breakers.of("").succeeded(true);
		this.clock.advance(INTERVAL.multipliedBy(2));
		List<Boolean> available = new ArrayList<>();
		this.remote.meanwhile = () -> available.add(this.breakers.isAvailable());
		this.breakers.check();
		assertThat(available).containsExactly(true);
	}

	@Test
	void aCallerThatIsStoppedBlamesNoServer() {
		failNext("", Blame.CALLER, 4);
		this.breakers.check();
		assertThat(this.breakers.failure()).isNull();
		assertThat(this.breakers.of("").isAvailable()).isTrue();
	}

	@Test
	void withoutTimeNoServerIsChecked() {
		new Breakers(this.remote, new ResilienceSettings(Duration.ZERO, INTERVAL, INTERVAL, 1), this.clock).check();
		assertThat(this.remote.calls()).isZero();
	}

}
