package io.github.ratelimit.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.IgnoreTopLevelConverterNotFoundBindHandler;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.env.PropertiesPropertySourceLoader;
import org.springframework.boot.env.PropertySourceLoader;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.support.SpringApplicationJsonEnvironmentPostProcessor;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever is written at each place that properties have, in each notation, is bound as
 * it is written, or is a mistake whose text names it, or is a variable that is told to be
 * ignored.
 */
class WrittenShapesTests {

	/* In place of null. */
	private static final Object NOTHING = new Object();

	private static final List<Object> SHAPES = List.of("wrong", 7, 7.5, true, "", NOTHING, List.of(), Map.of(),
			List.of("wrong"), Arrays.asList("wrong", null), List.of(""), List.of(List.of("wrong")),
			Map.of("wrong", "b"), Map.of("wrong", ""), Map.of("name", Map.of("wrong", "b")),
			List.of(Map.of("wrong", "b")), List.of(Map.of("limit", 5, "wrong", "b")),
			Map.of("path", "/a", "policy", "login"), Map.of("limit", 5, "window", "1m"));

	private static final Map<String, Object> LIMIT = Map.of("limit", 5, "window", "1m");

	private static final Map<String, Object> RULE = Map.of("path", "/a", "policy", "login");

	private static final List<String> PLACES = places();

	/*
	 * Every place has every notation and a third of the shapes, and every shape every
	 * notation.
	 */
	@ParameterizedTest
	@FieldSource("PLACES")
	void isBoundAsItIsWrittenOrAMistake(String place) {
		int first = PLACES.indexOf(place);
		Notation[] notations = Notation.values();
		for (int shape = first % 3; shape < SHAPES.size(); shape += 3) {
			check(place, SHAPES.get(shape), notations[(first + shape) % notations.length]);
		}
	}

	@Tag("slow")
	@ParameterizedTest
	@FieldSource("PLACES")
	void isBoundAsItIsWrittenInEveryNotationOrAMistake(String place) {
		for (Object shape : SHAPES) {
			for (Notation notation : Notation.values()) {
				check(place, shape, notation);
			}
		}
	}

	@Test
	void everyPlaceIsThere() {
		assertThat(PLACES)
			.contains("ratelimit.rules", "ratelimit.rules[*]", "ratelimit.rules[*].methods", "ratelimit.policies",
					"ratelimit.policies.*", "ratelimit.policies.*.ban", "ratelimit.policies.*.ban.for",
					"ratelimit.policies.*.plans.*.limits[*].zone", "ratelimit.redis", "ratelimit.headers.reset",
					"ratelimit.client-address.trusted-proxies", "ratelimit.cors")
			.hasSizeGreaterThan(80);
	}

	/* All properties, and what they are below. */
	private static List<String> places() {
		Set<String> places = new LinkedHashSet<>();
		DeclaredProperty.of("ratelimit", RateLimitProperties.class).forEach((property) -> {
			String name = property.name();
			while (!name.equals("ratelimit")) {
				places.add(name);
				name = name.endsWith("[*]") ? name.substring(0, name.length() - 3)
						: name.substring(0, name.lastIndexOf('.'));
			}
		});
		return List.copyOf(places);
	}

	/*
	 * The value at its place, among what has to be beside it.
	 */
	private static Map<String, Object> tree(String place, @Nullable Object written) {
		Object below = written;
		String rest = place;
		while (!rest.isEmpty()) {
			if (rest.endsWith("[*]")) {
				below = Arrays.asList(below);
				rest = rest.substring(0, rest.length() - 3);
				continue;
			}
			int dot = rest.lastIndexOf('.');
			String name = rest.substring(dot + 1);
			rest = rest.substring(0, Math.max(0, dot));
			Map<String, Object> members = new TreeMap<>();
			if (rest.endsWith("rules[*]")) {
				members.putAll(RULE);
			}
			else if (rest.endsWith("limits[*]") || rest.endsWith(".*") && !name.equals("limits")) {
				members.putAll(LIMIT);
			}
			members.put(name.equals("*") ? "login" : name, below);
			below = members;
		}
		return asMap(below);
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Object> asMap(@Nullable Object tree) {
		return (Map<String, Object>) Objects.requireNonNull(tree);
	}

	private static void check(String place, Object shape, Notation notation) {
		Object written = (shape != NOTHING) ? shape : null;
		Map<String, Object> tree = tree(place, written);
		String what = notation + " " + JsonMapper.shared().writeValueAsString(tree);
		StandardEnvironment environment = new StandardEnvironment();
		FailedStart.setVariables(environment, Map.of());
		notation.add(tree, environment);
		ConfigurationPropertySources.attach(environment);
		try {
			RateLimitProperties properties = bind(environment);
			Map<String, String> bound = new TreeMap<>();
			flatten("ratelimit", properties, bound);
			String ignored = PropertyNames.findIgnored(environment, properties.policies()).toString();
			leaves("ratelimit", tree.get("ratelimit")).forEach((name, value) -> {
				boolean told = notation == Notation.VARIABLES && ignored.contains(Notation.variable(name));
				assertThat(told || isWritten(value, bound.get(plain(name))))
					.as("%s binds %s as %s, ignored: %s", what, name, bound, ignored)
					.isTrue();
			});
		}
		catch (RuntimeException ex) {
			FailureAnalysis analysis = new InvalidRateLimitFailureAnalyzer(environment).analyze(ex);
			assertThat(analysis).as(what).withFailMessage(() -> what + " fails with " + causes(ex)).isNotNull();
			assertThat(analysis.getDescription()).as(what)
				.startsWith("The property 'ratelimit.")
				.doesNotContain("null");
			assertThat(analysis.getDescription().replace("-", "")).as(what).contains(firstName(place).replace("-", ""));
			assertThat(analysis.getAction()).as(what).endsWith(".");
		}
	}

	/* As Spring Boot does. */
	private static RateLimitProperties bind(StandardEnvironment environment) {
		BindHandler handler = new PropertyBinding().apply(new NoUnboundElementsBindHandler(
				new IgnoreTopLevelConverterNotFoundBindHandler(), new UnboundElementsSourceFilter()));
		return Binder.get(environment).bindOrCreate("ratelimit", Bindable.of(RateLimitProperties.class), handler);
	}

	private static String causes(Throwable ex) {
		return ex + ((ex.getCause() != null) ? ", caused by " + causes(ex.getCause()) : "");
	}

	/* At least as far as a name that everybody has. */
	private static String firstName(String place) {
		String[] elements = place.split("[.\\[]");
		return elements[0] + "." + elements[1];
	}

	/* An index may be a name: a variable has no brackets. */
	private static String plain(String name) {
		return name.replaceAll("\\[(\\d+)]", ".$1");
	}

	/* What is empty is the default. */
	private static boolean isWritten(String value, @Nullable String bound) {
		return value.isEmpty() || bound != null
				&& (bound.equalsIgnoreCase(value) || bound.equals(value + ".0") || bound.contains(", " + value));
	}

	/* Texts of properties as they are bound, by their names. */
	private static void flatten(String name, @Nullable Object bound, Map<String, String> names) {
		if (bound instanceof Record record) {
			for (RecordComponent component : record.getClass().getRecordComponents()) {
				component.getAccessor().setAccessible(true);
				flatten(name + "." + PropertyNames.name(record.getClass(), component),
						ReflectionUtils.invokeMethod(component.getAccessor(), record), names);
			}
		}
		else if (bound instanceof Map<?, ?> map) {
			map.forEach((key, value) -> flatten(name + "." + key, value, names));
		}
		else if (bound instanceof List<?> list) {
			for (int i = 0; i < list.size(); i++) {
				flatten(name + "[" + i + "]", list.get(i), names);
			}
			names.put(plain(name), String.join(",", list.stream().map(String::valueOf).toList()).replace(",", ", "));
		}
		else if (bound != null) {
			names.put(plain(name), bound.toString());
		}
	}

	/* What is written, by the names that files of properties have. */
	private static Map<String, String> leaves(String name, @Nullable Object tree) {
		Map<String, String> leaves = new LinkedHashMap<>();
		if (tree instanceof Map<?, ?> map && !map.isEmpty()) {
			map.forEach((key, value) -> leaves.putAll(leaves(name + "." + key, value)));
		}
		else if (tree instanceof List<?> list && !list.isEmpty()) {
			for (int i = 0; i < list.size(); i++) {
				leaves.putAll(leaves(name + "[" + i + "]", list.get(i)));
			}
		}
		else {
			boolean none = tree == null || tree instanceof Map || tree instanceof List;
			leaves.put(name, none ? "" : tree.toString());
		}
		return leaves;
	}

	enum Notation {

		YAML {

			@Override
			void add(Map<String, Object> tree, StandardEnvironment environment) {
				load(new YamlPropertySourceLoader(), JsonMapper.shared().writeValueAsString(tree), environment);
			}

		},

		PROPERTIES {

			@Override
			void add(Map<String, Object> tree, StandardEnvironment environment) {
				StringBuilder file = new StringBuilder();
				leaves("ratelimit", tree.get("ratelimit"))
					.forEach((name, value) -> file.append(name).append('=').append(value).append('\n'));
				load(new PropertiesPropertySourceLoader(), file.toString(), environment);
			}

		},

		JSON {

			@Override
			void add(Map<String, Object> tree, StandardEnvironment environment) {
				environment.getPropertySources()
					.addFirst(new MapPropertySource("json",
							Map.of("SPRING_APPLICATION_JSON", JsonMapper.shared().writeValueAsString(tree))));
				new SpringApplicationJsonEnvironmentPostProcessor().postProcessEnvironment(environment,
						new SpringApplication());
			}

		},

		VARIABLES {

			@Override
			void add(Map<String, Object> tree, StandardEnvironment environment) {
				Map<String, Object> variables = new LinkedHashMap<>();
				leaves("ratelimit", tree.get("ratelimit"))
					.forEach((name, value) -> variables.put(variable(name), value));
				FailedStart.setVariables(environment, variables);
			}

		};

		abstract void add(Map<String, Object> tree, StandardEnvironment environment);

		static String variable(String name) {
			return name.replaceAll("\\[(\\d+)]", "_$1").replace('.', '_').replace("-", "").toUpperCase(Locale.ROOT);
		}

		private static void load(PropertySourceLoader loader, String text, StandardEnvironment environment) {
			try {
				loader.load("file", new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8), "a file"))
					.forEach(environment.getPropertySources()::addLast);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
