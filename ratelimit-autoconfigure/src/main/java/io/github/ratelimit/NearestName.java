package io.github.ratelimit;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * Guesses which name was meant, for error messages.
 */
public final class NearestName {

	private NearestName() {
	}

	/**
	 * Finds the candidate that needs the fewest edits (Levenshtein distance, without
	 * regard to case) to become the given name.
	 * @param name what was written
	 * @param candidates what could have been meant
	 * @return the nearest candidate, or {@code null} if all would need more edits than a
	 * third of the name, or 2
	 */
	public static @Nullable String of(String name, Collection<String> candidates) {
		return of(name, candidates, Math.max(2, name.length() / 3));
	}

	/**
	 * Finds the candidate that needs the fewest edits, as {@link #of(String, Collection)}
	 * does.
	 * @param name what was written
	 * @param candidates what could have been meant
	 * @param most how many edits there may be
	 * @return the nearest candidate, or {@code null} if all would need more edits
	 */
	public static @Nullable String of(String name, Collection<String> candidates, int most) {
		return candidates.stream()
			.filter((candidate) -> distance(name, candidate) <= most)
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
				int substituted = diagonal + ((a.charAt(i - 1) == b.charAt(j - 1)) ? 0 : 1);
				diagonal = row[j];
				row[j] = Math.min(substituted, Math.min(row[j], row[j - 1]) + 1);
			}
		}
		return row[b.length()];
	}

}
