package io.github.ratelimit.expression;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.request.PermitRequest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests how many permits a call costs and whether it is limited at all; and what a
 * request can make fail while it is asked for its key, cost and condition: it is limited
 * all the same, and what it sent is not passed on.
 */
@ExtendWith(OutputCaptureExtension.class)
class FailingExpressionsTests {

	private static final List<@Nullable Object> NO_COSTS = Arrays.asList(0, 0L, -1, Long.MIN_VALUE, 1.5, 0.0, -0.0,
			Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 1e19, 9223372036854775808.0, Float.NaN,
			1e30f, BigInteger.ONE.shiftLeft(63), BigInteger.ONE.shiftLeft(64).add(BigInteger.TEN), BigInteger.ZERO,
			new BigDecimal("1.0000000000000000000001"), new BigDecimal("1e1000000000"), new BigDecimal("1e-1000000000"),
			"5", "", true, 'x', List.of(), null);

	private static final List<Object> COSTS = List.of(3, 3L, (short) 3, (byte) 3, 3.0, 3.0f, BigInteger.valueOf(3),
			new BigDecimal("3.00"), new BigDecimal("0.3e1"));

	private final Bindings bindings = new Bindings().withBean("costs", new Costs());

	@ParameterizedTest
	@FieldSource("NO_COSTS")
	void whatIsNoCostCountsOne(@Nullable Object value) {
		PolicyBinding binding = this.bindings.cost("@costs.echo(#user)");
		assertThat(permits(binding, value)).isEqualTo(1);
		assertThat(failures(binding, RateLimitExpression.COST)).isEqualTo(1);
	}

	@ParameterizedTest
	@FieldSource("COSTS")
	void wholeNumbersOfEveryKindAreCosts(Object value) {
		PolicyBinding binding = this.bindings.cost("@costs.echo(#user)");
		assertThat(permits(binding, value)).isEqualTo(3);
		assertThat(failures(binding, RateLimitExpression.COST)).isZero();
	}

	@Test
	void theLargestCostIsTheLargestWholeNumber() {
		PolicyBinding binding = this.bindings.cost("@costs.echo(#user)");
		assertThat(permits(binding, Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
		assertThat(permits(binding, BigInteger.valueOf(Long.MAX_VALUE))).isEqualTo(Long.MAX_VALUE);
	}

	@ParameterizedTest
	@ValueSource(strings = { "T(Long).parseLong(parameter('n'))", "@costs.fail(parameter('n'))",
			"@costs.failChecked(parameter('n'))", "@costs.overflow(parameter('n'))", "#items[99]", "#items.nothing",
			"10 / #items.size()", "parameter('n') * 1000", "parameter('n') matches header('Regex') ? 2 : 3",
			"new int[T(Integer).MAX_VALUE].length" })
	void aCostThatFailsCountsOne(String cost, CapturedOutput output) {
		PolicyBinding binding = this.bindings.cost(cost);
		TestRequest request = new TestRequest(null, Map.of("n", "intruder", "Regex", "("));
		for (int i = 0; i < 3; i++) {
			assertThat(permits(binding, request, "intruder")).isEqualTo(1);
		}
		assertThat(failures(binding, RateLimitExpression.COST)).isEqualTo(3);
		assertThat(failures(binding, RateLimitExpression.KEY)).isZero();
		assertThat(output).containsOnlyOnce("The cost '" + cost + "' of Service.call() (policy 'calls') failed:")
			.contains("ratelimit.expression.failures")
			.doesNotContain("intruder", "\tat ");
	}

	@ParameterizedTest
	@ValueSource(strings = { "@costs.echo(#user)", "@costs.fail(#user)", "@costs.overflow(#user)", "#items.nothing",
			"header('X').length() > 2 and #items[7]" })
	void aConditionThatFailsHolds(String condition, CapturedOutput output) {
		PolicyBinding binding = this.bindings.condition(condition);
		TestRequest request = new TestRequest(null, Map.of("X", "intruder"));
		for (int i = 0; i < 3; i++) {
			assertThat(Bindings.resolve(binding, request, "intruder", List.of())).isNotNull();
		}
		assertThat(failures(binding, RateLimitExpression.CONDITION)).isEqualTo(3);
		assertThat(output)
			.containsOnlyOnce("The condition '" + condition + "' of Service.call() (policy 'calls') failed:")
			.doesNotContain("intruder", "\tat ");
	}

	@ParameterizedTest
	@ValueSource(strings = { "@costs.fail(#user)", "@costs.failChecked(#user)", "@costs.overflow(#user)",
			"#items.nothing", "#items[#user]", "@failing", "header('X') + header('X') * 200",
			"header('X') matches '(a|b)*'", "@costs.nameless(#user)", "@costs.array(#user)" })
	void aKeyThatFailsIsTheClientsAddress(String key, CapturedOutput output) {
		this.bindings.withBean("failing", (KeyResolver) (context) -> {
			throw new UnsupportedOperationException("intruder");
		});
		PolicyBinding binding = this.bindings.key(key);
		TestRequest request = new TestRequest(null, Map.of("X", "ab".repeat(500_000)));
		for (int i = 0; i < 3; i++) {
			assertThat(Bindings.keyOf(binding, request, "intruder", List.of())).isEqualTo("address:192.0.2.7");
		}
		assertThat(failures(binding, RateLimitExpression.KEY)).isEqualTo(3);
		assertThat(output).containsOnlyOnce("The key '" + key + "' of Service.call() (policy 'calls') failed:")
			.doesNotContain("intruder", "\tat ", "abab");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', commentCharacter = '~', quoteCharacter = '"',
			textBlock = """
					#items.nothing                          | ERROR | EL1008E: Property or field 'nothing' cannot be found on object of type
					#items.nothing(#user)                   | ERROR | EL1004E: Method call: Method nothing(java.lang.String) cannot be found on type
					'a'.toUpperCase(1, 2)                   | ERROR | EL1004E: Method call: Method toUpperCase(java.lang.Integer,java.lang.Integer) cannot be found on type java.lang.String
					'a'.toLowerCase(7)                      | ERROR | EL1004E: Method call: Method toLowerCase(java.lang.Integer) cannot be found on type java.lang.String
					'a'.toLowerCase(header('Regex'))        | WARN  | EL1001E: Type conversion problem, cannot convert from java.lang.String to java.util.Locale
					#user - #items                          | WARN  | EL1030E: The operator 'SUBTRACT' is not supported between objects of type 'java.lang.String' and
					#items[#user]                           | WARN  | EL1001E: Type conversion problem, cannot convert from java.lang.String to
					#items[parameter('n').length()]         | WARN  | EL1025E: The collection has '…' elements, index '…' is invalid
					'a' matches header('Regex')             | WARN  | EL1018E: Pattern is not valid '…'
					parameter('n').substring(header('n'))   | WARN  | EL1029E: A problem occurred when trying to execute method '…' on object of type '…': '…'
					@costs.failChecked(parameter('n'))      | WARN  | Exception at io.github.ratelimit.expression.FailingExpressionsTests$Costs.failChecked
					new java.net.URL(parameter('n'))        | WARN  | EL1003E: A problem occurred whilst attempting to construct an object of type '…' using arguments '…'
					""")
	void theLogSaysWhatSpringSaysWithoutWhatAClientSent(String key, String level, String reason,
			CapturedOutput output) {
		TestRequest request = new TestRequest(null, Map.of("n", "intruder", "Regex", "(intruder"));
		assertThat(Bindings.keyOf(this.bindings.key(key), request, "intruder", List.of()))
			.isEqualTo("address:192.0.2.7");
		assertThat(output).contains("The key '" + key + "' of Service.call() (policy 'calls') failed: " + reason)
			.contains(". The call is limited by the client's address.")
			.containsOnlyOnce(" " + level + " ")
			.doesNotContain("intruder");
	}

	@Test
	void aCostThatComesOutAsZeroOutsideOfARequestCountsOne() {
		PermitRequest request = Bindings.resolve(this.bindings.cost("#items.size()"), null, "ann", List.of());
		assertThat(request).extracting(PermitRequest::permits).isEqualTo(1L);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', commentCharacter = '~', textBlock = """
			#items.size() - 3   | in place of a whole number from 1
			#items.size() / 4.0 | in place of a whole number from 1
			#user               | in place of a whole number from 1
			header('X')         | in place of a whole number from 1
			@costs.fail(#user)  | no number: ann
			""")
	void aCostThatFailsOutsideOfARequestFailsTheCallAndSaysWhere(String cost, String message) {
		assertThatException()
			.isThrownBy(() -> Bindings.resolve(this.bindings.cost(cost), null, "ann", List.of("a", "b")))
			.withMessageContaining(message)
			.satisfies((ex) -> assertThat(ex.getMessage())
				.matches("The cost expression '.*' of Service.call\\(\\) failed: it gave .*|no number.*"));
	}

	@Test
	void aConditionThatFailsOutsideOfARequestFailsTheCallAndSaysWhere() {
		assertThatIllegalStateException()
			.isThrownBy(() -> Bindings.resolve(this.bindings.condition("#user"), null, "yes", null))
			.withMessageContaining(
					"The condition expression '#user' of Service.call() failed: it gave a String in place of true or false");
	}

	@ParameterizedTest
	@CsvSource({ ", 1", "3, 3", "2 * 3, 6", "#items.size(), 2", "#user.length() > 2 ? 5 : 1, 5", "4.0, 4",
			"9223372036854775807L, 9223372036854775807" })
	void aCallCostsWhatTheExpressionGivesOrElseOnePermit(@Nullable String cost, long permits) {
		PermitRequest request = Bindings.resolve(this.bindings.cost(cost), null, "ann", List.of("a", "b"));
		assertThat(request).extracting(PermitRequest::permits).isEqualTo(permits);
	}

	@Test
	void aCallIsLimitedWhereItsConditionHoldsOrCannotBeKnown() {
		PolicyBinding binding = this.bindings.condition("!principal.name.startsWith('admin')");
		assertThat(Bindings.resolve(binding, new TestRequest("admin-1", Map.of()))).isNull();
		assertThat(Bindings.resolve(binding, new TestRequest("ann", Map.of()))).isNotNull();
		assertThat(Bindings.resolve(binding, TestRequest.anonymous())).isNotNull();
		assertThat(Bindings.resolve(binding, null)).isNotNull();
	}

	private long permits(PolicyBinding binding, @Nullable Object argument) {
		return permits(binding, TestRequest.anonymous(), argument);
	}

	private static long permits(PolicyBinding binding, TestRequest request, @Nullable Object argument) {
		PermitRequest resolved = Bindings.resolve(binding, request, argument, List.of());
		assertThat(resolved).isNotNull();
		return resolved.permits();
	}

	private static long failures(PolicyBinding binding, RateLimitExpression expression) {
		return binding.limiter().failures(expression);
	}

	public static final class Costs {

		public @Nullable Object echo(@Nullable Object value) {
			return value;
		}

		public long fail(String text) {
			throw new IllegalArgumentException("no number: " + text);
		}

		public long failChecked(String text) throws Exception {
			throw new Exception("no number: " + text);
		}

		public long overflow(String text) {
			return overflow(text) + 1;
		}

		public Object nameless(String text) {
			return new Object();
		}

		public byte[] array(String text) {
			return text.getBytes();
		}

	}

}
