package io.github.ratelimit.support;

import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What somebody else has sent neither breaks a line nor turns its direction.
 */
class ReadableTextTests {

	@Test
	void whatBreaksALineOrTurnsItsDirectionIsReplaced() {
		assertThat(
				ReadableText.of("a\r\nb\u2028c\u2029d\u0085e\u000bf\u202eg\u2066h\u200fi\u061cj\u001b[31mk\ufeffl\0m"))
			.isEqualTo("a??b?c?d?e?f?g?h?i?j?[31mk?l?m");
		assertThat(ReadableText.of("\ud83d\ude80 zoë 東京")).isEqualTo("\ud83d\ude80 zoë 東京");
	}

	@Test
	void noCharacterOfUnicodeIsABreakAfterwards() {
		List<String> breaking = IntStream.rangeClosed(Character.MIN_CODE_POINT, Character.MAX_CODE_POINT)
			.filter((character) -> breaks(ReadableText.of("a" + Character.toString(character) + "b")))
			.mapToObj("U+%04X"::formatted)
			.toList();
		assertThat(breaking).isEmpty();
	}

	private static boolean breaks(String text) {
		return text.lines().count() != 1 || text.chars()
			.anyMatch((each) -> Character.isISOControl(each) || isSeparator(Character.getType(each)));
	}

	private static boolean isSeparator(int type) {
		return type == Character.FORMAT || type == Character.LINE_SEPARATOR || type == Character.PARAGRAPH_SEPARATOR;
	}

	@Test
	void longTextIsCutAlsoWithinACharacter() {
		assertThat(ReadableText.of("x".repeat(300))).hasSize(256);
		assertThat(ReadableText.of("ab\ud83d\ude80", 3)).isEqualTo("ab?");
		assertThat(ReadableText.of(null)).isEqualTo("null");
	}

}
