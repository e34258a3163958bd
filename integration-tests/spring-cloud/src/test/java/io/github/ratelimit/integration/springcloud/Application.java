package io.github.ratelimit.integration.springcloud;

import java.util.concurrent.CountDownLatch;

import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.annotation.RateLimited;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication(proxyBeanMethods = false)
class Application {

	@Bean
	SecurityFilterChain security(HttpSecurity http) {
		return http.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
			.httpBasic(Customizer.withDefaults())
			.csrf((csrf) -> csrf.disable())
			.build();
	}

	@Bean
	UserDetailsService users() {
		return new InMemoryUserDetailsManager(User.withUsername("ann").password("{noop}secret").roles("USER").build(),
				User.withUsername("bob").password("{noop}secret").roles("USER").build());
	}

	@Bean
	Gate gate() {
		return new Gate(new CountDownLatch(1), new CountDownLatch(1));
	}

	/*
	 * Nothing is known of its annotations before it is made.
	 */
	@Bean
	@Lazy
	Object lazy() {
		return new LazyService();
	}

	static class LazyService {

		@RateLimited(limit = 3, window = "1h", mode = RateLimitMode.SHADOW, name = "lazy")
		public void call() {
		}

	}

	/**
	 * Holds a request while the configuration changes.
	 */
	record Gate(CountDownLatch reached, CountDownLatch open) {
	}

	@RestController
	static class Controller {

		private final Gate gate;

		Controller(Gate gate) {
			this.gate = gate;
		}

		@GetMapping("/annotated")
		@RateLimited(policy = "annotated")
		String annotated() {
			return "";
		}

		@GetMapping("/described")
		@RateLimited(limit = 3, window = "1h", key = "'all'", name = "described")
		String described() {
			return "";
		}

		@RequestMapping({ "/ruled", "/other", "/target" })
		String ruled() {
			return "";
		}

		@GetMapping("/forwarding")
		void forwarding(HttpServletRequest request, HttpServletResponse response) throws Exception {
			this.gate.reached().countDown();
			this.gate.open().await();
			request.getRequestDispatcher("/target").forward(request, response);
		}

	}

}
