package io.github.ratelimit.web.servlet;

import io.github.ratelimit.RateLimitOutcome;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Names that need care reach the client whole, and what a client sends as a key reaches
 * neither a log nor a metric.
 */
@ExtendWith(OutputCaptureExtension.class)
class UntrustedTextTests {

	@AutoClose
	private final TestServer server = TestServer.startWithNeighbours(Controller.class,
			"logging.level.io.github.ratelimit=trace", "[say \"hi\" [o]]: 1 per 1m; key=header('X-Key')",
			"forged: 1 per 1m; key=request.getParameter('k')", "/named -> say \"hi\" [o]", "/forged -> forged");

	@Test
	void quotesInANameAreEscapedInHeadersAndBody() {
		Answer response = this.server.get("/named", "X-Key", "a");
		assertThat(response.all("RateLimit-Policy")).containsExactly("\"say \\\"hi\\\" [o]\";q=1;w=60");
		assertThat(response.all("RateLimit")).containsExactly("\"say \\\"hi\\\" [o]\";r=0;t=60");
		Answer rejected = this.server.get("/named", "X-Key", "a");
		rejected.is(429);
		assertThat(rejected.body()).contains("\"violated-policies\":[\"say \\\"hi\\\" [o]\"]");
	}

	@Test
	void aForgedKeyIsNeitherLoggedNorSentBackNorATag(CapturedOutput output) {
		for (int i = 0; i < 2; i++) {
			Answer response = this.server.get("/forged?k=intruder%0D%0ASet-Cookie:%20stolen=1");
			response.is((i == 0) ? 200 : 429);
			assertThat(response.headers().toString() + response.body()).doesNotContain("intruder")
				.doesNotContain("stolen");
		}
		assertThat(this.server.limiter().policy("forged").count(RateLimitOutcome.REJECTED)).isOne();
		assertThat(output).doesNotContain("intruder");
		assertThat(this.server.bean(MeterRegistry.class).getMeters())
			.filteredOn((meter) -> meter.getId().getName().startsWith("ratelimit"))
			.isNotEmpty()
			.noneMatch((meter) -> meter.getId().toString().contains("intruder"));
	}

	@Test
	void aHeaderLineThatWasFoldedIsNoWayIntoTheResponse(CapturedOutput output) {
		assertThat(this.server.raw("GET /named", "X-Key: intruder\r\n Set-Cookie: stolen=1")).doesNotContain("stolen");
		assertThat(output).doesNotContain("stolen");
	}

	@RestController
	static class Controller {

		@GetMapping({ "/named", "/forged" })
		String hello() {
			return "hello";
		}

	}

}
