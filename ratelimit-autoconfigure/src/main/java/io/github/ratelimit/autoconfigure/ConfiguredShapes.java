package io.github.ratelimit.autoconfigure;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.support.Suggestion;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.util.StringUtils;

/**
 * Checks each name that is configured below {@code ratelimit} before it is bound: whether
 * it is known, and has the shape that the property has. Spring Boot itself leaves out
 * what has another shape below an entry of a list, and takes names for one that differ
 * only in case, dashes and underscores.
 */
final class ConfiguredShapes {

	static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("ratelimit");

	/* The value that a placeholder stands for is seen when it is bound. */
	private static final String PLACEHOLDER = "${";

	private static final Pattern QUOTED = Pattern.compile("\"[^\"]+\"|'[^']+'");

	private final PropertyShape root = PropertyShape.root();

	/* The names of policies and plans as they are written. */
	private final Map<ConfigurationPropertyName, String> spellings = new HashMap<>();

	/**
	 * Checks what is configured. Environment variables and system properties are left
	 * out, of which others have some that begin as ours do.
	 * @param sources where properties are
	 * @throws InvalidRateLimitException if something cannot mean what it says
	 */
	void check(Iterable<ConfigurationPropertySource> sources) {
		UnboundElementsSourceFilter filter = new UnboundElementsSourceFilter();
		for (ConfigurationPropertySource source : sources) {
			if (source instanceof IterableConfigurationPropertySource iterable && filter.apply(source)) {
				for (ConfigurationPropertyName name : iterable) {
					if (PREFIX.equals(name) || PREFIX.isAncestorOf(name)) {
						check(name, source);
					}
				}
			}
		}
	}

	/**
	 * Whether a name of a policy or a plan comes from a variable, which has neither case
	 * nor dashes, and the policy or plan has the name that is written elsewhere.
	 * @param map the property that has the names
	 * @param name the name
	 */
	boolean isOfVariable(ConfigurationPropertyName map, String name) {
		String spelling = this.spellings.get(ConfigurationPropertyName.adapt(map + "." + name, '.'));
		String inBrackets = this.spellings.get(ConfigurationPropertyName.adapt(map + "[" + name + "]", '.'));
		return spelling != null && !spelling.equals(name) && !name.equals(inBrackets);
	}

	private void check(ConfigurationPropertyName name, ConfigurationPropertySource source) {
		PropertyShape shape = this.root;
		String path = shape.name();
		for (int i = 1; i < name.getNumberOfElements(); i++) {
			PropertyShape below = below(shape, name, i);
			if (below == null) {
				throw misplaced(shape, path, name, i);
			}
			if (shape.isMap()) {
				checkMap(shape, path, name.chop(i + 1));
			}
			path = path(path, name, i, below);
			shape = below;
		}

		ConfigurationProperty property = source.getConfigurationProperty(name);
		if (property == null && name.isLastElementIndexed()) {
			throw MistakenValue.empty(path);
		}
		if (property != null) {
			checkValue(path, property.getValue(), shape);
		}
	}

	private static void checkValue(String path, Object value, PropertyShape shape) {
		// what a map of YAML has is configured below; only an empty one is a value
		if (shape.isValue() && value instanceof Map) {
			throw MistakenValue.empty(path);
		}

		boolean isEmpty = isEmpty(value);
		if (isEmpty && shape.isList() && shape.valueType() == RateLimitProperties.Limit.class) {
			throw InvalidRateLimitException.property(path, null, "has no entry",
					"Write limits as in " + shape.example() + ", or remove the property.", null);
		}
		if (!isEmpty && !shape.mayBeText() && !value.toString().contains(PLACEHOLDER)) {
			throw singleValue(path, value, shape);
		}
	}

	/* An empty map of YAML is a map, or the text {}. */
	private static boolean isEmpty(Object value) {
		String text = value.toString();
		return !StringUtils.hasText(text) || text.equals("{}");
	}

	private static @Nullable PropertyShape below(PropertyShape shape, ConfigurationPropertyName name, int index) {
		if (shape.isMap() || (shape.isList() && name.isNumericIndex(index))) {
			return shape.entry();
		}
		if (name.chop(index + 1).isLastElementIndexed()) {
			return null;
		}
		return shape.member(name.getElement(index, Form.UNIFORM));
	}

	/*
	 * Names are written as in the documentation, and those of policies as the user has.
	 */
	private static String path(String parent, ConfigurationPropertyName name, int index, PropertyShape shape) {
		String written = name.getElement(index, Form.ORIGINAL);
		if (name.isNumericIndex(index)) {
			return parent + "[" + written + "]";
		}
		if (name.getElement(index, Form.UNIFORM).equals(shape.name().replace("-", ""))) {
			return parent + "." + shape.name();
		}
		return parent + InvalidRateLimitException.element(written);
	}

	private void checkMap(PropertyShape map, String path, ConfigurationPropertyName name) {
		String spelling = name.getLastElement(Form.ORIGINAL);
		if (name.isNumericIndex(name.getNumberOfElements() - 1) && spelling.equals("0")) {
			throw InvalidRateLimitException.property(path, null, "is written as a list, where each entry has a name",
					"Write each entry under its name and without a dash, such as " + map.example()
							+ ". A name that is 0 needs quotes.",
					null);
		}
		if (QUOTED.matcher(spelling).matches()) {
			String unquoted = spelling.substring(1, spelling.length() - 1);
			throw InvalidRateLimitException.property(path + InvalidRateLimitException.element(spelling), null,
					"has quotes within its brackets", "Write [" + unquoted
							+ "] in a .properties file and on the command line, and \"[" + unquoted + "]\" in YAML.",
					null);
		}

		String other = this.spellings.putIfAbsent(name, spelling);
		if (other != null && !other.equals(spelling)) {
			throw InvalidRateLimitException
				.property(path + InvalidRateLimitException.element(spelling), null, "has the same name as '" + other
						+ "' for Spring Boot, which looks neither at case nor at dashes, so that both would be mixed",
						"Write the names in brackets and quotes, \"[" + other + "]\" and \"[" + spelling
								+ "]\", or use one spelling.",
						null);
		}
	}

	/**
	 * The mistake of one value where there are several, each in an entry or with a name.
	 */
	static InvalidRateLimitException singleValue(String property, @Nullable Object value, PropertyShape shape) {
		String expected = shape.isList() ? "a list" : "properties with names of their own";
		return InvalidRateLimitException.property(property, value, "is a single value in place of " + expected,
				"Write it as in " + shape.example() + ".", null);
	}

	private InvalidRateLimitException misplaced(PropertyShape shape, String path, ConfigurationPropertyName name,
			int index) {
		String written = name.getElement(index, Form.ORIGINAL);
		if (shape.isList() && shape.all().isEmpty()) {
			return InvalidRateLimitException.property(path, null,
					"is a list, but has '" + written + "' in place of an entry", asList(shape, path, written), null);
		}
		if (name.isNumericIndex(index)) {
			return InvalidRateLimitException.property(path, null, "is written as a list, but is none",
					inPlaceOfList(shape, path), null);
		}
		if (shape.isValue()) {
			return InvalidRateLimitException.property(path, null,
					"is a single value, but has '" + written + "' below it", "Write a single value.", null);
		}
		return InvalidRateLimitException.property(path + InvalidRateLimitException.element(written), null,
				"is not known", inPlace(shape, name, index), null);
	}

	private static String inPlaceOfList(PropertyShape shape, String path) {
		if (path.endsWith(".path")) {
			return "Write a rule for each path.";
		}
		if (shape.isValue()) {
			return "Write a single value.";
		}
		return "Write it without a dash, as in " + shape.example() + ".";
	}

	private static String asList(PropertyShape list, String path, String written) {
		if (StringUtils.hasText(written) && written.chars().allMatch(Character::isDigit)) {
			return "Write the number of the entry in brackets: " + path + "[" + written + "].";
		}
		if (list.mayBeText()) {
			return "Write the values with commas between them.";
		}
		return "Write a dash before each entry, even if there is only one, as in " + list.example() + ".";
	}

	/*
	 * What to write in place of a name that is not known.
	 */
	private String inPlace(PropertyShape shape, ConfigurationPropertyName name, int index) {
		String written = name.getElement(index, Form.ORIGINAL);
		String brackets = brackets(shape, name, index);
		if (brackets != null) {
			return "If that is a part of a name, write the whole name in brackets and quotes: \"[" + brackets + "]\".";
		}

		String ofValue = ofValue(shape, name.getElement(index, Form.UNIFORM));
		if (ofValue != null) {
			return "It is a value: write '" + ofValue + "'.";
		}

		List<String> known = shape.all().stream().map(PropertyShape::name).toList();
		String nearest = Suggestion.nearest(written, known, Math.max(2, (written.length() + 1) / 2));
		Set<String> elsewhere = new TreeSet<>();
		boolean isLast = index == name.getNumberOfElements() - 1;
		find(this.root, this.root.name(), name.getElement(index, Form.UNIFORM), isLast, elsewhere);
		if (nearest != null) {
			// what all have in common is hardly meant, where something nearer is known
			elsewhere.removeIf((property) -> property.lastIndexOf('.') == this.root.name().length());
		}
		if (!elsewhere.isEmpty()) {
			return "It is a property of something else: write '" + String.join("' or '", elsewhere) + "'. "
					+ Suggestion.known(known);
		}
		if (nearest != null) {
			return "Did you mean '" + nearest + "'? " + Suggestion.known(known);
		}
		return Suggestion.known(known);
	}

	/* A value may be written as a name, as in shadow: true in place of mode: shadow. */
	private static @Nullable String ofValue(PropertyShape shape, String name) {
		for (PropertyShape member : shape.all()) {
			if (member.type().isEnum()) {
				for (String value : MistakenValue.known(member.type())) {
					if (value.replace("-", "").equals(name)) {
						return member.name() + ": " + value;
					}
				}
			}
		}
		return null;
	}

	/*
	 * The name of a policy or a plan that was cut at a dot, with a property of it behind.
	 */
	private static @Nullable String brackets(PropertyShape shape, ConfigurationPropertyName name, int index) {
		boolean named = shape.type() == RateLimitProperties.Policy.class
				|| shape.type() == RateLimitProperties.Plan.class;
		StringBuilder whole = new StringBuilder(name.getElement(index - 1, Form.ORIGINAL));
		for (int i = index; named && i < name.getNumberOfElements(); i++) {
			if (shape.member(name.getElement(i, Form.UNIFORM)) != null) {
				return whole.toString();
			}
			whole.append('.').append(name.getElement(i, Form.ORIGINAL));
		}
		return null;
	}

	/*
	 * Finds the properties that have a name. The limits of lists and plans are left out,
	 * because they have the names of policies, and so is "enabled", which turns something
	 * else on and off wherever it is.
	 */
	private static void find(PropertyShape shape, String path, String name, boolean isValue, Set<String> found) {
		for (PropertyShape member : shape.all()) {
			String property = path + "." + member.name();
			if (member.name().replace("-", "").equals(name) && member.mayBeText() == isValue
					&& !name.equals("enabled")) {
				found.add(property);
			}

			PropertyShape entry = member.entry();
			if (entry == null || entry.isValue()) {
				find(member, property, name, isValue, found);
			}
			else if (shape.type() != RateLimitProperties.Policy.class) {
				String ofEntry = member.isList() ? "[]" : ".<name>";
				find(entry, property + ofEntry, name, isValue, found);
			}
		}
	}

}
