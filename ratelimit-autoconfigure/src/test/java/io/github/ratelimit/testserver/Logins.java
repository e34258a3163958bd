package io.github.ratelimit.testserver;

import java.net.URI;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.github.ratelimit.annotation.RateLimited;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.server.ResponseStatusException;

import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;

/**
 * What the logins of both stacks share, which check passwords themselves: the check, and
 * how a login may end.
 */
public class Logins {

	/**
	 * Names the method that a filter, which comes after that of the rules, gives a
	 * request.
	 */
	public static final String METHOD_OVERRIDE = "X-HTTP-Method-Override";

	/** How many passwords were checked. */
	public static final AtomicInteger CHECKED = new AtomicInteger();

	/** Of a policy for each place. */
	public static final int ATTEMPTS = 5;

	static boolean isRight(Credentials credentials) {
		CHECKED.incrementAndGet();
		return "secret".equals(credentials.password());
	}

	/**
	 * Ends a login in a way that both stacks have.
	 * @param ending how
	 * @param right whether the password was right
	 * @return what the handler returns
	 */
	public static Object end(String ending, boolean right) {
		return switch (ending) {
			case "future" -> CompletableFuture.supplyAsync(() -> welcome(right, Logins::refuse));
			case "failed-future" -> right ? CompletableFuture.completedFuture("welcome")
					: CompletableFuture.failedFuture(new WrongPasswordException());
			case "mono" -> Mono.fromSupplier(() -> welcome(right, Logins::refuse));
			case "mono-entity" -> Mono.fromSupplier(() -> welcome(right, Logins::unauthorized));
			case "mono-fails" -> Mono.fromSupplier(() -> welcome(right, Logins::fail));
			default -> welcome(right, () -> wrong(ending));
		};
	}

	static Object welcome(boolean right, Supplier<Object> otherwise) {
		return right ? ResponseEntity.ok("welcome") : otherwise.get();
	}

	private static Object wrong(String ending) {
		return switch (ending) {
			case "entity" -> unauthorized();
			case "redirect" -> ResponseEntity.status(HttpStatus.FOUND).location(URI.create("/login?error")).build();
			case "status-exception" -> refuse();
			case "annotated-exception" -> throw new RefusedException();
			case "handled" -> throw new WrongPasswordException();
			case "unhandled" -> fail();
			case "error" -> throw new AssertionError("as asked");
			case "overflow" -> overflow(0);
			case "bad-credentials" -> throw new BadCredentialsException("as asked");
			case "unwritable" -> ResponseEntity.ok(new Unwritable());
			default -> throw new IllegalArgumentException(ending);
		};
	}

	static Object unauthorized() {
		return ResponseEntity.status(HttpStatus.UNAUTHORIZED).body("wrong");
	}

	static Object refuse() {
		throw new ResponseStatusException(HttpStatus.UNAUTHORIZED);
	}

	public static Object fail() {
		throw new IllegalStateException("as asked");
	}

	private static Object overflow(int depth) {
		return overflow(depth + 1).toString() + depth;
	}

	@ExceptionHandler
	ResponseEntity<String> forbid(WrongPasswordException ex) {
		return ResponseEntity.status(HttpStatus.FORBIDDEN).body("forbidden");
	}

	/**
	 * What somebody logs in with.
	 *
	 * @param username the name
	 * @param password the password, {@code secret} if it is right
	 */
	public record Credentials(@Nullable String username, @Nullable String password) {

	}

	/**
	 * Checks passwords, and limits how many are wrong.
	 */
	@Service
	public static class Checks {

		@RateLimited(name = "service", algorithm = SLIDING_WINDOW_LOG, limit = ATTEMPTS, window = "15m",
				key = "#credentials.username()", charge = "authenticationFailed")
		public Mono<Boolean> check(Credentials credentials) {
			return Mono.fromSupplier(() -> checkNow(credentials));
		}

		@RateLimited(name = "plain-service", algorithm = SLIDING_WINDOW_LOG, limit = ATTEMPTS, window = "15m",
				key = "#credentials.username()", charge = "authenticationFailed")
		public boolean checkAtOnce(Credentials credentials) {
			return checkNow(credentials);
		}

		private static boolean checkNow(Credentials credentials) {
			if (!isRight(credentials)) {
				throw new WrongPasswordException();
			}
			return true;
		}

	}

	/** An application's own, which it handles. */
	@SuppressWarnings("serial")
	static class WrongPasswordException extends RuntimeException {

	}

	@ResponseStatus(HttpStatus.UNAUTHORIZED)
	@SuppressWarnings("serial")
	static class RefusedException extends RuntimeException {

	}

	/** Fails when it is written. */
	static class Unwritable {

		public String getName() {
			throw new IllegalStateException("as asked");
		}

	}

}
