package io.github.ratelimit.redis;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.autoconfigure.OpenToAll;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * One of several instances of an application, a process of its own: callers that ask all
 * the time, and a report of the numbers under which they were decided.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(OpenToAll.class)
public class OverriddenInstance {

	private static final int CALLERS = 64;

	private static final int KEYS = 500;

	/**
	 * Prints the port that it is reached at.
	 */
	public static void main(String[] arguments) throws IOException {
		ServletWebServerApplicationContext context = (ServletWebServerApplicationContext) SpringApplication
			.run(OverriddenInstance.class, arguments);
		RateLimiterRegistry registry = context.getBean(RateLimiterRegistry.class);
		for (int i = 0; i < CALLERS; i++) {
			Thread caller = new Thread(() -> ask(registry), "caller-" + i);
			caller.setDaemon(true);
			caller.start();
		}
		System.out.println("port " + context.getWebServer().getPort());
		System.in.read();
		System.exit(0);
	}

	private static void ask(RateLimiterRegistry registry) {
		while (true) {
			registry.decide("api", "key" + ThreadLocalRandom.current().nextInt(KEYS));
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
		}
	}

	/**
	 * What was decided under which limit.
	 */
	@RestController
	static class Report implements RateLimitListener {

		private long limit;

		private long first;

		/* How many decisions were made in a row under the limit. */
		private long decisions;

		/* When the last one was made under another. */
		private long changedAt;

		private int foreign;

		private int mixed;

		@Override
		public synchronized void onDecision(RateLimitPolicy policy, String key, RateLimitDecision decision,
				RateLimitOutcome outcome) {
			long limit = policy.limits().get(0).limit();
			if (this.first == 0) {
				this.first = limit;
			}
			if (limit != this.limit) {
				this.changedAt = System.currentTimeMillis();
				this.decisions = 0;
				this.limit = limit;
			}
			this.decisions++;
			this.foreign += decision.fallback() ? 1 : 0;
			this.mixed += isMixed(limit, decision) ? 1 : 0;
		}

		/* A bucket of the limit has its next permit within a part of the minute. */
		private static boolean isMixed(long limit, RateLimitDecision decision) {
			long interval = Duration.ofMinutes(1).dividedBy(limit).toNanos();
			return decision.remaining() > limit || decision.nextPermitAfterNanos() > interval + 1_000_000;
		}

		@GetMapping("/report")
		synchronized String report() {
			return this.first + " " + this.limit + " " + this.decisions + " " + this.changedAt + " " + this.foreign
					+ " " + this.mixed;
		}

	}

}
