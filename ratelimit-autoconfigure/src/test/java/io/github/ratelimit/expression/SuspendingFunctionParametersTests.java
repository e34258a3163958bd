package io.github.ratelimit.expression;

import java.lang.reflect.Method;

import kotlinx.coroutines.channels.SendChannel;
import org.junit.jupiter.api.Test;

import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

/**
 * The parameters of a suspending function, of which the compiler has added one that has
 * no name.
 */
class SuspendingFunctionParametersTests {

	private final Method send = ClassUtils.getMethod(SendChannel.class, "send", (Class<?>[]) null);

	@Test
	void expressionsSeeTheParametersThatAreWritten() {
		assertThat(ExpressionPlace.parameters(this.send)).containsOnly(entry("element", 0), entry("p0", 0),
				entry("a0", 0), entry("p1", 1), entry("a1", 1));
	}

}
