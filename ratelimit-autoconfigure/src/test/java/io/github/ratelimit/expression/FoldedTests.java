package io.github.ratelimit.expression;

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
			""")
	void spellingsOfANameAreOne(String one, String other) {
		assertThat(KeyNormalizer.folded(one)).isEqualTo(KeyNormalizer.folded(other));
	}

	@Test
	void namesThatDifferStayApart() {
		assertThat(KeyNormalizer.folded("ada")).isNotEqualTo(KeyNormalizer.folded("adam"));
		assertThat(KeyNormalizer.folded("a da")).isEqualTo("a da");
	}

	@Test
	void theDefaultLocaleDoesNotMatter() {
		Locale before = Locale.getDefault();
		try {
			Locale.setDefault(Locale.forLanguageTag("tr"));
			assertThat(KeyNormalizer.folded("ADMIN")).isEqualTo("admin");
		}
		finally {
			Locale.setDefault(before);
		}
	}

	@Test
	void whatIsFoldedIsFoldedForGoodWhateverItsCase() {
		RandomCases.check(2_000, (random) -> {
			String text = text(random);
			String folded = KeyNormalizer.folded(text);
			assertThat(KeyNormalizer.folded(folded)).isEqualTo(folded);
			assertThat(KeyNormalizer.folded(text.toUpperCase(Locale.ROOT))).isEqualTo(folded);
			assertThat(KeyNormalizer.folded("\t " + text + " ")).isEqualTo(folded);
		});
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
	void aTextThatIsTooLongForANameIsLeftAsItIs() {
		assertThat(KeyNormalizer.folded("\uFDFA".repeat(257))).hasSize(257);
		assertThat(KeyNormalizer.folded("A".repeat(256))).isEqualTo("a".repeat(256));
		assertThat(KeyNormalizer.folded("\u00A0\u3000 ".repeat(500) + "Ada" + " ".repeat(500))).isEqualTo("ada");
		assertThat(KeyNormalizer.folded("Ad\u0301a" + "\u0301".repeat(500))).isEqualTo("ada");
	}

}
