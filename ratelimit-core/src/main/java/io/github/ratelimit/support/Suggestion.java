package io.github.ratelimit.support;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Suggests a name in place of an unknown one.
 *
 * @since 0.1.0
 */
public final class Suggestion {

	/* Spring Boot drops these characters from a key of a map that is not in brackets. */
	private static final Pattern SPECIAL = Pattern.compile("[^A-Za-z0-9_-]");

	private Suggestion() {
	}

	/**
	 * Asks for the nearest name and lists all that are known.
	 * @param name what was written
	 * @param known what could have been meant
	 * @return one or two sentences
	 */
	public static String of(String name, Collection<String> known) {
		return question(name, known) + known(known);
	}

	/**
	 * Lists the names that are known.
	 * @param known what could have been meant
	 * @return a sentence
	 */
	public static String known(Collection<String> known) {
		if (known.isEmpty()) {
			return "None is known.";
		}
		return known.stream().sorted().collect(Collectors.joining("', '", "Known: '", "'."));
	}

	/**
	 * Asks for the nearest name.
	 * @param name what was written
	 * @param known what could have been meant
	 * @return a sentence that a space follows; empty if no name is near
	 */
	public static String question(String name, Collection<String> known) {
		String nearest = nearest(name, known, Math.max(2, name.length() / 3));
		if (nearest == null) {
			return "";
		}
		return "Did you mean '" + nearest + "'? ";
	}

	/**
	 * Explains that a policy's name needs brackets, if one that is known is what Spring
	 * Boot makes of it without them.
	 * @param policy the policy that was asked for
	 * @param known the policies that there are
	 * @return two sentences that a space follows; empty if no name is so
	 */
	public static String brackets(String policy, Collection<String> known) {
		String left = SPECIAL.matcher(policy).replaceAll("");
		if (left.equals(policy) || !known.contains(left)) {
			return "";
		}
		return "There is '" + left + "', which is what Spring Boot makes of '" + policy
				+ "' without brackets. Write its name in brackets and quotes: \"[" + policy + "]\". ";
	}

	/**
	 * Finds the name that needs the fewest edits (Levenshtein distance, without regard to
	 * case) to become the given one.
	 * @param name what was written
	 * @param known what could have been meant
	 * @param maxEdits how many edits there may be
	 * @return the nearest name, or {@code null} if all would need more edits
	 */
	public static @Nullable String nearest(String name, Collection<String> known, int maxEdits) {
		return known.stream()
			.filter((candidate) -> distance(name, candidate) <= maxEdits)
			.min(Comparator.comparingInt((candidate) -> distance(name, candidate)))
			.orElse(null);
	}

	private static int distance(String first, String second) {
		String a = first.toLowerCase(Locale.ROOT);
		String b = second.toLowerCase(Locale.ROOT);
		int[] row = new int[b.length() + 1];
		for (int j = 0; j <= b.length(); j++) {
			row[j] = j;
		}

		for (int i = 1; i <= a.length(); i++) {
			int diagonal = row[0];
			row[0] = i;
			for (int j = 1; j <= b.length(); j++) {
				int substituted = diagonal;
				if (a.charAt(i - 1) != b.charAt(j - 1)) {
					substituted++;
				}
				diagonal = row[j];
				row[j] = Math.min(substituted, Math.min(row[j], row[j - 1]) + 1);
			}
		}
		return row[b.length()];
	}

}
