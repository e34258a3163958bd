package io.github.ratelimit.expression;

import java.util.List;
import java.util.Map;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.request.PermitRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * How many permits a call costs, and whether it is limited at all.
 */
class CostAndConditionTests {

	private final Bindings bindings = new Bindings();

	@Test
	void callCostsOnePermitUnlessItSaysOtherwise() {
		assertThat(permits("")).isEqualTo(1);
	}

	@ParameterizedTest
	@CsvSource({ "3, 3", "2 * 3, 6", "#items.size(), 2", "#user.length() > 2 ? 5 : 1, 5", "4.0, 4",
			"9223372036854775807L, 9223372036854775807" })
	void callCostsWhatTheExpressionGives(String cost, long permits) {
		assertThat(permits(cost)).isEqualTo(permits);
	}

	@ParameterizedTest
	@ValueSource(strings = { "0", "-1", "0 - 1", "1 / 0", "1.5", "'two'", "null", "true" })
	void constantCostThatIsNoWholeNumberIsRejectedAtOnce(String cost) {
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> this.bindings.cost(cost))
			.withMessageContaining("The cost expression '" + cost + "' of Service.call()");
	}

	@ParameterizedTest
	@ValueSource(strings = { "#items.size() - 3", "#items.size() / 4.0", "#user", "header('X')" })
	void callWhoseCostIsNoWholeNumberFailsAndSaysWhere(String cost) {
		assertThatIllegalStateException().isThrownBy(() -> permits(cost))
			.withMessageContaining("'" + cost + "' of Service.call() must give a whole number from 1");
	}

	@Test
	void callIsLimitedWhereItsConditionHolds() {
		PolicyBinding binding = this.bindings.condition("header('X-Internal') == null");
		assertThat(Bindings.resolve(binding, TestRequest.anonymous())).isNotNull();
		assertThat(Bindings.resolve(binding, new TestRequest(null, Map.of("X-Internal", "1")))).isNull();
	}

	@Test
	void nobodyIsLetThroughByAConditionThatCannotBeKnown() {
		PolicyBinding binding = this.bindings.condition("!principal.name.startsWith('admin')");
		assertThat(Bindings.resolve(binding, new TestRequest("admin-1", Map.of()))).isNull();
		assertThat(Bindings.resolve(binding, TestRequest.anonymous())).isNotNull();
		assertThat(Bindings.resolve(binding, null)).isNotNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "1", "'yes'", "1 + 1" })
	void constantConditionThatIsNeitherTrueNorFalseIsRejectedAtOnce(String condition) {
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> this.bindings.condition(condition))
			.withMessageContaining("The condition expression '" + condition + "' of Service.call()");
	}

	@Test
	void callWhoseConditionIsNeitherTrueNorFalseFailsAndSaysWhere() {
		PolicyBinding binding = this.bindings.condition("#user");
		assertThatIllegalStateException().isThrownBy(() -> Bindings.resolve(binding, null, "yes", null))
			.withMessageContaining("The condition '#user' of Service.call() must give true or false");
	}

	private long permits(String cost) {
		PermitRequest request = Bindings.resolve(this.bindings.cost(cost), null, "ann", List.of("a", "b"));
		assertThat(request).isNotNull();
		return request.permits();
	}

}
