package io.github.ratelimit.web;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which form a request says that its body is.
 */
class SentFormTests {

	private static final String FORM = "application/x-www-form-urlencoded";

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			application/x-www-form-urlencoded                                | URLENCODED
			Application/X-WWW-Form-Urlencoded ; Charset=UTF-8                | URLENCODED
			application/x-www-form-urlencoded;charset=us-ascii               | URLENCODED
			application/x-www-form-urlencoded;charset="iso-8859-1"           | URLENCODED
			application/x-www-form-urlencoded;version=1                      | URLENCODED
			application/x-www-form-urlencoded;charset=utf-16                 | UNCLEAR
			application/x-www-form-urlencoded;charset=ibm037                 | UNCLEAR
			application/x-www-form-urlencoded;charset=bogus                  | UNCLEAR
			application/x-www-form-urlencoded;charset=                       | UNCLEAR
			application/x-www-form-urlencoded;charset*=utf-8''x              | UNCLEAR
			application/x-www-form-urlencoded;charset=utf-8;charset=utf-16   | UNCLEAR
			application/x-www-form-urlencoded;charset=utf-16;charset=utf-8   | UNCLEAR
			application/x-www-form-urlencoded;=x                             | UNCLEAR
			application/x-www-form-urlencoded, text/plain                    | UNCLEAR
			text/plain;x=application/x-www-form-urlencoded                   | UNCLEAR
			application/x-www-form-urlencoded/x                              | UNCLEAR
			multipart/form-data;boundary=x                                   | MULTIPART
			multipart/mixed                                                  | UNCLEAR
			*/*                                                              | UNCLEAR
			application/*                                                    | UNCLEAR
			application/*+xml;q=1                                            | UNCLEAR
			text/plain                                                       | NONE
			application/json                                                 | NONE
			nonsense                                                         | NONE
			""")
	void typeSaysWhichFormItIs(String type, SentForm form) {
		assertThat(form(Map.of("Content-Type", List.of(type)))).isEqualTo(form);
	}

	@Test
	void typeThatIsSaidTwiceIsUnclearIfOneIsAForm() {
		assertThat(form(Map.of("Content-Type", List.of(FORM, FORM)))).isEqualTo(SentForm.UNCLEAR);
		assertThat(form(Map.of("Content-Type", List.of("text/plain", FORM)))).isEqualTo(SentForm.UNCLEAR);
		assertThat(form(Map.of("Content-Type", List.of("text/plain", "text/html")))).isEqualTo(SentForm.NONE);
	}

	@Test
	void compressedFormIsUnclear() {
		Map<String, List<String>> gzip = Map.of("Content-Type", List.of(FORM), "Content-Encoding", List.of("gzip"));
		assertThat(form(gzip)).isEqualTo(SentForm.UNCLEAR);
		assertThat(form(Map.of("Content-Type", List.of("text/plain"), "Content-Encoding", List.of("gzip"))))
			.isEqualTo(SentForm.NONE);
	}

	@Test
	void bodyWithoutATypeIsUnclear() {
		assertThat(form(Map.of())).isEqualTo(SentForm.NONE);
		assertThat(form(Map.of("Content-Length", List.of("0")))).isEqualTo(SentForm.NONE);
		assertThat(form(Map.of("Content-Length", List.of("7")))).isEqualTo(SentForm.UNCLEAR);
		assertThat(form(Map.of("Transfer-Encoding", List.of("chunked")))).isEqualTo(SentForm.UNCLEAR);
	}

	@Test
	void bodyThatNoFieldNeedsToTellOfIsUnclearUnlessOneTellsOfNone() {
		assertThat(form(Map.of(), false)).isEqualTo(SentForm.UNCLEAR);
		assertThat(form(Map.of("Content-Length", List.of("0")), false)).isEqualTo(SentForm.NONE);
		assertThat(form(Map.of("Content-Type", List.of("application/json")), false)).isEqualTo(SentForm.NONE);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', nullValues = "-", textBlock = """
			form-data; name="user"                  | -                              | true
			form-data; name="user"                  | text/plain;charset=utf-8       | true
			form-data; name="user"                  | text/plain; charset=ISO-8859-1 | true
			form-data; name="user"                  | application/json               | true
			form-data; name="user"                  | text/plain;charset=iso-2022-jp | false
			form-data; name="user"                  | text/plain;charset=            | false
			form-data; name="user"                  | nonsense                       | false
			form-data; name="user"; filename="x"    | -                              | false
			form-data; name="user"; FileName*=u''x  | -                              | false
			-                                       | -                              | true
			""")
	void partIsAFieldIfEverybodyReadsItAlike(String disposition, String type, boolean field) {
		assertThat(SentForm.isField(disposition, type)).isEqualTo(field);
	}

	private static SentForm form(Map<String, List<String>> fields) {
		return form(fields, true);
	}

	private static SentForm form(Map<String, List<String>> fields, boolean announced) {
		return SentForm.of((name) -> fields.getOrDefault(name, List.of()), announced);
	}

}
