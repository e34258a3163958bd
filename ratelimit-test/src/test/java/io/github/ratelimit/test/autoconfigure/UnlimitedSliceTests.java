package io.github.ratelimit.test.autoconfigure;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

@WebMvcTest
@AutoConfigureRateLimit(enabled = false)
class UnlimitedSliceTests {

	@Autowired
	private MockMvcTester mvc;

	@ParameterizedTest
	@ValueSource(strings = { "/search", "/history?user=me", "/login" })
	void annotationTurnsLimitsOff(String uri) {
		for (int i = 0; i < 3; i++) {
			assertThat(this.mvc.get().uri(uri)).hasStatusOk().doesNotContainHeader("RateLimit");
		}
	}

}
