package io.github.ratelimit.integration.suite;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.Logins;
import io.github.ratelimit.testserver.Stack;
import io.github.ratelimit.testserver.TestServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Logins that fail in every way that a request may end, at every place that may limit
 * them, on a real server: exactly as many passwords are checked as the limit allows, and
 * a right one is never charged.
 */
class LoginEndingsTests {

	private static final int GUESSES = 8;

	/* In place of a status, where the server has ended the connection. */
	private static final int ABORTED = 0;

	private static final List<String> ENDINGS = List.of("entity", "redirect", "status-set", "status-exception",
			"annotated-exception", "handled", "unhandled", "error", "bad-credentials", "unwritable", "future",
			"failed-future", "mono", "mono-fails", "timeout", "dispatched");

	private static final List<String> OF_SERVLETS = List.of("mono-entity", "overflow", "error-sent", "limited-page",
			"throwing-page", "mild-page", "forwarding-page", "committed", "forwarded", "forwarded-as-get", "callable",
			"callable-fails", "deferred", "deferred-fails");

	private static final List<String> OF_WEBFLUX = List.of("dispatched-outside");

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.startSecured(Stack.part("EndedLogins"),
				"rule: 5 per 15m; algorithm=sliding-window-log; key=folded(parameter('username')) ?: 'no name'; charge=authenticationFailed",
				"facts: 100000 per 1d; key='all'", "ratelimit.policies.facts.charge=" + facts(), "/rule/* -> rule",
				"/rule/{ending} -> facts", "/login -> rule", "logging.level.root=off");
	}

	/*
	 * Seven if all is as it came.
	 */
	private static String facts() {
		return "method == 'POST' and path.endsWith('/{ending}') and pathVariable('ending') == header('X-Ending') "
				+ "and parameter('username') == 'ann' and cookie('fact') == 'true' and principal == null and "
				+ Stack.CURRENT.rawMethod() + " == 'POST' and " + Stack.CURRENT.rawPath()
				+ ".endsWith(header('X-Ending')) ? 7 : 0";
	}

	@BeforeEach
	void reset() {
		// what was answered may be settled a moment later
		server.limiter().policies().forEach((policy) -> server.awaitSettled(policy.policy().name()));
		server.limiter().policies().forEach((policy) -> List.of("ann", "all").forEach(policy::reset));
		Logins.CHECKED.set(0);
	}

	static Stream<Arguments> endings() {
		boolean servlet = Stack.CURRENT != Stack.NETTY;
		List<String> endings = new ArrayList<>(ENDINGS);
		endings.addAll(servlet ? OF_SERVLETS : OF_WEBFLUX);
		List<String> places = new ArrayList<>(List.of("handler", "argument", "rule", "service"));
		if (servlet) {
			places.add("plain-service");
		}
		return places.stream().flatMap((place) -> endings.stream().map((ending) -> Arguments.of(place, ending)));
	}

	static Stream<Arguments> endingsWithFacts() {
		return endings().filter((arguments) -> List.of("handler", "rule").contains(arguments.get()[0]));
	}

	@ParameterizedTest
	@MethodSource("endings")
	void fiveGuessesAreCheckedHoweverTheyEnd(String place, String ending) {
		List<Integer> statuses = statuses(ending, () -> login(place, ending, "guess"));
		assertThat(Logins.CHECKED).as(statuses.toString()).hasValue(Logins.ATTEMPTS);
		assertThat(statuses.subList(0, Logins.ATTEMPTS)).doesNotContain(429);
		assertThat(statuses.subList(Logins.ATTEMPTS, GUESSES)).containsOnly(429);
	}

	@ParameterizedTest
	@MethodSource("endings")
	void aRightPasswordIsNeverCharged(String place, String ending) {
		for (int i = 0; i <= Logins.ATTEMPTS; i++) {
			login(place, ending, "secret").join().is(200);
			server.awaitSettled(place);
			assertThat(server.limiter().peek(place, "ann").remaining()).isEqualTo(Logins.ATTEMPTS);
		}
	}

	@ParameterizedTest
	@MethodSource("endingsWithFacts")
	void aChargeReadsTheRequestAsItCame(String place, String ending) {
		login(place, ending, "guess").handle((answer, failure) -> failure).join();
		server.awaitSettled("facts");
		// what is reserved stays reserved after a time-out of the server's
		long charged = (ending.equals("timeout") && Stack.CURRENT != Stack.NETTY) ? 1 : 7;
		assertThat(server.limiter().peek("facts", "all").remaining()).isEqualTo(100_000 - charged);
	}

	@ParameterizedTest
	@ValueSource(strings = { "handler", "argument", "rule" })
	void aReadThatAFilterTurnsIntoALoginCounts(String place) {
		statuses("unhandled", () -> server.sendAsync("GET", "/" + place + "/unhandled?username=ann&password=guess", "",
				Logins.METHOD_OVERRIDE, "POST"));
		assertThat(Logins.CHECKED).hasValue(Logins.ATTEMPTS);
	}

	@Test
	void aReadIsNoAttemptThoughAnErrorPageIsShown() {
		for (int i = 0; i < GUESSES; i++) {
			server.get("/rule/unhandled?username=ann&password=guess").is(405);
		}
		server.awaitSettled("rule");
		assertThat(server.limiter().peek("rule", "ann").remaining()).isEqualTo(Logins.ATTEMPTS);
	}

	@Test
	void aFormLoginWithoutItsTokenCounts() {
		List<Integer> statuses = statuses("form", () -> post("/login", "guess"));
		assertThat(statuses.subList(0, Logins.ATTEMPTS)).containsOnly(403);
		assertThat(statuses.subList(Logins.ATTEMPTS, GUESSES)).containsOnly(429);
	}

	/*
	 * One after the other. Only those that wait for a time-out, which a server looks for
	 * once a second, wait for it together.
	 */
	private static List<Integer> statuses(String ending, Supplier<CompletableFuture<Answer>> guess) {
		List<CompletableFuture<Integer>> statuses = new ArrayList<>();
		for (int i = 1; i <= GUESSES; i++) {
			CompletableFuture<Integer> status = guess.get().handle(LoginEndingsTests::status);
			statuses.add(status);
			if (!ending.equals("timeout") || i == Logins.ATTEMPTS) {
				statuses.forEach(CompletableFuture::join);
			}
		}
		return statuses.stream().map(CompletableFuture::join).toList();
	}

	private static int status(@Nullable Answer answer, @Nullable Throwable failure) {
		if (answer != null) {
			return answer.status();
		}
		assertThat(failure).isNotInstanceOf(TimeoutException.class);
		return ABORTED;
	}

	private static CompletableFuture<Answer> login(String place, String ending, String password) {
		return post("/" + place + "/" + ending, password, "X-Ending", ending, "Cookie", "fact=true");
	}

	private static CompletableFuture<Answer> post(String path, String password, String... headers) {
		return server
			.sendAsync("POST", path, "username=ann&password=" + password,
					TestServer.with(headers, "Content-Type", "application/x-www-form-urlencoded"))
			.orTimeout(60, TimeUnit.SECONDS);
	}

}
