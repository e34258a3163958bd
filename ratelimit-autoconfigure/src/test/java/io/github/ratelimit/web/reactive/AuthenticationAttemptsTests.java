package io.github.ratelimit.web.reactive;

import io.github.ratelimit.request.LimitedHttpRequest;
import io.github.ratelimit.request.RequestView;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.test.ManualClock;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Attempts to log in that come to no result.
 */
class AuthenticationAttemptsTests {

	private final LimitedHttpRequest request = new Request();

	private final AuthenticationAttempts attempts = new AuthenticationAttempts(this.request);

	@Test
	void onlyASuccessOfTheSameCredentialsMakesUpForNothing() {
		this.attempts.begin("ann");
		this.attempts.endFruitless("ann");
		for (String name : new String[] { "bob", "ann" }) {
			this.attempts.begin(name);
			this.attempts.end(name, name.equals("bob"));
			assertThat(this.attempts.areFruitless()).as(name).isTrue();
		}
		this.attempts.begin("ann");
		this.attempts.end("ann", true);
		assertThat(this.attempts.areFruitless()).isFalse();
		assertThat(this.attempts.areOpen()).isFalse();
	}

	@Test
	void asManyAsAClientMakesAreNotKeptAndCountAsFailed() {
		for (int i = 0; i < 16; i++) {
			this.attempts.begin("guess " + i);
			this.attempts.endFruitless("guess " + i);
		}
		assertThat(this.request.hasFailedAttempt()).isFalse();
		for (int i = 16; i < 1000; i++) {
			this.attempts.begin("guess " + i);
			this.attempts.endFruitless("guess " + i);
		}
		assertThat(this.request.hasFailedAttempt()).isTrue();
		assertThat(this.attempts).extracting("fruitless")
			.asInstanceOf(InstanceOfAssertFactories.collection(Object.class))
			.hasSize(16);
	}

	@Test
	void anAttemptThatBeginsTwiceIsOne() {
		this.attempts.begin("ann");
		this.attempts.begin("ann");
		this.attempts.end("ann", true);
		assertThat(this.attempts.areOpen()).isFalse();
	}

	/* A mock would change what is measured of requests in the same process. */
	private static final class Request extends LimitedHttpRequest {

		Request() {
			super(new WaitingRoom(ManualClock.atMidnight(), 1), 0);
		}

		@Override
		public @Nullable RequestView view() {
			return null;
		}

	}

}
