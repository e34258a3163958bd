package io.github.ratelimit.actuate;

import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.autoconfigure.OpenToAll;
import io.github.ratelimit.test.ManualClock;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application with limits of every kind to look at, whose clock stands still.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ OpenToAll.class, ActuatorApplication.SearchController.class })
class ActuatorApplication {

	@Bean
	ManualClock clock() {
		return ManualClock.atMidnight();
	}

	@RestController
	static class SearchController {

		@RateLimited(limit = 2, window = "1m", key = "header('X-Api-Key')")
		@GetMapping("/search")
		public String search() {
			return "found";
		}

		@GetMapping("/login")
		String login() {
			return "logged in";
		}

		@RateLimited("queue")
		@GetMapping("/queue")
		public String queue() {
			return "done";
		}

	}

}
