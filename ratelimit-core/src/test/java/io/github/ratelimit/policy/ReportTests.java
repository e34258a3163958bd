package io.github.ratelimit.policy;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitSession;
import io.github.ratelimit.store.RateLimitStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;

/**
 * What the log and listeners are told of rejections and of bans: without keys, and so
 * that no client fills the log.
 */
class ReportTests extends LocalPolicies {

	private static final RateLimit ONCE = window(1);

	private final List<String> told = new ArrayList<>();

	private final Logger logger = (Logger) LoggerFactory.getLogger(RateLimiter.class);

	private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

	private final RateLimiter limiter = banning();

	@BeforeEach
	void listen() {
		this.appender.start();
		this.logger.addAppender(this.appender);
		this.logger.setLevel(Level.DEBUG);
	}

	@AfterEach
	void stopListening() {
		this.logger.setLevel(null);
		this.logger.detachAppender(this.appender);
	}

	private RateLimiter banning() {
		return registry(new Listener())
			.register(RateLimitPolicy.builder("login").limit(ONCE).ban(new RateLimitBan(2)).build());
	}

	private static void decide(RateLimiter limiter, String key, int times) {
		for (int i = 0; i < times; i++) {
			limiter.decide(key, 1);
		}
	}

	private List<String> lines(Level level) {
		return this.appender.list.stream()
			.filter((event) -> event.getLevel() == level)
			.map(ILoggingEvent::getFormattedMessage)
			.toList();
	}

	@Test
	void rejectionsAreLoggedForThoseWhoLookForThemByTheSaltedHashOfTheKey() throws NoSuchAlgorithmException {
		String line = "The rate limit policy 'login' rejected the key with the hash ([0-9a-f]{16}), ";
		RateLimitDecision allowed = this.limiter.decide("other", 1);
		this.limiter.refund("other", 1, allowed);
		decide(this.limiter, "secret", 4);
		this.limiter.decide("other", 2);
		List<String> lines = lines(Level.DEBUG);
		assertThat(lines).hasSize(4);
		assertThat(lines.get(0)).matches(line + "for the next 1 min");
		assertThat(lines.get(1)).matches(line + "for the next 5 min");
		assertThat(lines.get(3)).matches(line + "permanently");
		List<String> hashes = lines.stream().map((each) -> each.replaceAll(".* hash |, .*", "")).toList();
		byte[] plain = MessageDigest.getInstance("SHA-256").digest("secret".getBytes(StandardCharsets.UTF_16BE));
		assertThat(hashes.subList(0, 3)).containsOnly(hashes.get(0))
			.doesNotContain(hashes.get(3), HexFormat.of().formatHex(plain, 0, 8));
		this.logger.setLevel(Level.INFO);
		this.limiter.decide("silent", 2);
		assertThat(lines(Level.DEBUG)).hasSize(4);
	}

	@Test
	void whatWouldHaveBeenRejectedIsLoggedAsSuch() {
		RateLimiter tried = registry()
			.register(RateLimitPolicy.builder("tried").limit(ONCE).mode(RateLimitMode.SHADOW).build());
		tried.decide("allowed", 1);
		tried.decide("secret", 3);
		assertThat(lines(Level.DEBUG)).singleElement()
			.asString()
			.matches(
					"The rate limit policy 'tried' would have rejected the key with the hash [0-9a-f]{16}, permanently");
	}

	@Test
	void linesHavePolicyModeAndOutcomeBesideTheirText() {
		decide(this.limiter, "alice", 4);
		RateLimiter tried = registry()
			.register(RateLimitPolicy.builder("tried").limit(ONCE).mode(RateLimitMode.SHADOW).build());
		decide(tried, "bob", 2);
		assertThat(this.appender.list).extracting(ILoggingEvent::getMDCPropertyMap)
			.containsExactly(fields("login", "enforce", "rejected"), fields("login", "enforce", "banned"),
					fields("login", "enforce", "banned"), fields("login", "enforce", "banned"),
					fields("tried", "shadow", "rejected"));
		assertThat(MDC.getCopyOfContextMap()).isNullOrEmpty();
	}

	private static Map<String, String> fields(String policy, String mode, String outcome) {
		return Map.of("ratelimit.policy", policy, "ratelimit.mode", mode, "ratelimit.outcome", outcome);
	}

	@Test
	void listenersAreToldOfEachBanOnce() {
		decide(this.limiter, "alice", 6);
		assertThat(this.told).containsExactly("ALLOWED", "REJECTED",
				"login bans alice until 2026-03-05T00:05:00Z, number 1", "BANNED", "BANNED", "BANNED", "BANNED");
		this.told.clear();
		this.clock.advance(Duration.ofMinutes(5));
		decide(this.limiter, "alice", 4);
		assertThat(this.told).containsExactly("ALLOWED", "REJECTED",
				"login bans alice until 2026-03-05T00:15:00Z, number 2", "BANNED", "BANNED");
		assertThat(this.limiter.count(RateLimitOutcome.BANNED)).isEqualTo(6);
		assertThat(this.limiter.count(RateLimitOutcome.REJECTED)).isEqualTo(2);
	}

	@Test
	void aListenerThatFailsIsLoggedOnceAndNothingElseIsAffected() {
		RateLimiter limiter = registry(new FailingListener(), new Listener())
			.register(RateLimitPolicy.builder("login").limit(ONCE).ban(new RateLimitBan(2)).build());
		assertThat(limiter.decide("alice", 1).allowed()).isTrue();
		decide(limiter, "alice", 2);
		assertThat(this.told).containsExactly("ALLOWED", "REJECTED",
				"login bans alice until 2026-03-05T00:05:00Z, number 1", "BANNED");
		assertThat(lines(Level.WARN)).singleElement().asString().contains("FailingListener", "'login'", "logged once");
	}

	@Test
	void bansAreLoggedByHashAndFillNoLog() {
		String line = "The rate limit policy 'login' bans the key with the hash [0-9a-f]{16} for 5 min, its ban number 1";
		for (int i = 0; i < 50; i++) {
			decide(this.limiter, "first" + i, 3);
		}
		assertThat(lines(Level.INFO)).hasSize(3).allMatch((each) -> each.matches(line));
		this.clock.advance(Duration.ofMinutes(1));
		decide(this.limiter, "later", 3);
		decide(this.limiter, "latest", 3);
		assertThat(lines(Level.INFO)).hasSize(5);
		assertThat(lines(Level.INFO).get(3)).matches(line + ". There were 47 more bans that were not logged");
		assertThat(lines(Level.INFO).get(4)).matches(line);
	}

	@Test
	void ofSeveralPoliciesTheOneThatBansIsReported() {
		RateLimiter other = registry(new Listener()).register(RateLimitPolicy.of("wide", window(100)));
		List<PermitRequest> both = List.of(PermitRequest.of(other, "key", 1), PermitRequest.of(this.limiter, "bob", 1));
		for (int i = 0; i < 6; i++) {
			new Acquisition(new WaitingRoom(this.clock, 9)).take(both);
		}
		assertThat(this.told).filteredOn((each) -> each.contains("bans"))
			.containsExactly("login bans bob until 2026-03-05T00:05:00Z, number 1");
		assertThat(other.peek("key").remaining()).isEqualTo(99);
	}

	@Test
	void whatBeginsBansInSeveralPoliciesIsReportedOfEachOnce() {
		RateLimitDecision first = RateLimitDecisions.newlyBanned(0, Duration.ofMinutes(1).toNanos(), 1);
		RateLimitDecision second = RateLimitDecisions.newlyBanned(0, Duration.ofMinutes(2).toNanos(), 7);
		RateLimiterRegistry registry = new StoreRateLimiterRegistry(answering(first, second), List.of(new Listener()));
		RateLimiter one = registry.register(RateLimitPolicy.of("one", ONCE));
		RateLimiter two = registry.register(RateLimitPolicy.of("two", ONCE));
		PermitRequest ofOne = PermitRequest.of(one, "key", 1);
		PermitRequest ofTwo = PermitRequest.of(two, "key", 1);
		assertThat(new Acquisition(new WaitingRoom(this.clock, 9)).take(List.of(ofOne, ofTwo, ofTwo, ofOne))).isFalse();
		assertThat(this.told).containsExactly("one bans key until 1970-01-01T00:01:00Z, number 1", "BANNED",
				"two bans key until 1970-01-01T00:02:00Z, number 7");
	}

	@Test
	void aStoreThatDoesNotBanIsSaidNotToDoSo() {
		Logger logger = (Logger) LoggerFactory.getLogger(StoreRateLimiterRegistry.class);
		logger.addAppender(this.appender);
		RateLimitPolicy banning = banning().policy();
		StoreRateLimiterRegistry.unlimited(this.clock).register(banning);
		new StoreRateLimiterRegistry(answering(), List.of()).register(banning);
		logger.detachAppender(this.appender);
		assertThat(lines(Level.WARN))
			.containsExactly("The store 'answering' does not ban keys, so that the ban of the policy 'login' has "
					+ "no effect. Remove it, or use the store caffeine or redis.");
	}

	@Test
	void aStoreThatReservesNothingIsSaidNotToDoSoOnceAPolicyIsChangedToWait() {
		StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(answering(), List.of());
		registry.register(RateLimitPolicy.of("export", window(1)));
		Logger logger = (Logger) LoggerFactory.getLogger(StoreRateLimiterRegistry.class);
		logger.addAppender(this.appender);
		registry.change(RateLimitPolicy.builder("export").limit(window(1)).maxWait(Duration.ofSeconds(1)).build())
			.make();
		logger.detachAppender(this.appender);
		assertThat(lines(Level.WARN))
			.containsExactly("The store 'answering' reserves no permits, so that the max-wait of the policy 'export' "
					+ "has no effect. Remove it, or use the store caffeine or redis.");
	}

	/*
	 * A store that answers the questions of one request with what it is given.
	 */
	@Test
	void aStoreIsAskedOnceForItsSessions() {
		RateLimitStore store = answering();
		RateLimiterRegistry registry = new StoreRateLimiterRegistry(store, List.of());
		registry.register(RateLimitPolicy.of("one", ONCE));
		registry.register(RateLimitPolicy.of("two", ONCE));
		then(store).should().sessions();
	}

	private static RateLimitStore answering(RateLimitDecision... answers) {
		RateLimitSession session = mock();
		given(session.decide(any())).willReturn(List.of(answers));
		RateLimitStore store = mock();
		given(store.name()).willReturn("answering");
		given(store.open(any())).willReturn(mock());
		given(store.sessions()).willReturn(() -> session);
		return store;
	}

	private static final class FailingListener implements RateLimitListener {

		@Override
		public void onDecision(RateLimitPolicy policy, String key, RateLimitDecision decision,
				RateLimitOutcome outcome) {
			throw new IllegalStateException("decision");
		}

		@Override
		public void onBan(RateLimitPolicy policy, String key, Instant until, int times) {
			throw new IllegalStateException("ban");
		}

	}

	private final class Listener implements RateLimitListener {

		@Override
		public void onDecision(RateLimitPolicy policy, String key, RateLimitDecision decision,
				RateLimitOutcome outcome) {
			ReportTests.this.told.add(outcome.name());
		}

		@Override
		public void onBan(RateLimitPolicy policy, String key, Instant until, int times) {
			ReportTests.this.told.add(policy.name() + " bans " + key + " until " + until + ", number " + times);
		}

	}

}
