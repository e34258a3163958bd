package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.github.ratelimit.annotation.RateLimited;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Handlers of one budget: each is charged what it returns, 1 for a failure, 2 for
 * nothing, and what it has reserved for what is no number.
 */
@RestController
@RateLimited(name = "handler", limit = 100, window = "1d", key = "'all'", cost = "10",
		charge = "exception != null ? 1 : result == null ? 2 : @charges.of(result)")
class ChargedController {

	static volatile CountDownLatch release = new CountDownLatch(0);

	static final Semaphore lateTask = new Semaphore(0);

	@GetMapping("/value")
	long value() {
		return 7;
	}

	@GetMapping("/entity")
	ResponseEntity<String> entity() {
		return ResponseEntity.ok("abc");
	}

	@GetMapping("/created")
	ResponseEntity<Void> created() {
		return ResponseEntity.status(HttpStatus.CREATED).build();
	}

	@GetMapping("/tagged")
	ResponseEntity<String> tagged() {
		return ResponseEntity.ok().eTag("tag").body("abc");
	}

	@GetMapping("/handled")
	long handled() {
		throw new IllegalStateException("as asked");
	}

	@ExceptionHandler
	ResponseEntity<String> conflict(IllegalStateException ex) {
		return ResponseEntity.status(HttpStatus.CONFLICT).body("conflict");
	}

	@GetMapping("/annotated")
	long annotated() {
		throw new Locked();
	}

	@GetMapping("/status")
	long status() {
		throw new ResponseStatusException(HttpStatus.NOT_FOUND);
	}

	@GetMapping("/throw")
	long fail() {
		throw new UnsupportedOperationException("as asked");
	}

	@GetMapping("/error-sent")
	void errorSent(HttpServletResponse response) throws IOException {
		response.sendError(410);
	}

	@GetMapping("/callable")
	Callable<Long> callable() {
		return () -> 7L;
	}

	@GetMapping("/callable-fails")
	Callable<Long> callableFails() {
		return () -> {
			throw new IllegalStateException("as asked");
		};
	}

	@GetMapping("/task")
	WebAsyncTask<Long> task() {
		return new WebAsyncTask<>(() -> 7L);
	}

	@GetMapping("/deferred")
	DeferredResult<Long> deferred() {
		DeferredResult<Long> result = new DeferredResult<>();
		new Thread(() -> result.setResult(7L)).start();
		return result;
	}

	@GetMapping("/deferred-fails")
	DeferredResult<Long> deferredFails() {
		DeferredResult<Long> result = new DeferredResult<>();
		result.setErrorResult(new IllegalStateException("as asked"));
		return result;
	}

	@GetMapping("/future")
	CompletableFuture<Long> future() {
		return CompletableFuture.supplyAsync(() -> 7L);
	}

	@GetMapping("/empty-later")
	CompletableFuture<ResponseEntity<Void>> emptyLater() {
		return CompletableFuture.supplyAsync(() -> ResponseEntity.noContent().build());
	}

	@GetMapping("/future-fails")
	CompletableFuture<Long> futureFails() {
		return CompletableFuture.failedFuture(new IllegalStateException("as asked"));
	}

	@GetMapping("/mono")
	Mono<Long> mono() {
		return Mono.delay(Duration.ofMillis(1)).thenReturn(7L);
	}

	@GetMapping("/mono-fails")
	Mono<Long> monoFails() {
		return Mono.error(new IllegalStateException("as asked"));
	}

	@GetMapping("/mono-empty")
	Mono<Long> monoEmpty() {
		return Mono.empty();
	}

	@GetMapping("/flux")
	Flux<Long> flux() {
		return Flux.just(1L, 2L, 7L);
	}

	@GetMapping(path = "/sse-flux", produces = "text/event-stream")
	Flux<Long> sseFlux() {
		return Flux.just(1L, 2L, 7L);
	}

	@GetMapping("/emitter")
	SseEmitter emitter() {
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

	@GetMapping("/endless")
	SseEmitter endless() {
		SseEmitter emitter = new SseEmitter(0L);
		new Thread(() -> {
			CountDownLatch never = new CountDownLatch(1);
			try {
				while (!never.await(1, TimeUnit.MILLISECONDS)) {
					emitter.send("more");
				}
			}
			catch (IOException | IllegalStateException ex) {
				emitter.completeWithError(ex);
			}
			catch (InterruptedException ex) {
				emitter.complete();
			}
		}).start();
		return emitter;
	}

	@GetMapping("/streaming")
	StreamingResponseBody streaming() {
		return (body) -> body.write("abc".getBytes(StandardCharsets.UTF_8));
	}

	@GetMapping("/timeout")
	DeferredResult<Long> timeout() {
		return new DeferredResult<>();
	}

	@GetMapping("/never")
	CompletableFuture<Long> never() {
		return new CompletableFuture<>();
	}

	@GetMapping("/pending")
	DeferredResult<Long> pending() {
		return new DeferredResult<>(0L);
	}

	@GetMapping("/pending-task")
	WebAsyncTask<Long> pendingTask() {
		return new WebAsyncTask<>(0L, this::together);
	}

	@GetMapping("/pending-mono")
	Mono<Long> pendingMono() {
		return Mono.never();
	}

	@GetMapping("/pending-raw")
	void pendingRaw(HttpServletRequest request) {
		request.startAsync().setTimeout(0);
	}

	@GetMapping("/large")
	byte[] large() {
		return new byte[20_000_000];
	}

	@GetMapping("/large-streamed")
	StreamingResponseBody largeStreamed() {
		return (body) -> body.write(large());
	}

	@GetMapping("/large-raw")
	void largeRaw(HttpServletResponse response) throws IOException {
		response.getOutputStream().write(large());
	}

	@GetMapping("/late-task")
	WebAsyncTask<Long> lateTask(HttpServletRequest request) {
		WebAsyncTask<Long> task = new WebAsyncTask<>(0L, () -> {
			request.getAsyncContext().setTimeout(1);
			lateTask.acquireUninterruptibly();
			return 0L;
		});
		task.onTimeout(() -> 7L);
		return task;
	}

	@GetMapping("/client-text")
	long clientText() {
		throw new UnsupportedOperationException("connection reset by peer");
	}

	@GetMapping("/long-poll")
	DeferredResult<Long> longPoll() {
		return new DeferredResult<>(1L, 7L);
	}

	@GetMapping("/route/{id}")
	long route(@PathVariable String id) {
		throw new UnsupportedOperationException("as asked");
	}

	@GetMapping("/together")
	long together() throws InterruptedException {
		assertThat(release.await(60, TimeUnit.SECONDS)).isTrue();
		return 0;
	}

	@ResponseStatus(HttpStatus.LOCKED)
	static final class Locked extends RuntimeException {

	}

}
