package io.github.ratelimit.autoconfigure;

import java.util.Collection;
import java.util.stream.Collectors;

import io.github.ratelimit.NearestName;

/**
 * What to write instead of a name that is not known.
 */
final class Suggestion {

	private Suggestion() {
	}

	static String of(String name, Collection<String> known) {
		String nearest = NearestName.of(name, known);
		return ((nearest != null) ? "Did you mean '" + nearest + "'? " : "") + known(known);
	}

	static String known(Collection<String> known) {
		if (known.isEmpty()) {
			return "None is known.";
		}
		return known.stream().sorted().collect(Collectors.joining("', '", "Known: '", "'."));
	}

}
