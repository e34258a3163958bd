package io.github.ratelimit.expression;

import java.util.List;
import java.util.Locale;

import io.github.ratelimit.CpuTime;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.support.ReadableText;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A client chooses how long the text of a key is, and which characters it has. What a key
 * takes grows with the length, and not with its square.
 */
class LongTextTests {

	private static final String STEM = "\uD834\uDD65";

	private final Bindings bindings = new Bindings();

	@ParameterizedTest
	@ValueSource(strings = { "folded(#user)", "#user.toLowerCase()", "#user.toUpperCase()",
			"#user.toLowerCase(T(java.util.Locale).ROOT)", "#user.toLowerCase('tr')", "#user.toUpperCase('tr')",
			"#user.trim()", "#user", "#user + ':' + #user.length()", "#user == 'ann' ? 'a' : #user.strip()" })
	void whateverTheCharactersAre(String key) {
		PolicyBinding binding = this.bindings.key(key);
		for (String hostile : List.of("\u302E".repeat(CpuTime.LENGTH / 3) + STEM.repeat(CpuTime.LENGTH / 3), "Σ", "aΣ.",
				"İ", "ß", "ΐ", "é", "\u0340", "\u0F73", "\uAC00", "\u1100\u1161", "\u09C7\u09BE", "\uD81B\uDD67",
				"\u1F82", "\uFDFA", "\uD834\uDD60", "αΙ", " ", "\u200B", "\uDC00")) {
			CpuTime.assertLinear(hostile, (text) -> Bindings.keyOf(binding, TestRequest.anonymous(), text, List.of()));
		}
		assertThat(binding.limiter().failures(RateLimitExpression.KEY)).isZero();
	}

	@Test
	void shortTextsAreInTheCaseThatThePlatformGivesThem() {
		for (String text : List.of("ΟΔΟΣ", "Straße", "İstanbul", "\uD801\uDC00")) {
			assertThat(LetterCase.lower(text, Locale.ROOT)).isEqualTo(text.toLowerCase(Locale.ROOT));
			assertThat(LetterCase.upper(text, Locale.ROOT)).isEqualTo(text.toUpperCase(Locale.ROOT));
		}
		Locale turkish = Locale.forLanguageTag("tr");
		assertThat(keyOf("#user.toLowerCase(T(java.util.Locale).forLanguageTag('tr'))", "TITLE"))
			.isEqualTo("TITLE".toLowerCase(turkish));
		assertThat(keyOf("#user.toLowerCase('tr')", "TITLE")).isEqualTo("TITLE".toLowerCase(turkish));
		assertThat(keyOf("#user.toUpperCase('tr')", "title")).isEqualTo("title".toUpperCase(turkish));
		assertThat(keyOf("#user.toLowerCase(null)", "TALE")).isEqualTo("tale");
		assertThat(keyOf("#user.toUpperCase()", "straße")).isEqualTo("STRASSE");
		assertThat(keyOf("'ΟΔΟΣ' + #user.toLowerCase()", "ΟΔΟΣ")).isEqualTo("ΟΔΟΣοδος");
	}

	@Test
	void longTextsAreInOneCaseWhateverTheirParts() {
		String text = "Straße \uD801\uDC00İ".repeat(30);
		assertThat(LetterCase.lower(text, Locale.ROOT)).isEqualTo(text.toLowerCase(Locale.ROOT));
		assertThat(LetterCase.upper(text, Locale.ROOT)).isEqualTo(text.toUpperCase(Locale.ROOT));
		String greek = "ΟΔΟΣ ".repeat(30);
		assertThat(LetterCase.lower(greek, Locale.ROOT)).isEqualTo(LetterCase.lower("οδος ".repeat(30), Locale.ROOT));
		String long1 = keyOf("#user.toLowerCase()", greek.substring(0, 100));
		assertThat(long1).isEqualTo("οδοσ ".repeat(20));
	}

	private String keyOf(String key, String user) {
		return Bindings.keyOf(this.bindings.key(key), TestRequest.anonymous(), user, List.of());
	}

	@Test
	void hashesAreLinearToo() {
		CpuTime.assertLinear("\uDC00", ReadableText::hash);
		CpuTime.assertLinear("\u2028", ReadableText::of);
		CpuTime.assertLinear("sha256:", KeyNormalizer::of);
	}

}
