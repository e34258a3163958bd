package io.github.ratelimit.expression;

import java.lang.reflect.Method;

import kotlinx.coroutines.channels.SendChannel;
import org.junit.jupiter.api.Test;

import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The parameters of a suspending function, of which the compiler has added one that has
 * no name.
 */
class SuspendingFunctionParametersTests {

	private final Method send = ClassUtils.getMethod(SendChannel.class, "send", (Class<?>[]) null);

	@Test
	void expressionsSeeTheParametersThatAreWritten() {
		assertThat(new ExpressionPlace("here", "key", this.send).variables()).contains("element")
			.doesNotContain("completion", "$completion");
		assertThat(ExpressionPlace.index("element", this.send)).isZero();
	}

	@Test
	void aNameThatIsNoneIsNotLookedForBeyondThem() {
		assertThat(ExpressionPlace.index("none", this.send)).isEqualTo(-1);
		assertThat(ExpressionPlace.index("p1", this.send)).isEqualTo(1);
	}

}
