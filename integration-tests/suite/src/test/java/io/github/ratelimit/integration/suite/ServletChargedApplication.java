package io.github.ratelimit.integration.suite;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;

import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.Registrations;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/**
 * An application whose requests end in every way that the servlet API has, before the
 * filter of the rules, behind it and in a handler.
 */
@Configuration(proxyBeanMethods = false)
@Import({ ServletChargedApplication.ChargedController.class, ChargedRequestsTests.Beans.class })
class ServletChargedApplication {

	static volatile Semaphore release = new Semaphore(0);

	static final Semaphore lateTask = new Semaphore(0);

	@Bean
	FilterRegistrationBean<?> outer() {
		return Registrations.filter(Ordered.HIGHEST_PRECEDENCE, ServletChargedApplication::outer);
	}

	@Bean
	FilterRegistrationBean<?> inner() {
		return Registrations.filter(0, ServletChargedApplication::inner);
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
	@RateLimited(name = "handler", limit = 100, window = "1d", key = "'all'", cost = "10",
			charge = "exception != null ? 1 : result == null ? 2 : @charges.of(result)")
	static class ChargedController {

		private static final byte[] LARGE = new byte[20_000_000];

		@GetMapping("/{way}")
		@Nullable Object answer(@PathVariable String way, HttpServletRequest request, HttpServletResponse response)
				throws Exception {
			return switch (way) {
				case "client-text" -> throw new UnsupportedOperationException("connection reset by peer");
				case "error-sent" -> {
					response.sendError(410);
					yield null;
				}
				case "callable" -> (Callable<Long>) () -> 7L;
				case "callable-fails" -> (Callable<Long>) () -> {
					throw new IllegalStateException("as asked");
				};
				case "callable-refused" -> (Callable<Long>) () -> {
					throw new ResponseStatusException(HttpStatus.GONE);
				};
				case "callable-throws" -> (Callable<Long>) () -> {
					throw new UnsupportedOperationException("as asked");
				};
				case "deferred" -> deferred();
				case "emitter" -> emitter();
				case "streaming" ->
					(StreamingResponseBody) (body) -> body.write("abc".getBytes(StandardCharsets.UTF_8));
				case "timeout" -> new DeferredResult<>();
				// Jetty may lose a time-out that is over before it has noted the timer's
				// task
				case "long-poll" -> new DeferredResult<>(null, 7L);
				case "pending" -> new DeferredResult<>(0L);
				case "pending-task" -> new WebAsyncTask<>(0L, this::together);
				case "pending-raw" -> {
					request.startAsync().setTimeout(0);
					yield null;
				}
				case "large-streamed" -> (StreamingResponseBody) (body) -> body.write(LARGE);
				case "large-raw" -> {
					response.getOutputStream().write(LARGE);
					yield null;
				}
				case "late-task" -> lateTask(request);
				case "together" -> together();
				default -> throw new ResponseStatusException(HttpStatus.NOT_FOUND);
			};
		}

		@ExceptionHandler
		ResponseEntity<String> conflict(IllegalStateException ex) {
			return ResponseEntity.status(HttpStatus.CONFLICT).body("conflict");
		}

		private static DeferredResult<Long> deferred() {
			DeferredResult<Long> result = new DeferredResult<>();
			new Thread(() -> result.setResult(7L)).start();
			return result;
		}

		private static SseEmitter emitter() {
			SseEmitter emitter = new SseEmitter();
			new Thread(() -> {
				try {
					emitter.send("one");
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
				emitter.complete();
			}).start();
			return emitter;
		}

		private static WebAsyncTask<Long> lateTask(HttpServletRequest request) {
			WebAsyncTask<Long> task = new WebAsyncTask<>(0L, () -> {
				request.getAsyncContext().setTimeout(1);
				lateTask.acquireUninterruptibly();
				return 0L;
			});
			task.onTimeout(() -> 7L);
			return task;
		}

		private long together() {
			Semaphore release = ServletChargedApplication.release;
			// Tomcat interrupts what it no longer waits for
			release.acquireUninterruptibly();
			release.release();
			return 0;
		}

	}

}
