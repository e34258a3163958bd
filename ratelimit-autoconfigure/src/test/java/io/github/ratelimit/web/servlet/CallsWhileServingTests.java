package io.github.ratelimit.web.servlet;

import io.github.ratelimit.annotation.RateLimited;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Annotated methods that a request calls on its own thread: the request pays for a policy
 * and key once, wherever it is named, and for every further call from the same place.
 */
class CallsWhileServingTests {

	@AutoClose
	private final TestServer server = TestServer.start(Rest.class, "mail: 10 per 10h", "/ruled/** -> mail");

	@Test
	void aRuleAndTheServiceBehindItAreOneCharge() {
		Answer response = this.server.get("/ruled/send?times=1");
		assertThat(response.all("RateLimit")).containsExactly("\"mail\";r=9;t=32400");
		assertThat(remaining("mail")).isEqualTo(9);
	}

	@Test
	void aHandlerAndTheServiceBehindItAreOneCharge() {
		this.server.get("/annotated");
		assertThat(remaining("mail")).isEqualTo(9);
	}

	@Test
	void twoServicesOfOnePolicyAreOneCharge() {
		this.server.get("/both");
		assertThat(remaining("mail")).isEqualTo(9);
	}

	@Test
	void aServiceThatIsCalledAgainIsChargedAgain() {
		this.server.get("/send?times=3");
		assertThat(remaining("mail")).isEqualTo(7);
		this.server.get("/ruled/send?times=4");
		assertThat(remaining("mail")).isEqualTo(3);
		this.server.get("/ruled/send?times=4").is(429);
	}

	@Test
	void aServiceThatCostsMoreThanTheRulePaysTheRest() {
		this.server.get("/ruled/bulk");
		assertThat(remaining("mail")).isEqualTo(5);
	}

	@Test
	void theNextRequestPaysAnew() {
		this.server.get("/ruled/send?times=1");
		this.server.get("/ruled/send?times=1");
		assertThat(remaining("mail")).isEqualTo(8);
	}

	private long remaining(String policy) {
		return this.server.limiter().peek(policy, "127.0.0.1").remaining();
	}

	@RestController
	@Import({ Mailer.class, Newsletter.class })
	static class Rest {

		private final Mailer mailer;

		private final Newsletter newsletter;

		Rest(Mailer mailer, Newsletter newsletter) {
			this.mailer = mailer;
			this.newsletter = newsletter;
		}

		@GetMapping({ "/send", "/ruled/send" })
		String send(@RequestParam int times) {
			for (int i = 0; i < times; i++) {
				this.mailer.send();
			}
			return "sent";
		}

		@GetMapping("/ruled/bulk")
		String bulk() {
			this.mailer.bulk();
			return "sent";
		}

		@RateLimited("mail")
		@GetMapping("/annotated")
		String annotated() {
			return send(1);
		}

		@GetMapping("/both")
		String both() {
			this.newsletter.publish();
			return send(1);
		}

	}

	@Component
	static class Mailer {

		@RateLimited("mail")
		public void send() {
		}

		@RateLimited(policy = "mail", cost = "5")
		public void bulk() {
		}

	}

	@Component
	static class Newsletter {

		@RateLimited("mail")
		public void publish() {
		}

	}

}
