package io.github.ratelimit.autoconfigure;

import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import io.github.ratelimit.expression.KeyResolver;
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.findings.RateLimitFindings;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.io.ClassPathResource;
import org.springframework.http.HttpMethod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * What an IDE shows of the properties.
 */
class ConfigurationMetadataTests {

	private static JsonNode metadata;

	@BeforeAll
	static void read() throws Exception {
		metadata = read("META-INF/spring-configuration-metadata.json");
	}

	private static JsonNode read(String resource) throws Exception {
		try (InputStream file = new ClassPathResource(resource).getInputStream()) {
			return JsonMapper.shared().readTree(file);
		}
	}

	@Test
	void everyPropertyHasADescription() {
		assertThat(elements("properties")).isNotEmpty()
			.allSatisfy((property) -> assertThat(property.path("description").asString("")).as(name(property))
				.endsWith("."));
	}

	@Test
	void endpointIsReadOnlyUnlessSomethingElseIsSet() {
		assertThat(elements("properties").stream()
			.filter((each) -> name(each).equals("management.endpoint.ratelimits.access"))
			.map((each) -> each.path("defaultValue").asString())).containsExactly("read_only");
	}

	@ParameterizedTest
	@MethodSource("properties")
	void everyPropertyIsThereEvenInAListOrAMap(DeclaredProperty property) {
		JsonNode found = elements("properties").stream()
			.filter((each) -> name(each).equals(property.name()))
			.findFirst()
			.orElseThrow(() -> new AssertionError(
					"Name what contains '" + property.name() + "' in DescribedElements, if it is in a map or a list"));
		assertThat(found.path("type").asString()).isEqualTo(property.type());
		assertThat(found.path("description").asString("")).endsWith(".");
		if (property.defaultValue() != null) {
			assertThat(found.path("defaultValue").asString()).isEqualTo(property.defaultValue());
		}
	}

	static Stream<DeclaredProperty> properties() {
		return DeclaredProperty.of("ratelimit", RateLimitProperties.class);
	}

	@Test
	void nothingElseIsThere() {
		assertThat(elements("properties")).extracting(ConfigurationMetadataTests::name)
			.filteredOn((name) -> name.startsWith("ratelimit."))
			.containsExactlyInAnyOrderElementsOf(properties().map(DeclaredProperty::name).toList());
	}

	@Test
	void nothingIsWrittenByHandThatTheProcessorTakesFromJavadoc() throws Exception {
		assertThat(list(read("META-INF/additional-spring-configuration-metadata.json").path("properties")))
			.filteredOn((property) -> property.has("description"))
			.extracting(ConfigurationMetadataTests::name)
			.doesNotContainAnyElementsOf(properties().map(DeclaredProperty::name).toList());
	}

	@Test
	void everyFixedValueIsHinted() {
		assertThat(properties().filter((property) -> property.constants() != null)).isNotEmpty()
			.allSatisfy((property) -> assertThat(hintedValues(property.name())).as(property.name())
				.containsExactlyInAnyOrderElementsOf(property.constants()));
	}

	@ParameterizedTest
	@ValueSource(strings = { "ratelimit.policies.*.window", "ratelimit.policies.*.limits[*].window",
			"ratelimit.redis.timeout", "ratelimit.redis.retry-interval", "ratelimit.redis.rejection-memory" })
	void everyHintedDurationCanBeRead(String property) {
		assertThat(hintedValues(property)).isNotEmpty()
			.allSatisfy((value) -> assertThat(DurationStyle.detectAndParse(value)).isBetween(Duration.ZERO,
					Duration.ofDays(31)));
	}

	@Test
	void everyHintedPathAndMethodCanBeARule() {
		assertThat(hintedValues("ratelimit.rules[*].path")).isNotEmpty()
			.allSatisfy((path) -> assertThat(RuleCompiler.unmatched(path)).isNull());
		assertThat(hintedValues("ratelimit.rules[*].methods")).isNotEmpty()
			.allSatisfy((method) -> assertThat(HttpMethod.values()).extracting(HttpMethod::name).contains(method));
	}

	@Test
	void everyHintBelongsToAPropertyAndDescribesItsValues() {
		List<String> properties = elements("properties").stream().map(ConfigurationMetadataTests::name).toList();
		assertThat(elements("hints")).isNotEmpty().allSatisfy((hint) -> {
			assertThat(properties).contains(name(hint));
			assertThat(list(hint.path("values"))).isNotEmpty()
				.allSatisfy((value) -> assertThat(value.path("description").asString("")).endsWith("."));
		});
	}

	@Test
	void propertiesOfOneNameHaveTheSameHints() {
		Map<String, Set<List<JsonNode>>> valuesByName = elements("hints").stream()
			.collect(Collectors.groupingBy((hint) -> name(hint).substring(name(hint).lastIndexOf('.') + 1),
					Collectors.mapping((hint) -> list(hint.path("values")), Collectors.toSet())));
		assertThat(valuesByName).allSatisfy((name, values) -> assertThat(values).as(name).hasSize(1));
	}

	@Test
	void everyHintedKeyCanBeParsed() {
		DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
		beans.registerSingleton("tenantKeys", (KeyResolver) (context) -> "tenant");
		assertThat(Stream.of("ratelimit.key", "ratelimit.policies.*.key", "ratelimit.rules[*].key"))
			.flatExtracting(ConfigurationMetadataTests::hintedValues)
			.isNotEmpty()
			.allSatisfy((key) -> assertThatNoException()
				.isThrownBy(() -> new PolicyBinder(beans, null, key, new RateLimitFindings())));
	}

	@ParameterizedTest
	@CsvSource({ "ratelimit.enabled, true", "ratelimit.store, caffeine", "ratelimit.key, clientAddress",
			"ratelimit.client-address.ipv6-prefix, 64", "ratelimit.caffeine.maximum-size, 100000",
			"management.health.ratelimit.enabled, true" })
	void defaultsAreThoseOfTheContract(String property, String value) {
		assertThat(elements("properties")).filteredOn((each) -> name(each).equals(property))
			.singleElement()
			.extracting((each) -> each.path("defaultValue").asString())
			.isEqualTo(value);
	}

	private static List<String> hintedValues(String property) {
		return elements("hints").stream()
			.filter((hint) -> name(hint).equals(property))
			.flatMap((hint) -> list(hint.path("values")).stream())
			.map((value) -> value.path("value").asString())
			.toList();
	}

	private static String name(JsonNode node) {
		return node.path("name").asString();
	}

	private static List<JsonNode> elements(String section) {
		return list(metadata.path(section));
	}

	private static List<JsonNode> list(JsonNode array) {
		return StreamSupport.stream(array.spliterator(), false).toList();
	}

}
