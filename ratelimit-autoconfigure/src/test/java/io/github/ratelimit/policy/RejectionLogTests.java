package io.github.ratelimit.policy;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link RejectionLog}: one line for each rejection, for those who look for it.
 */
class RejectionLogTests extends LocalPolicies {

	private final Logger logger = (Logger) LoggerFactory.getLogger(RateLimiter.class);

	private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

	private final RateLimiter limiter = registry().register(
			RateLimitPolicy.of("once", RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 1, Duration.ofHours(1))));

	@BeforeEach
	void listen() {
		this.lines.start();
		this.logger.addAppender(this.lines);
		this.logger.setLevel(Level.DEBUG);
	}

	@AfterEach
	void close() {
		this.logger.setLevel(null);
		this.logger.detachAppender(this.lines);
	}

	@Test
	void rejectionsAreLoggedWithoutTheirKeys() {
		this.limiter.decide("secret", 1);
		this.limiter.decide("secret", 1);
		this.limiter.decide("secret", 2);
		assertThat(this.lines.list).extracting(ILoggingEvent::getFormattedMessage)
			.satisfiesExactly((line) -> assertThat(line).endsWith(", for the next 1 h"),
					(line) -> assertThat(line).endsWith(", permanently"))
			.allMatch((line) -> line.startsWith("The rate limit policy 'once' rejected the key with the hash "))
			.noneMatch((line) -> line.contains("secret"));
	}

	@Test
	void eachRequestOfABannedKeyIsLogged() {
		RateLimiter banning = registry().register(RateLimitPolicy.builder("banning")
			.limit(RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 1, Duration.ofHours(1)))
			.ban(RateLimitBan.builder().after(1).duration(Duration.ofMinutes(5)).build())
			.build());
		for (int i = 0; i < 3; i++) {
			banning.decide("secret", 1);
		}
		assertThat(this.lines.list).extracting(ILoggingEvent::getFormattedMessage)
			.filteredOn((line) -> line.startsWith("The rate limit policy 'banning' rejected the key with the hash "))
			.hasSize(2);
	}

	@Test
	void whatIsAllowedOrRefundedIsNotLogged() {
		RateLimitDecision allowed = this.limiter.decide("key", 1);
		this.limiter.refund("key", 1, allowed);
		assertThat(this.lines.list).isEmpty();
	}

	@Test
	void whatWouldHaveBeenRejectedIsLoggedAsSuch() {
		RateLimiter tried = registry().register(RateLimitPolicy.builder("tried")
			.limit(RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 2, Duration.ofMinutes(1)))
			.mode(RateLimitMode.SHADOW)
			.build());
		tried.decide("allowed", 1);
		tried.decide("secret", 3);
		assertThat(this.lines.list).extracting(ILoggingEvent::getFormattedMessage)
			.singleElement()
			.asString()
			.matches(
					"The rate limit policy 'tried' would have rejected the key with the hash [0-9a-f]{16}, permanently");
	}

	@Test
	void aKeyHasTheSameHashEachTimeAndAnotherKeyAnother() {
		for (String key : List.of("a", "a", "b")) {
			this.limiter.decide(key, 2);
		}
		List<String> lines = this.lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
		assertThat(lines.get(0)).isEqualTo(lines.get(1)).isNotEqualTo(lines.get(2)).matches(".*hash [0-9a-f]{16},.*");
	}

	@Test
	void whoGuessesAKeyDoesNotFindItsHash() throws NoSuchAlgorithmException {
		this.limiter.decide("a", 2);
		byte[] plain = MessageDigest.getInstance("SHA-256").digest("a".getBytes(StandardCharsets.UTF_16BE));
		assertThat(this.lines.list.get(0).getFormattedMessage()).doesNotContain(HexFormat.of().formatHex(plain, 0, 8));
	}

	@Test
	void nobodyElseHearsOfIt() {
		this.logger.setLevel(Level.INFO);
		this.limiter.decide("key", 2);
		assertThat(this.lines.list).isEmpty();
	}

}
