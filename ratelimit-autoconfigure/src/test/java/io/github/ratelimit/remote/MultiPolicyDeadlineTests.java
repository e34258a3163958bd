package io.github.ratelimit.remote;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.RateLimitSession;
import io.github.ratelimit.store.RateLimitSession.Question;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How long a request waits for several policies, and what becomes of it without time.
 */
class MultiPolicyDeadlineTests extends TwoPolicies {

	@Test
	void withoutTimeNoServerIsAskedAndNoneIsBlamed() {
		breakDown(this.one);
		this.remote.failing.clear();
		this.clock.advance(INTERVAL);
		this.remote.asked();
		this.time.use(SETTINGS.timeout().toNanos(), false);
		assertThat(fallback(this.session.decide(List.of(of(this.one, 3), of(this.two, 4))))).containsExactly(true,
				true);
		assertThat(this.remote.asked()).isEmpty();
		assertThat(this.one.decide("key", 0).fallback()).isFalse();
	}

	@Test
	void whereTimeIsOverMeanwhileTheRestFallsBack() {
		Duration timeout = Duration.ofMillis(20);
		this.remote.meanwhile = () -> letTimePass(timeout);
		RateLimitSession session = new RemoteSession(this.remote, this.clock, new WaitingTime(timeout, this.clock));
		assertThat(fallback(session.decide(List.of(of(this.one, 3), of(this.two, 4))))).containsExactly(true, true);
		assertThat(this.remote.asked()).containsExactly("look at one", "look at two");
		assertThat(this.store.availability().failure()).isNull();
	}

	@Test
	void withoutTimePermitsAreRefundedWithoutWaiting() {
		List<@Nullable RateLimitDecision> given = decide(of(this.one, 3));
		this.remote.asked();
		this.time.use(SETTINGS.timeout().toNanos(), false);
		this.session.refund(List.of(given(this.one, 3, given.get(0))));
		assertThat(this.remote.asked()).containsExactly("later:", "refund 3 to one");
		assertThat(this.one.decide("key", 0).remaining()).isEqualTo(10);
	}

	@Test
	void aWaitForAnswersCountsForTheRequestAndOneInVainOnlyLately() {
		this.remote.meanwhile = MultiPolicyDeadlineTests::letTimePass;
		assertThat(leftAfter(of(this.one, 3))).isEqualTo(List.of(false, false));
		this.remote.failing.add("one");
		this.remote.meanwhile = MultiPolicyDeadlineTests::letTimePass;
		assertThat(leftAfter(of(this.one, 3))).isEqualTo(List.of(false, true));
	}

	/* Whether all of the time is left, at once and long after. */
	private List<Boolean> leftAfter(Question question) {
		WaitingTime time = new WaitingTime(SETTINGS.timeout(), this.clock);
		new RemoteSession(this.remote, this.clock, time).decide(List.of(question));
		boolean withoutDelay = time.left().equals(SETTINGS.timeout());
		this.clock.advance(SETTINGS.timeout().multipliedBy(11));
		return List.of(withoutDelay, time.left().equals(SETTINGS.timeout()));
	}

	@Test
	void aWaitForWhatIsRefundedCountsForTheRequest() {
		List<@Nullable RateLimitDecision> given = decide(of(this.one, 3));
		WaitingTime time = new WaitingTime(SETTINGS.timeout(), this.clock);
		RateLimitSession session = new RemoteSession(this.remote, this.clock, time);
		this.remote.whenRefunded = MultiPolicyDeadlineTests::letTimePass;
		session.refund(List.of(given(this.one, 1, given.get(0))));
		assertThat(time.left()).isLessThan(SETTINGS.timeout());
		this.clock.advance(SETTINGS.timeout().multipliedBy(11));
		Duration left = time.left();
		assertThat(left).isLessThan(SETTINGS.timeout());
		this.remote.failing.add("one");
		session.refund(List.of(given(this.one, 1, given.get(0))));
		assertThat(time.left()).isLessThan(left);
		this.clock.advance(SETTINGS.timeout().multipliedBy(11));
		assertThat(time.left()).isEqualTo(left);
	}

	@Test
	void aCallWithinTheRequestHasItsOwnTime() {
		WaitingTime time = new WaitingTime(SETTINGS.timeout(), this.clock);
		RateLimitSession call = new RemoteSession(this.remote, this.clock, time).call();
		this.remote.meanwhile = MultiPolicyDeadlineTests::letTimePass;
		call.decide(List.of(of(this.one, 3)));
		assertThat(time.left()).isEqualTo(SETTINGS.timeout());
	}

	/* Deadlines are in real time. */
	private static void letTimePass() {
		letTimePass(Duration.ofNanos(1));
	}

	private static void letTimePass(Duration time) {
		long start = RateLimitClock.system().nanos();
		while (RateLimitClock.system().nanos() - start < time.toNanos()) {
			Thread.onSpinWait();
		}
	}

}
