package io.github.ratelimit.actuate;

import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Metrics of real requests, in the registry that the application has.
 */
@ActuatorTest
class RequestMetricsTests {

	@Autowired
	private RestTestClient client;

	@Autowired
	private MeterRegistry registry;

	@Test
	void requestIsCountedOnceByWhatBecameOfIt() {
		FunctionCounter allowed = requests("SearchController.search", "allowed");
		FunctionCounter rejected = requests("SearchController.search", "rejected");
		double allowedBefore = allowed.count();
		double rejectedBefore = rejected.count();
		for (int i = 0; i < 5; i++) {
			this.client.get().uri("/search").header("X-Api-Key", "counted").exchange();
		}
		assertThat(allowed.count() - allowedBefore).isEqualTo(2);
		assertThat(rejected.count() - rejectedBefore).isEqualTo(3);
	}

	@Test
	void requestThatWaitedIsCountedOnceAndItsDelayIsTimed() {
		FunctionCounter delayed = requests("queue", "delayed");
		double delayedBefore = delayed.count();
		for (int i = 0; i < 3; i++) {
			Answers.check(this.client.get().uri("/queue").exchange(), 200);
		}
		assertThat(delayed.count() - delayedBefore).isGreaterThanOrEqualTo(2);
		Timer timer = this.registry.get("ratelimit.delay").tags("policy", "queue").timer();
		assertThat(timer.count()).isEqualTo((long) delayed.count());
		assertThat(timer.max(TimeUnit.MILLISECONDS)).isGreaterThanOrEqualTo(2);
	}

	private FunctionCounter requests(String policy, String outcome) {
		return this.registry.get("ratelimit.requests").tags("policy", policy, "outcome", outcome).functionCounter();
	}

}
