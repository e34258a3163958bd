package io.github.ratelimit.expression;

import java.text.Normalizer;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * One spelling of a name for all that a login may take for the same: without the blanks
 * around it, whatever the case, of equivalent characters the plain ones, and without what
 * is no letter of its own. Where logins disagree, two names are one rather than one name
 * two.
 * <p>
 * A client chooses the text and its length, and time grows with the length alone: marks
 * that would have to be sorted are left out first, and only what is no longer than a name
 * is folded by steps whose time grows faster.
 */
final class FoldedName {

	private static final int LONGEST = 256;

	/* A letter is at most four of those that it is composed of. */
	private static final int LONGEST_DECOMPOSED = 4 * LONGEST;

	/* Each changes what the one before has made of some letters. */
	private static final int MOST_FOLDS = 4;

	/*
	 * U+0345 is an accent to a collation, and this letter to who writes it in upper case.
	 */
	private static final Pattern IOTAS = Pattern.compile("ι+");

	/* What was found out of marks that take a place of their own, some hundred. */
	private static final Map<Integer, Boolean> SORTED = new ConcurrentHashMap<>();

	private FoldedName() {
	}

	/**
	 * Folds a name.
	 * @param text what a client has sent, of any length
	 * @return the name. Of a text that is too long for one, only blanks, accents and what
	 * has no width are left out
	 */
	static String of(String text) {
		String letters = letters(text);
		return composed(isName(letters) ? fold(letters) : letters);
	}

	private static String letters(String text) {
		return visible(Normalizer.normalize(visible(text), Normalizer.Form.NFD));
	}

	private static boolean isName(String letters) {
		if (letters.length() > LONGEST_DECOMPOSED) {
			return false;
		}
		String composed = composed(letters);
		return composed.codePointCount(0, composed.length()) <= LONGEST;
	}

	private static String composed(String letters) {
		return (letters.length() <= LONGEST_DECOMPOSED) ? Normalizer.normalize(letters, Normalizer.Form.NFC) : letters;
	}

	private static String fold(String letters) {
		String folded = letters;
		for (int i = 0; i < MOST_FOLDS; i++) {
			String next = Normalizer.normalize(folded, Normalizer.Form.NFKD);
			// whether a sigma ends a word takes long to find out
			next = LetterCase.upper(next, Locale.ROOT).replace('Σ', 'σ');
			next = visible(LetterCase.lower(next, Locale.ROOT));
			if (next.equals(folded)) {
				break;
			}
			folded = next;
		}
		String withoutIotas = IOTAS.matcher(folded).replaceAll("");
		return withoutIotas.isEmpty() ? folded : withoutIotas;
	}

	/* Without accents, what has no width, and the blanks around it. */
	private static String visible(String text) {
		StringBuilder visible = new StringBuilder(text.length());
		int i = 0;
		while (i < text.length()) {
			int c = text.codePointAt(i);
			if (Character.isSpaceChar(c)) {
				visible.append(' ');
			}
			else if (!isUnseen(c)) {
				visible.appendCodePoint(c);
			}
			i += Character.charCount(c);
		}
		return visible.toString().strip();
	}

	/* Those that MySQL's collations ignore, among others. */
	private static boolean isUnseen(int c) {
		if (c > ' ' && c < 0x7F) {
			return false;
		}
		return switch (Character.getType(c)) {
			case Character.NON_SPACING_MARK, Character.ENCLOSING_MARK, Character.FORMAT, Character.CONTROL -> true;
			case Character.COMBINING_SPACING_MARK -> SORTED.computeIfAbsent(c, FoldedName::isSorted);
			case Character.OTHER_LETTER, Character.UNASSIGNED -> isFiller(c);
			default -> false;
		};
	}

	/* Hangul's, and code points that are reserved for what is not displayed. */
	private static boolean isFiller(int c) {
		return switch (c) {
			case 0x115F, 0x1160, 0x3164, 0xFFA0, 0x2065 -> true;
			default -> (c >= 0xFFF0 && c <= 0xFFF8) || (c >= 0xE0000 && c <= 0xE0FFF);
		};
	}

	/*
	 * Whether a mark has a place among others that follow the same letter: it comes
	 * before the one whose place is the last.
	 */
	private static boolean isSorted(int c) {
		String mark = Character.toString(c);
		return Normalizer.isNormalized(mark, Normalizer.Form.NFD)
				&& !Normalizer.isNormalized("\u0345" + mark, Normalizer.Form.NFD);
	}

}
