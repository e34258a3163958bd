package io.github.ratelimit.test.autoconfigure;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.annotation.RateLimited;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;
import org.springframework.test.util.AopTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.BDDMockito.willReturn;
import static org.mockito.Mockito.verify;

/**
 * A bean that a test spies on keeps its limits. What the test stubs and verifies is the
 * spy behind the proxy that limits it.
 */
@SpringBootTest(classes = SearchApplication.class, webEnvironment = WebEnvironment.NONE)
@Import(SpiedBeanTests.Mailer.class)
class SpiedBeanTests {

	@MockitoSpyBean
	private Mailer mailer;

	@Autowired
	private Mailer limited;

	@Test
	void spyIsLimitedAndStubbedBehindItsProxy() {
		Mailer spy = AopTestUtils.getTargetObject(this.mailer);
		willReturn("stubbed").given(spy).send("ada");
		assertThat(this.limited.send("ada")).isEqualTo("stubbed");
		verify(spy).send("ada");
		assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> this.limited.send("ada"));
	}

	static class Mailer {

		@RateLimited(limit = 1, window = "1h", key = "#to")
		String send(String to) {
			return "sent to " + to;
		}

	}

}
