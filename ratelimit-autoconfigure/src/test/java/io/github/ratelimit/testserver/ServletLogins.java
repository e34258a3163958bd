package io.github.ratelimit.testserver;

import java.io.IOException;
import java.util.concurrent.Callable;

import io.github.ratelimit.annotation.RateLimited;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.web.error.ErrorPage;
import org.springframework.boot.web.error.ErrorPageRegistrar;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.ModelAndView;

import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;

/**
 * Logins on Spring MVC that end in all ways. {@link ReactiveLogins} has the same places.
 */
@Configuration(proxyBeanMethods = false)
@Import({ ServletLogins.Controller.class, ServletLogins.Pages.class, Logins.Checks.class, SecuredUsers.class })
public class ServletLogins {

	/* Jetty may lose one that is over before it has noted the timer's task. */
	private static final long TIMEOUT_MILLIS = 300;

	@Bean
	SecurityFilterChain security(HttpSecurity http) {
		return http.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
			.formLogin((form) -> form.loginProcessingUrl("/login"))
			.httpBasic(Customizer.withDefaults())
			.csrf((csrf) -> csrf.requireCsrfProtectionMatcher((request) -> request.getRequestURI().equals("/login")))
			.build();
	}

	@Bean
	FilterRegistrationBean<?> methodOverride() {
		return Registrations.filter(0, (request, response, chain) -> {
			String method = request.getHeader(Logins.METHOD_OVERRIDE);
			chain.doFilter((method != null) ? new WithMethod(request, method) : request, response);
		});
	}

	@Bean
	ErrorPageRegistrar errorPages() {
		return (registry) -> registry.addErrorPages(new ErrorPage(HttpStatus.GONE, "/pages/gone"),
				new ErrorPage(HttpStatus.LENGTH_REQUIRED, "/pages/throws"),
				new ErrorPage(HttpStatus.LOCKED, "/pages/mild"),
				new ErrorPage(HttpStatus.EXPECTATION_FAILED, "/pages/forwards?username=bob"));
	}

	private static @Nullable Object end(String ending, boolean right, HttpServletRequest request,
			HttpServletResponse response) throws Exception {
		return right ? endLater(ending, true) : switch (ending) {
			case "status-set" -> {
				response.setStatus(401);
				yield "wrong";
			}
			case "error-sent" -> send(401, response);
			case "limited-page" -> send(410, response);
			case "throwing-page" -> send(411, response);
			case "mild-page" -> send(423, response);
			case "forwarding-page" -> send(417, response);
			case "committed" -> {
				response.flushBuffer();
				yield Logins.fail();
			}
			case "forwarded" -> new ModelAndView("forward:/pages/wrong");
			case "forwarded-as-get" -> {
				request.getRequestDispatcher("/pages/wrong").forward(new WithMethod(request, "GET"), response);
				yield null;
			}
			case "dispatched" -> {
				request.startAsync().dispatch("/pages/wrong");
				yield null;
			}
			default -> endLater(ending, false);
		};
	}

	private static @Nullable Object send(int status, HttpServletResponse response) throws IOException {
		response.sendError(status);
		return null;
	}

	private static Object endLater(String ending, boolean right) {
		return switch (ending) {
			case "callable" -> (Callable<Object>) () -> Logins.welcome(right, Logins::refuse);
			case "callable-fails" -> (Callable<Object>) () -> Logins.welcome(right, Logins::fail);
			case "deferred" -> {
				DeferredResult<Object> result = new DeferredResult<>();
				result.setResult(Logins.welcome(right, Logins::unauthorized));
				yield result;
			}
			case "deferred-fails" -> {
				DeferredResult<Object> result = new DeferredResult<>();
				new Thread(() -> fail(result, right)).start();
				yield result;
			}
			case "timeout" -> Logins.welcome(right, () -> new DeferredResult<>(TIMEOUT_MILLIS));
			default -> Logins.end(ending, right);
		};
	}

	private static void fail(DeferredResult<Object> result, boolean right) {
		if (right) {
			result.setResult("welcome");
		}
		else {
			result.setErrorResult(new Logins.RefusedException());
		}
	}

	/**
	 * Limits logins at each place.
	 */
	@RestController
	static class Controller extends Logins {

		private final Checks checks;

		Controller(Checks checks) {
			this.checks = checks;
		}

		@RateLimited("facts")
		@RateLimited(name = "handler", algorithm = SLIDING_WINDOW_LOG, limit = ATTEMPTS, window = "15m",
				key = "folded(parameter('username'))", charge = "authenticationFailed")
		@PostMapping("/handler/{ending}")
		@Nullable Object handler(@PathVariable String ending, Credentials credentials, HttpServletRequest request,
				HttpServletResponse response) throws Exception {
			return ServletLogins.end(ending, isRight(credentials), request, response);
		}

		@RateLimited(name = "argument", algorithm = SLIDING_WINDOW_LOG, limit = ATTEMPTS, window = "15m",
				key = "#credentials.username()", charge = "authenticationFailed")
		@PostMapping("/argument/{ending}")
		@Nullable Object argument(@PathVariable String ending, Credentials credentials, HttpServletRequest request,
				HttpServletResponse response) throws Exception {
			return ServletLogins.end(ending, isRight(credentials), request, response);
		}

		@PostMapping("/rule/{ending}")
		@Nullable Object rule(@PathVariable String ending, Credentials credentials, HttpServletRequest request,
				HttpServletResponse response) throws Exception {
			return ServletLogins.end(ending, isRight(credentials), request, response);
		}

		@PostMapping("/service/{ending}")
		@Nullable Object service(@PathVariable String ending, Credentials credentials, HttpServletRequest request,
				HttpServletResponse response) throws Exception {
			boolean right = false;
			try {
				right = Boolean.TRUE.equals(this.checks.check(credentials).block());
			}
			catch (WrongPasswordException ex) {
				// ends as asked
			}
			return ServletLogins.end(ending, right, request, response);
		}

		@PostMapping("/plain-service/{ending}")
		@Nullable Object plainService(@PathVariable String ending, Credentials credentials, HttpServletRequest request,
				HttpServletResponse response) throws Exception {
			boolean right = false;
			try {
				right = this.checks.checkAtOnce(credentials);
			}
			catch (WrongPasswordException ex) {
				// ends as asked
			}
			return ServletLogins.end(ending, right, request, response);
		}

	}

	/**
	 * What is shown for errors.
	 */
	@RestController
	static class Pages {

		@RequestMapping("/pages/wrong")
		ResponseEntity<String> wrong() {
			return ResponseEntity.status(HttpStatus.UNAUTHORIZED).body("wrong");
		}

		@RateLimited(name = "page", limit = 1, window = "1d", key = "'all'", charge = "authenticationFailed")
		@RequestMapping("/pages/gone")
		String gone() {
			return "gone";
		}

		@RequestMapping("/pages/mild")
		ResponseEntity<String> mild() {
			return ResponseEntity.ok("{\"code\": 401}");
		}

		@RequestMapping("/pages/throws")
		String fail() {
			throw new IllegalStateException("as asked");
		}

		@RequestMapping("/pages/forwards")
		ModelAndView forward() {
			return new ModelAndView("forward:/pages/wrong");
		}

	}

	private static final class WithMethod extends HttpServletRequestWrapper {

		private final String method;

		WithMethod(HttpServletRequest request, String method) {
			super(request);
			this.method = method;
		}

		@Override
		public String getMethod() {
			return this.method;
		}

	}

}
