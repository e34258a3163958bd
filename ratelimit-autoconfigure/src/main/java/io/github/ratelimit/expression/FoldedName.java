package io.github.ratelimit.expression;

import java.text.Normalizer;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Gives all names that a login may take for the same one spelling: without the blanks
 * around it, in one case, with the plain characters in place of equivalent ones, and
 * without characters that are no letters of their own. Where logins disagree, two names
 * are one rather than one name two.
 * <p>
 * A client chooses the text and its length, and time grows with the length alone: marks
 * that would have to be sorted are left out first, and only a text that is no longer than
 * a name is folded by steps whose time grows faster.
 */
final class FoldedName {

	private static final int MAX_LENGTH = 256;

	/* A letter is composed of at most four others. */
	private static final int MAX_LENGTH_DECOMPOSED = 4 * MAX_LENGTH;

	/* Each fold changes some letters that the one before has made. */
	private static final int MAX_FOLDS = 4;

	/*
	 * A collation takes U+0345 for an accent. In upper case it is this letter.
	 */
	private static final Pattern IOTAS = Pattern.compile("ι+");

	/* Whether each mark that takes up room of its own, some hundred, is sorted. */
	private static final Map<Integer, Boolean> SORTED = new ConcurrentHashMap<>();

	private FoldedName() {
	}

	/**
	 * Folds a name.
	 * @param text what a client has sent, of any length
	 * @return the name. A text that is too long for a name only loses its blanks, accents
	 * and characters without width
	 */
	static String of(String text) {
		String letters = letters(text);
		if (isShortEnough(letters)) {
			letters = fold(letters);
		}
		return composed(letters);
	}

	private static String letters(String text) {
		return visible(Normalizer.normalize(visible(text), Normalizer.Form.NFD));
	}

	private static boolean isShortEnough(String letters) {
		if (letters.length() > MAX_LENGTH_DECOMPOSED) {
			return false;
		}
		String composed = composed(letters);
		return composed.codePointCount(0, composed.length()) <= MAX_LENGTH;
	}

	private static String composed(String letters) {
		if (letters.length() > MAX_LENGTH_DECOMPOSED) {
			return letters;
		}
		return Normalizer.normalize(letters, Normalizer.Form.NFC);
	}

	private static String fold(String letters) {
		String folded = letters;
		for (int i = 0; i < MAX_FOLDS; i++) {
			String next = Normalizer.normalize(folded, Normalizer.Form.NFKD);
			// It takes long to find out whether a sigma ends a word.
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

	/*
	 * Leaves out accents, characters without width, and the blanks around the text. Each
	 * other blank becomes a space: strip would keep a no-break space.
	 */
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

	/* MySQL's collations, among others, ignore these characters. */
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

	/*
	 * Fillers are Hangul's, and code points that are reserved for characters without
	 * display.
	 */
	private static boolean isFiller(int c) {
		return switch (c) {
			case 0x115F, 0x1160, 0x3164, 0xFFA0, 0x2065 -> true;
			default -> (c >= 0xFFF0 && c <= 0xFFF8) || (c >= 0xE0000 && c <= 0xE0FFF);
		};
	}

	/*
	 * Whether a mark has a position among others that follow the same letter: it comes
	 * before the one whose position is the last.
	 */
	private static boolean isSorted(int c) {
		String mark = Character.toString(c);
		return Normalizer.isNormalized(mark, Normalizer.Form.NFD)
				&& !Normalizer.isNormalized("\u0345" + mark, Normalizer.Form.NFD);
	}

}
