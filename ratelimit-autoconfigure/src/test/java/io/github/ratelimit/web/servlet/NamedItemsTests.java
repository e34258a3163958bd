package io.github.ratelimit.web.servlet;

import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link NamedItems}.
 */
class NamedItemsTests {

	private static final String OURS = "\"api\";r=4;t=12, \"day, \\\"one\\\"\";r=9";

	@Test
	void itemsOfOthersFollowOurs() {
		assertThat(NamedItems.merged(OURS, List.of("\"edge\";r=1;t=2", "\"cdn\";r=3")))
			.isEqualTo(OURS + ", \"edge\";r=1;t=2, \"cdn\";r=3");
	}

	@Test
	void ofOneNameOursIsKeptAndTheFirstOfOthers() {
		String present = "\"api\";r=999, \"edge\";r=1,\t\"day, \\\"one\\\"\" ,\"edge\";r=2";
		assertThat(NamedItems.merged(OURS, List.of(present, "\"edge\";r=3"))).isEqualTo(OURS + ", \"edge\";r=1");
	}

	@ParameterizedTest
	@ValueSource(strings = { "\"a\"", "\"\"", "\"a\";q=100;w=60;qu=\"content-bytes\";pk=:c29tZQ==:",
			"\"a\";acme-burst=20;*x;y=?0;z=-1.5;date=@1700000000;token=a/b:c", "\"a\"; q=1" })
	void whatTheRfcAllowsIsKept(String item) {
		assertThat(NamedItems.merged(OURS, List.of(item))).isEqualTo(OURS + ", " + item);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", ",", "\"a\",", ",\"a\"", "\"a\" \"b\"", "\"a", "\"a\\x\"", "\"a\" ;q=1", "\"a\";",
			"\"a\";Q=1", "\"a\";q=", "\"a\";q=1.", "\"a\";q=1234567890123456", "\"a\";q=1.2345", "\"a\";k=:a b:",
			"\"a\";b=?2", "\"a\";d=@", "\"a\";q=\"x", "100;w=60", "limit=100, remaining=50, reset=50", "default;r=50",
			"(\"a\" \"b\");r=1", "\"ü\"", "\"a\u0000\"", "\"a\u007f\"", "\"a\";q=\u0000" })
	void whatIsNoListOfNamedItemsIsLeftOut(String value) {
		assertThat(NamedItems.merged(OURS, List.of(value, "\"edge\";r=1"))).isEqualTo(OURS + ", \"edge\";r=1");
		assertThat(NamedItems.without(OURS, List.of(value))).isNull();
	}

	@Test
	void othersHaveLimitedRoom() {
		List<String> many = IntStream.range(0, 10_000).mapToObj((i) -> "\"policy-" + i + "\";r=1").toList();
		assertThat(NamedItems.merged(OURS, many)).startsWith(OURS + ", \"policy-0\";r=1")
			.hasSizeLessThan(OURS.length() + 2_500);
		assertThat(NamedItems.merged(OURS, List.of(String.join(",", many)))).isEqualTo(OURS);
		assertThat(NamedItems.merged(OURS, List.of("\"" + "\\\"".repeat(100_000) + "\""))).isEqualTo(OURS);
	}

	@Test
	void oursCanBeTakenOut() {
		assertThat(NamedItems.without(OURS, List.of(OURS + ", \"edge\";r=1"))).isEqualTo("\"edge\";r=1");
		assertThat(NamedItems.without(OURS, List.of(OURS))).isNull();
	}

}
