package io.github.ratelimit.autoconfigure;

import java.io.InputStream;
import java.util.List;
import java.util.stream.StreamSupport;

import io.github.ratelimit.expression.ExpressionCompiler;
import io.github.ratelimit.expression.KeyResolver;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.core.io.ClassPathResource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * What an IDE shows of the properties.
 */
class ConfigurationMetadataTests {

	private static JsonNode metadata;

	@BeforeAll
	static void read() throws Exception {
		try (InputStream file = new ClassPathResource("META-INF/spring-configuration-metadata.json").getInputStream()) {
			metadata = JsonMapper.shared().readTree(file);
		}
	}

	@Test
	void everyPropertyHasADescription() {
		assertThat(elements("properties")).isNotEmpty()
			.allSatisfy((property) -> assertThat(property.path("description").asString("")).as(name(property))
				.endsWith("."));
	}

	@Test
	void everyPropertyOfTheContractIsThere() {
		assertThat(elements("properties")).extracting(ConfigurationMetadataTests::name)
			.contains("ratelimit.enabled", "ratelimit.store", "ratelimit.key", "ratelimit.policies", "ratelimit.rules",
					"ratelimit.headers", "ratelimit.client-address.trusted-proxies",
					"ratelimit.client-address.ipv6-prefix", "ratelimit.client-address.header",
					"ratelimit.caffeine.maximum-size", "management.endpoint.ratelimits.access");
	}

	@Test
	void defaultsAreThoseOfTheContract() {
		assertThat(defaultValue("ratelimit.enabled")).isEqualTo("true");
		assertThat(defaultValue("ratelimit.store")).isEqualTo("caffeine");
		assertThat(defaultValue("ratelimit.key")).isEqualTo("clientAddress");
		assertThat(defaultValue("ratelimit.client-address.ipv6-prefix")).isEqualTo("64");
		assertThat(defaultValue("ratelimit.caffeine.maximum-size")).isEqualTo("100000");
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
	void everyHintedKeyCanBeParsed() {
		DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
		beans.registerSingleton("tenantKeys", (KeyResolver) (context) -> "tenant");
		assertThat(elements("hints")).filteredOn((hint) -> name(hint).equals("ratelimit.key"))
			.flatExtracting((hint) -> list(hint.path("values")))
			.extracting((value) -> value.path("value").asString())
			.isNotEmpty()
			.allSatisfy((key) -> assertThatNoException().isThrownBy(() -> ExpressionCompiler.defaultKey(key, beans)));
	}

	private static String defaultValue(String property) {
		return elements("properties").stream()
			.filter((each) -> name(each).equals(property))
			.map((each) -> each.path("defaultValue").asString())
			.findFirst()
			.orElseThrow();
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
