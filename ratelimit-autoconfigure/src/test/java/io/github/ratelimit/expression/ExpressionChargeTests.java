package io.github.ratelimit.expression;

import java.util.List;
import java.util.Objects;

import io.github.ratelimit.request.CallOutcome;
import io.github.ratelimit.request.Charge;
import io.github.ratelimit.request.PermitRequest;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link ExpressionCharge}: what calls that ask the same are charged.
 */
class ExpressionChargeTests {

	private static final CallOutcome OVER = new CallOutcome(null, null, null, null);

	private final Bindings bindings = new Bindings();

	@Test
	void eachCallCountsItsOwnElements() {
		List<PermitRequest> first = asked(this.bindings.chargeEach("result", null));
		charge(first).count(20);
		List<PermitRequest> second = PermitRequest.anew(first);
		charge(second).count(7);
		assertThat(charge(first).used(1, OVER)).isEqualTo(20);
		assertThat(charge(second).used(1, OVER)).isEqualTo(7);
	}

	@Test
	void whatCountsNoElementsIsShared() {
		List<PermitRequest> first = asked(this.bindings.charge("result"));
		assertThat(PermitRequest.anew(first)).isSameAs(first);
	}

	private static List<PermitRequest> asked(PolicyBinding binding) {
		return Bindings.resolveAll(binding, TestRequest.anonymous(), "ann", List.of());
	}

	private static Charge charge(List<PermitRequest> requests) {
		return Objects.requireNonNull(requests.get(0).charge());
	}

}
