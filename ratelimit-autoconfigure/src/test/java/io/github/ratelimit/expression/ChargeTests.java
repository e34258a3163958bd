package io.github.ratelimit.expression;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;

import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.request.CallOutcome;
import io.github.ratelimit.request.Charge;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.RequestView;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.expression.spel.standard.SpelExpressionParser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests what a call is charged in the end, and what its charge can know.
 */
@ExtendWith(OutputCaptureExtension.class)
class ChargeTests {

	private static final long RESERVED = 4;

	private static final List<@Nullable Object> NO_CHARGES = Arrays.asList(-1, Long.MIN_VALUE, -0.5, Double.NaN,
			Double.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, BigInteger.ONE.negate(), new BigDecimal("-1e1000000000"),
			"5", "true", 'x', List.of(), null);

	private final Bindings bindings = new Bindings();

	@ParameterizedTest
	@CsvSource({ "true, 4", "false, 0", "0, 0", "7, 7", "1.1, 2", "2 * 3.5, 7", "status >= 400, 4", "status == 200, 0",
			"exception != null, 4", "exception == null ? 0 : 2, 2", "authenticationFailed, 4",
			"!authenticationFailed, 0", "result.length(), 6", "authenticationFailed ? result.length() : 1, 6",
			"#root.status / 100, 4", "#root['status'] / 100, 4", "header('X-Batch') == null, 4", "#user.length(), 3",
			"path == '/users/{id}' and method == 'POST', 4" })
	void aCallIsChargedWhatItsOutcomeGives(String charge, long used) {
		CallOutcome outcome = new CallOutcome(404, "answer", new IllegalStateException(), true);
		assertThat(used(charge, TestRequest.anonymous(), outcome)).isEqualTo(used);
	}

	@ParameterizedTest
	@CsvSource({ "3, 3", "3.0, 3", "0.0001, 1", "-0.0, 0", "1e30, 9223372036854775807" })
	void fractionsAreRoundedUp(double value, long used) {
		assertThat(used(value)).isEqualTo(used);
		assertThat(used((float) value)).isEqualTo(used);
		assertThat(used(new BigDecimal(String.valueOf(value)))).isEqualTo(used);
	}

	@Test
	void numbersOfEveryKindAreCharges() {
		for (Object three : List.of(3, 3L, (short) 3, (byte) 3, BigInteger.valueOf(3), new BigDecimal("2.000000001"))) {
			assertThat(used(three)).isEqualTo(3);
		}
		assertThat(used(BigInteger.ONE.shiftLeft(80))).isEqualTo(Long.MAX_VALUE);
		assertThat(used(new BigDecimal("1e1000000000"))).isEqualTo(Long.MAX_VALUE);
		assertThat(used(new BigDecimal("1e-1000000000"))).isEqualTo(1);
		assertThat(used(new BigDecimal("9999999999999999999"))).isEqualTo(Long.MAX_VALUE);
		assertThat(used(BigDecimal.ZERO)).isZero();
	}

	@Test
	void numbersThatAddUpAreCharges() {
		DoubleAdder fraction = new DoubleAdder();
		fraction.add(0.9);
		assertThat(used(fraction)).isEqualTo(1);
		fraction.add(Double.NaN);
		assertThat(used(fraction)).isEqualTo(RESERVED);
		LongAdder whole = new LongAdder();
		whole.add(Long.MAX_VALUE);
		assertThat(used(whole)).isEqualTo(Long.MAX_VALUE);
		assertThat(used(new AtomicInteger(3))).isEqualTo(3);
	}

	@ParameterizedTest
	@FieldSource("NO_CHARGES")
	void whatIsNoChargeLeavesWhatWasReserved(@Nullable Object value, CapturedOutput output) {
		PolicyBinding binding = this.bindings.charge("#root.result");
		CallOutcome outcome = new CallOutcome(200, value, null, false);
		assertThat(used(binding, TestRequest.anonymous(), outcome)).isEqualTo(RESERVED);
		assertThat(used(binding, null, outcome)).isEqualTo(RESERVED);
		assertThat(binding.limiter().failures(RateLimitExpression.CHARGE)).isEqualTo(2);
		assertThat(output)
			.containsOnlyOnce("The charge '#root.result' of Service.call() (policy 'calls') failed: it gave ")
			.contains("The call is charged what it has reserved.");
	}

	@ParameterizedTest
	@ValueSource(strings = { "result.tokens", "1 / result.length()", "T(Long).parseLong(result)", "exception.message",
			"status.nothing" })
	void aChargeThatFailsLeavesWhatWasReserved(String charge, CapturedOutput output) {
		PolicyBinding binding = this.bindings.charge(charge);
		CallOutcome outcome = new CallOutcome(200, "", null, false);
		for (int i = 0; i < 3; i++) {
			assertThat(used(binding, TestRequest.anonymous(), outcome)).isEqualTo(RESERVED);
		}
		assertThat(binding.limiter().failures(RateLimitExpression.CHARGE)).isEqualTo(3);
		assertThat(output).containsOnlyOnce("The charge '" + charge + "' of Service.call() (policy 'calls') failed:")
			.doesNotContain("\tat ");
	}

	@ParameterizedTest
	@CsvSource({ "false, 4", "0, 4", "3, 4", "7, 7", "true, 4", "status >= 400, 4", "authenticationFailed, 4",
			"result.tokens, 4", "result?.length(), 4", "exception != null ? 9 : 1, 9", "cancelled, 4", "!cancelled, 0",
			"cancelled ? 2 : status, 2", "cancelled ? reserved / 2 : 9, 2", "cancelled or status >= 400, 4",
			"!cancelled and authenticationFailed, 0", "cancelled ? result.tokens : 1, 4" })
	void aCancelledCallIsChargedWhatItHasReservedAtLeastUnlessTheChargeReadsThat(String charge, long used) {
		CallOutcome outcome = new CallOutcome(null, null, new CancellationException(), null, true);
		assertThat(used(charge, TestRequest.anonymous(), outcome)).isEqualTo(used);
		assertThat(used(charge, null, outcome)).isEqualTo(used);
	}

	@Test
	void whatACancelledCallDoesNotTellIsNoFailureOfAChargeThatDoesNotReadThatItWas(CapturedOutput output) {
		CallOutcome outcome = new CallOutcome(null, null, null, null, true);
		PolicyBinding binding = this.bindings.charge("result.tokens");
		assertThat(used(binding, null, outcome)).isEqualTo(RESERVED);
		assertThat(binding.limiter().failures(RateLimitExpression.CHARGE)).isZero();
		assertThat(output).doesNotContain("failed");
		PolicyBinding reading = this.bindings.charge("cancelled ? result.tokens : 0");
		assertThat(used(reading, null, outcome)).isEqualTo(RESERVED);
		assertThat(reading.limiter().failures(RateLimitExpression.CHARGE)).isOne();
	}

	@ParameterizedTest
	@CsvSource({ "9, 4", "false, 4", "exception == null ? 9 : 0, 4", "cancelled ? 9 : 1, 9",
			"cancelled ? 1 : status, 1" })
	void aCallOfWhichNothingIsKnownIsChargedWhatItHasReservedUnlessTheChargeReadsThat(String charge, long used) {
		assertThat(used(charge, TestRequest.anonymous(), CallOutcome.UNKNOWN)).isEqualTo(used);
	}

	@Test
	void aChargeReadsWhatWasReserved() {
		PolicyBinding binding = this.bindings.charge("reserved * 2");
		assertThat(used(binding, null, new CallOutcome(null, null, null, null))).isEqualTo(2 * RESERVED);
	}

	@Test
	void aCallWithoutAChargeHasNothingToSettle() {
		PermitRequest request = Bindings.resolve(this.bindings.cost("4"), TestRequest.anonymous());
		assertThat(request).extracting(PermitRequest::charge).isNull();
	}

	@Test
	void aChargeSeesTheRequestAsItCame() {
		PolicyBinding binding = this.bindings.charge("header('X-Weight') == '2' and principal.name == 'ann' ? 2 : 9");
		Map<String, String> headers = new HashMap<>(Map.of("X-Weight", "2"));
		PermitRequest request = Bindings.resolve(binding, new TestRequest("ann", headers));
		assertThat(request).isNotNull();
		headers.put("X-Weight", "1000");
		assertThat(request.charge()).isNotNull();
		assertThat(request.charge().used(1, new CallOutcome(200, null, null, false))).isEqualTo(2);
	}

	/* A request that is over may be another client's by then. */
	@Test
	void aChargeThatReadsTheRequestItselfReadsTheOneThatCameUnlessItIsOver() {
		RequestView view = mock();
		given(view.request()).willReturn("came").willReturn("forwarded").willThrow(new IllegalStateException("over"));
		PermitRequest request = Bindings.resolve(this.bindings.charge("request == 'came' ? 9 : 2"), view);
		assertThat(request).isNotNull();
		assertThat(request.charge()).isNotNull();
		for (long used : new long[] { 9, RESERVED }) {
			assertThat(request.charge().used(RESERVED, new CallOutcome(200, null, null, false))).isEqualTo(used);
		}
	}

	@Test
	void aChargeForOneStatusThatSaysNoIsKnown() {
		assertThat(List.of("status == 401", "status eq 401", "#root.status == 403",
				"exception != null or status == 400", "method == 'POST' && (status == 499)", "status == 401 ? 3 : 0",
				"method == 'GET' ? 0 : status == 422"))
			.allMatch(ChargeTests::isOfOneStatus);
		assertThat(List.of("status >= 400", "status == 200 ? 0 : 1", "status != 401", "status == 404 ? 0 : 1",
				"result == 401", "status == 500", "!(status == 404)", "!(status == 404 or status == 400)",
				"authenticationFailed", "status / 100 == 4"))
			.noneMatch(ChargeTests::isOfOneStatus);
	}

	private static boolean isOfOneStatus(String charge) {
		return PolicyBinder.isOfOneStatus(new SpelExpressionParser().parseRaw(charge).getAST());
	}

	private long used(Object value) {
		PolicyBinding binding = this.bindings.charge("#root.result");
		return used(binding, null, new CallOutcome(null, value, null, false));
	}

	private long used(String charge, @Nullable RequestView request, CallOutcome outcome) {
		return used(this.bindings.charge(charge), request, outcome);
	}

	private static long used(PolicyBinding binding, @Nullable RequestView request, CallOutcome outcome) {
		PermitRequest resolved = Bindings.resolve(binding, request, "ann", List.of());
		assertThat(resolved).isNotNull();
		Charge charge = resolved.charge();
		assertThat(charge).isNotNull();
		return charge.used(RESERVED, outcome);
	}

}
