package io.github.ratelimit.integration.documentation;

import java.io.IOException;
import java.nio.file.Files;

import io.github.ratelimit.web.HeaderName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every header field that is sent is on the page of responses.
 */
class HeaderFieldTests {

	@ParameterizedTest
	@EnumSource
	void fieldIsDescribed(HeaderName name) throws IOException {
		assertThat(Files.readString(Snippet.ROOT.resolve("docs/responses.md"))).contains("`" + name.text() + "`");
	}

}
