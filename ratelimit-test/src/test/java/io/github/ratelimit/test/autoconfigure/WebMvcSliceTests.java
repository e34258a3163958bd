package io.github.ratelimit.test.autoconfigure;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

/**
 * A slice has the limits of the application, and each test all of its permits. Redis is
 * not part of a slice, and none is running here.
 */
@WebMvcTest(properties = "ratelimit.store=redis")
class WebMvcSliceTests {

	@Autowired
	private MockMvcTester mvc;

	@ParameterizedTest
	@ValueSource(strings = { "/search", "/history?user=me", "/login", "/search", "/history?user=me", "/login" })
	void secondRequestIsRejectedInEveryTestAnew(String uri) {
		assertThat(this.mvc.get().uri(uri)).hasStatusOk();
		assertThat(this.mvc.get().uri(uri)).hasStatus(429).containsHeader("Retry-After");
	}

	@RepeatedTest(2)
	void mockMvcIsLimitedAlike(@Autowired MockMvc mvc) throws Exception {
		mvc.perform(get("/search")).andExpect(status().isOk());
		mvc.perform(get("/search")).andExpect(status().isTooManyRequests()).andExpect(header().exists("Retry-After"));
	}

	@Nested
	class NestedTests {

		@RepeatedTest(2)
		void testsOfANestedClassBeginAnewToo() {
			assertThat(WebMvcSliceTests.this.mvc.get().uri("/search")).hasStatusOk();
		}

	}

}
