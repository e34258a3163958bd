package io.github.ratelimit.redis;

import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of decisions that are the same whether each is made in a call of its own, or in
 * one with others.
 */
@ParameterizedClass
@ValueSource(booleans = { false, true })
abstract class AloneAndAmongLooks extends OneVirtualServer {

	@Parameter
	boolean amongLooks;

	@BeforeParameterizedClassInvocation
	static void choose(boolean amongLooks) {
		server.amongLooks(amongLooks);
	}

}
