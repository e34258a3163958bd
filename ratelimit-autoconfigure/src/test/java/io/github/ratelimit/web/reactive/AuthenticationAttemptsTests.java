package io.github.ratelimit.web.reactive;

import io.github.ratelimit.request.LimitedHttpRequest;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;

/**
 * Attempts to log in that come to no result.
 */
class AuthenticationAttemptsTests {

	private final LimitedHttpRequest request = mock();

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
		then(this.request).should(never()).noteAuthentication(anyBoolean());
		for (int i = 16; i < 1000; i++) {
			this.attempts.begin("guess " + i);
			this.attempts.endFruitless("guess " + i);
		}
		then(this.request).should(atLeastOnce()).noteAuthentication(true);
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

}
