package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.Map;

import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.annotation.RateLimited;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application whose requests end in every way, before the filter of the rules, behind
 * it and in a handler, and whose beans are charged too.
 */
@Configuration(proxyBeanMethods = false)
@Import({ ChargedController.class, ChargedApplication.Posts.class, ChargedApplication.Calls.class,
		ChargedApplication.Beans.class })
class ChargedApplication {

	@Bean
	FilterRegistrationBean<?> outer() {
		return Registrations.filter(Ordered.HIGHEST_PRECEDENCE, ChargedApplication::outer);
	}

	@Bean
	FilterRegistrationBean<?> inner() {
		return Registrations.filter(0, ChargedApplication::inner);
	}

	private static void outer(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		String path = request.getRequestURI();
		try {
			chain.doFilter(request, response);
		}
		catch (IllegalArgumentException ex) {
			response.setStatus(202);
		}
		if (path.equals("/outer-error")) {
			response.sendError(507);
		}
	}

	private static void inner(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		switch (request.getRequestURI()) {
			case "/raw", "/outer-error" -> {
			}
			case "/raw-error" -> response.sendError(502);
			case "/raw-throws" -> throw new ServletException("as asked");
			case "/swallowed" -> throw new IllegalArgumentException("as asked");
			default -> chain.doFilter(request, response);
		}
	}

	@RestController
	static class Posts {

		@PostMapping("/posted")
		@RateLimited(name = "arguments", limit = 100, window = "1d", key = "'all'", charge = "#body['weight']")
		String posted(@RequestBody Map<String, Integer> body) {
			return "posted";
		}

	}

	@RestController
	static class Calls {

		private final Beans beans;

		private final RateLimiterRegistry limiter;

		Calls(Beans beans, RateLimiterRegistry limiter) {
			this.beans = beans;
			this.limiter = limiter;
		}

		@GetMapping("/calls")
		String calls() {
			this.beans.call(1);
			long first = remaining();
			this.beans.call(1);
			long second = remaining();
			this.beans.call(0);
			return first + " " + second + " " + remaining();
		}

		private long remaining() {
			return this.limiter.policy("bean").peek("all").remaining();
		}

	}

	@Service("charges")
	static class Beans {

		@RateLimited(name = "bean", limit = 100, window = "1d", key = "'all'", charge = "result")
		public long call(long used) {
			return used;
		}

		public long of(Object result) {
			if (result instanceof ResponseEntity<?> entity) {
				return (entity.getBody() != null) ? entity.getBody().toString().length() : 10;
			}
			return (result instanceof Long number) ? number : 10;
		}

	}

}
