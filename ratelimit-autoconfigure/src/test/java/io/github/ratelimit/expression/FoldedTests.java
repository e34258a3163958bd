package io.github.ratelimit.expression;

import java.text.Normalizer;
import java.util.List;
import java.util.Locale;
import java.util.Random;

import io.github.ratelimit.test.model.RandomCases;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code folded(…)} gives all spellings of a name one key.
 */
class FoldedTests {

	private static final List<String> LETTERS = List.of("Σ", "ς", "ß", "İ", "é", "\uAC00", "\u1112\u1161\u11AB",
			"\u212B", "\u0958", "\uFB01", "αΙ", "\u1F82", "\uD81B\uDD67");

	/*
	 * Marks of several positions, some of which take up room of their own, and characters
	 * that are not displayed.
	 */
	private static final List<String> UNSEEN = List.of("\u0301", "\u0334", "\u0315", "\u20DD", "\u200B", "\u302E",
			"\uD834\uDD65", "\uD834\uDD6D", "\u1B44", "\u3164");

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			Ada              | ada
			' ADA\t'         | ada
			'\u00A0ada\u2003'| ada
			Ａｄａ            | ada
			𝐀𝐝𝐚            | ada
			straße           | STRASSE
			ﬁsh              | FISH
			İstanbul         | i\u0307stanbul
			ISTANBUL         | ıstanbul
			ΟΔΟΣ             | οδος
			ſam              | Sam
			Ⅳ                | iv
			É                | e
			ád\u0308\u200Bmİn\u200D | admin
			A\u064B\u20DDda  | ada
			a\u302E\uD834\uDD65da | ada
			ada\u3164\uFFA0\u2065 | ada
			ᾳδα              | ΑΙΔΑ
			α\u0345δα         | ᾳδα
			한글             | \u1112\u1161\u11ab\u1100\u1173\u11af
			ν\u0345κος        | ΝΙΚΟΣ
			ᾳνθος            | ΑΙΝΘΟΣ
			ι                | Ι
			""")
	void spellingsOfANameAreOne(String one, String other) {
		assertThat(FoldedName.of(one)).isEqualTo(FoldedName.of(other));
	}

	@Test
	void namesThatDifferStayApart() {
		assertThat(FoldedName.of("ada")).isNotEqualTo(FoldedName.of("adam"));
		assertThat(FoldedName.of("a da")).isEqualTo("a da");
	}

	@Test
	void theDefaultLocaleDoesNotMatter() {
		Locale before = Locale.getDefault();
		try {
			Locale.setDefault(Locale.forLanguageTag("tr"));
			assertThat(FoldedName.of("ADMIN")).isEqualTo("admin");
		}
		finally {
			Locale.setDefault(before);
		}
	}

	@Test
	void whatIsFoldedIsFoldedForGoodWhateverItsCase() {
		RandomCases.check(2_000, (random) -> {
			String text = text(random);
			String folded = FoldedName.of(text);
			assertThat(FoldedName.of(folded)).isEqualTo(folded);
			assertThat(FoldedName.of(text.toUpperCase(Locale.ROOT))).isEqualTo(folded);
			assertThat(FoldedName.of("\t " + text + " ")).isEqualTo(folded);
		});
	}

	@Test
	void everySpellingThatALoginMayTakeForTheSameIsOne() {
		RandomCases.check(2_000, (random) -> {
			String name = "n" + text(random) + LETTERS.get(random.nextInt(LETTERS.size())).repeat(random.nextInt(20));
			String spelling = name;
			for (int i = random.nextInt(6); i >= 0; i--) {
				spelling = respelled(spelling, random);
			}
			assertThat(FoldedName.of(spelling)).as(() -> name.codePoints().mapToObj(Integer::toHexString).toList() + "")
				.isEqualTo(FoldedName.of(name));
		});
	}

	private static String respelled(String text, Random random) {
		int at = random.nextInt(text.length()) + 1;
		boolean within = at < text.length() && Character.isLowSurrogate(text.charAt(at));
		return switch (random.nextInt(8)) {
			case 0 -> text.toUpperCase(Locale.ROOT);
			case 1 -> text.toLowerCase(Locale.ROOT);
			case 2 -> Normalizer.normalize(text, Normalizer.Form.NFC);
			case 3 -> Normalizer.normalize(text, Normalizer.Form.NFD);
			case 4 -> Normalizer.normalize(text, Normalizer.Form.NFKC);
			case 5 -> Normalizer.normalize(text, Normalizer.Form.NFKD);
			case 6 -> "\u3000 " + text + "\t\u00A0";
			default -> within ? text : text.substring(0, at)
					+ UNSEEN.get(random.nextInt(UNSEEN.size())).repeat(random.nextInt(50)) + text.substring(at);
		};
	}

	private static String text(Random random) {
		StringBuilder text = new StringBuilder();
		int length = random.nextInt(12);
		for (int i = 0; i < length; i++) {
			int point = random.nextBoolean() ? random.nextInt(0x250) : random.nextInt(0xFFFF);
			if (Character.isDefined(point) && !Character.isSurrogate((char) point)) {
				text.appendCodePoint(point);
			}
		}
		return text.toString();
	}

	@Test
	void marksThatTakeAPlaceOfTheirOwnAreLeftOutWhereTheyWouldBeSorted() {
		for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
			String mark = Character.toString(c);
			boolean sorted = !Normalizer.normalize("\u0345" + mark, Normalizer.Form.NFD).startsWith("\u0345")
					|| !Normalizer.normalize(mark + "\u0334", Normalizer.Form.NFD)
						.startsWith(Normalizer.normalize(mark, Normalizer.Form.NFD));
			if (sorted && Normalizer.isNormalized(mark, Normalizer.Form.NFD)) {
				assertThat(FoldedName.of("a" + mark + "b")).as("U+%X", c).isEqualTo("ab");
			}
		}
	}

	@Test
	void aTextThatIsTooLongForANameIsLeftAsItIs() {
		assertThat(FoldedName.of("\uFDFA".repeat(257))).hasSize(257);
		assertThat(FoldedName.of("A".repeat(256))).isEqualTo("a".repeat(256));
		assertThat(FoldedName.of("A\u0301\u00C1".repeat(150))).isEqualTo("A".repeat(300));
		assertThat(FoldedName.of("\u00A0\u3000 ".repeat(500) + "Ada" + " ".repeat(500))).isEqualTo("ada");
		assertThat(FoldedName.of("Ad\u0301a" + "\u0301".repeat(500))).isEqualTo("ada");
	}

}
