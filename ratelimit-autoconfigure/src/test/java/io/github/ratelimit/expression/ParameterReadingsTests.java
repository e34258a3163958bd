package io.github.ratelimit.expression;

import java.security.Principal;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.github.ratelimit.policy.AppliedLocation;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.RequestView;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A request whose parameter has several values counts for each of them.
 */
class ParameterReadingsTests {

	private final Bindings bindings = new Bindings();

	@Test
	void eachValueIsAKey() {
		assertThat(keys("parameter('a')", Map.of("a", List.of("1", "2")))).containsExactly("1", "2");
		assertThat(keys("folded(parameter('a')) ?: 'none'", Map.of("a", List.of(" X", "", "y")))).containsExactly("x",
				"none", "y");
		assertThat(keys("parameter('a') + parameter('b')", Map.of("a", List.of("1"), "b", List.of("2", "3"))))
			.containsExactly("12", "13");
	}

	@Test
	void parameterWithoutOrWithOneValueIsOneKey() {
		assertThat(keys("parameter('a') ?: 'none'", Map.of())).containsExactly("none");
		assertThat(keys("parameter('a')", Map.of("a", List.of("1"), "b", List.of("2", "3")))).containsExactly("1");
	}

	@Test
	void parameterWithMoreValuesThanMayCountIsNone() {
		List<String> many = IntStream.range(0, 5).mapToObj(String::valueOf).toList();
		assertThat(keys("parameter('a')", Map.of("a", many.subList(0, 4)))).hasSize(4);
		assertThat(keys("parameter('a') ?: 'none'", Map.of("a", many))).containsExactly("none");
	}

	@Test
	void twoParametersWithSeveralValuesAreNone() {
		assertThat(keys("(parameter('a') ?: 'none') + (parameter('b') ?: 'none')",
				Map.of("a", List.of("1", "2"), "b", List.of("3", "4"))))
			.containsExactly("nonenone");
	}

	@Test
	void nameThatTheTextDoesNotTellIsNone() {
		assertThat(keys("parameter(method) ?: 'none'", Map.of("POST", List.of("1", "2")))).containsExactly("none");
	}

	@Test
	void conditionAndCostAreOfTheSameValue() {
		PolicyBinding binding = this.bindings.bind(new AppliedLocation("here", "parameter('a')",
				"parameter('a') == '2' ? 3 : 1", "parameter('a') != '1'", null), null, null);
		List<PermitRequest> asked = Bindings.resolveAll(binding, new Request(Map.of("a", List.of("1", "2", "3"))));
		assertThat(asked).extracting(PermitRequest::key).containsExactly("2", "3");
		assertThat(asked).extracting(PermitRequest::permits).containsExactly(3L, 1L);
	}

	private List<String> keys(String key, Map<String, List<String>> parameters) {
		PolicyBinding binding = this.bindings.bind(new AppliedLocation("here", key, null, null, null), null, null);
		return Bindings.resolveAll(binding, new Request(parameters)).stream().map(PermitRequest::key).toList();
	}

	private record Request(Map<String, List<String>> sent) implements RequestView {

		@Override
		public String clientAddress() {
			return TestRequest.ADDRESS;
		}

		@Override
		public @Nullable Principal principal() {
			return null;
		}

		@Override
		public @Nullable String header(String name) {
			return null;
		}

		@Override
		public List<String> parameters(String name) {
			return this.sent.getOrDefault(name, List.of());
		}

		@Override
		public String method() {
			return "POST";
		}

		@Override
		public @Nullable String session() {
			return null;
		}

		@Override
		public Object request() {
			return this;
		}

	}

}
