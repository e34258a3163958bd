package io.github.ratelimit.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.RateLimitInterventions;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;

import static io.github.ratelimit.actuate.Answers.check;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Bans, exemptions and denials over HTTP.
 */
@Import(InterventionEndpointTests.Audit.class)
class InterventionEndpointTests extends ActuatorTest {

	private static final String BAN = "/login/ban";

	private static final String TWO_HOURS = "{\"for\": \"2h\", \"reason\": \"guesses passwords\"}";

	@Autowired
	private Audit audit;

	@Autowired
	private MeterRegistry meters;

	@AfterEach
	void endAll() {
		RateLimitInterventions interventions = this.registry.interventions();
		interventions.inForce().forEach((each) -> interventions.remove(each.intervention().target()));
		this.audit.events.clear();
		this.clock.advance(Duration.ofHours(2));
	}

	private double count(String meter, String... tags) {
		return this.meters.get(meter).tags(tags).functionCounter().count();
	}

	private String in(int hours) {
		return Instant.ofEpochSecond(0, this.clock.nanos()).plus(Duration.ofHours(hours)).toString();
	}

	@Test
	void aKeyIsBannedListedLookedAtAndSetFree() {
		check(post(BAN + "?key=192.0.2.1", TWO_HOURS), 200, "$.policy", "login", "$.key", "192.0.2.1", "$.reason",
				"guesses passwords", "$.until", in(2), "$.by", null, "$.configured", null, "$.hits", null, "$.scope",
				"this instance, until it stops");
		check(get(BAN), 200, "$.policy", "login", "$.bans.length()", 1, "$.bans[0].key", "192.0.2.1");
		check(get(BAN + "?key=192.0.2.1"), 200, "$.bans[0].reason", "guesses passwords");
		check(get(BAN + "?key=192.0.2.2"), 404, "Content-Type", "application/problem+json", "$.title", "Ban not found");
		check(get("/queue/ban"), 200, "$.bans.length()", 0);
		check(get(""), 200, "$.bans.length()", 1, "$.bans[0].policy", "login", "$.exempt.keys.length()", 0,
				"$.deny.keys.length()", 0);
		check(get("/login?key=192.0.2.1"), 200, "$.banned", true, "$.standing.remaining", 0, "$.interventions.ban.key",
				"192.0.2.1");
		check(get("/login?key=192.0.2.2"), 200, "$.banned", null, "$.interventions", null);
		delete(BAN + "?key=192.0.2.1").expectStatus().isNoContent().expectBody().isEmpty();
		check(delete(BAN + "?key=192.0.2.1"), 404, "$.title", "Ban not changed");
		check(get(""), 200, "$.bans.length()", 0);
		assertThat(this.audit.events).extracting(AuditEvent::getType)
			.containsExactly("RATE_LIMIT_BANNED", "RATE_LIMIT_BANNED_ENDED");
		assertThat(this.audit.events.toString()).doesNotContain("192.0.2.1").contains("guesses passwords");
	}

	@Test
	void aBanRejectsAndIsCountedAndAResetLeavesIt() {
		check(post(BAN + "?key=127.0.0.1", TWO_HOURS), 200);
		check(ask("/login"), 429, "Retry-After", "7200");
		check(delete("/login?key=127.0.0.1"), 204);
		check(ask("/login"), 429);
		assertThat(count("ratelimit.requests", "policy", "login", "outcome", "banned", "mode", "enforce"))
			.isGreaterThanOrEqualTo(2);
		check(delete(BAN + "?key=127.0.0.1"), 204);
		check(ask("/login"), 200);
	}

	@Test
	void anAddressMayBeWrittenInAnyWayAndExtendingABanReplacesIt() {
		check(post(BAN + "?key=2001:DB8::1", TWO_HOURS), 200, "$.key", "2001:db8:0:0::/64");
		check(post(BAN + "?key=address:2001:db8:0:0:5::1", "{\"for\": \"3h\"}"), 200, "$.until", in(3));
		check(get(BAN), 200, "$.bans.length()", 1);
	}

	@Test
	void theAnswerSaysWhoIsHitWhereThatIsNotOneClient() {
		check(post("/SearchController.search/ban?key=shared:", TWO_HOURS), 200, "$.hits",
				"every request of the policy for which no key could be found out");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "{} | is missing, and a ban has an end", "{\"for\": \"\"} | has no value",
					"{\"for\": \"0s\"} | is out of range", "{\"for\": \"400d\"} | is out of range",
					"{\"for\": \"for ever\"} | is not a duration", "{\"for\": \"2h\", \"limit\": 3} | is not known",
					"[] | is not a JSON object", "{\"for\": \"2h\", \"mode\": \"shadow\"} | is not known" })
	void whatIsNoBanIsAMistake(String json, String detail) {
		check(post(BAN + "?key=192.0.2.1", json), 400, "Content-Type", "application/problem+json", "$.title",
				"Ban not changed");
		post(BAN + "?key=192.0.2.1", json).expectBody()
			.jsonPath("$.detail")
			.value(String.class, (told) -> assertThat(told).contains(detail));
		assertThat(this.registry.interventions().inForce()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "?key=", "?kay=192.0.2.1", "?key=192.0.2.1&plan=pro", "?key=192.0.2.1&key=192.0.2.2" })
	void aBanIsOfOneKey(String parameters) {
		check(post(BAN + parameters, TWO_HOURS), 400);
		assertThat(this.registry.interventions().inForce()).isEmpty();
	}

	@Test
	void aKeyThatWasRejectedIsBannedByItsHash() {
		for (int i = 0; i < 9; i++) {
			ask("/login");
		}
		String rejected = body("/login/rejected");
		String hash = rejected.replaceFirst("(?s).*?\"hash\":\"([^\"]+)\".*", "$1");
		check(post(BAN + "?hash=" + hash, TWO_HOURS), 200, "$.key", "127.0.0.1");
		check(ask("/login"), 429, "Retry-After", "7200");
		check(post(BAN + "?hash=abc", TWO_HOURS), 404, "$.title", "Ban not changed");
		check(post(BAN + "?key=127.0.0.1&hash=" + hash, TWO_HOURS), 400);
		check(post("/queue/ban?hash=" + hash, TWO_HOURS), 404);
	}

	@ParameterizedTest
	@CsvSource({ "override, An override is sent to the policy itself.",
			"advice, There is no 'advice' of a policy that could be put in force.",
			"bann, There is no 'bann' of a policy that could be put in force." })
	void aWordThatNothingIsSentToIsExplained(String word, String detail) {
		check(post("/login/" + word + "?key=x", TWO_HOURS), 404, "$.title", "Not there", "$.detail", detail);
	}

	@Test
	void whatWasSentIsNotReadWithoutWhatReadsIt() {
		InterventionOperations unread = new InterventionOperations((StoreRateLimiterRegistry) this.registry, null,
				(limiter, key) -> String.valueOf(key), (limiter) -> "");
		assertThatExceptionOfType(InvalidOperationException.class)
			.isThrownBy(() -> unread.ban("login", "192.0.2.1", null, "no JSON", null))
			.withMessageContaining("Jackson 3 is not on the class path");
		assertThatExceptionOfType(InvalidOperationException.class)
			.isThrownBy(() -> unread.put(Kind.DENY, "no JSON", null, (range) -> false))
			.withMessageContaining("Jackson 3 is not on the class path");
	}

	@Test
	void aBanOfAnUnknownPolicyIsNotFound() {
		check(post("/logn/ban?key=x", TWO_HOURS), 404);
		check(post("/login/bann?key=x", TWO_HOURS), 404);
		check(delete("/logn/ban?key=x"), 404);
		check(get("/logn/ban"), 404);
	}

	@Test
	void addressesAndKeysAreDeniedListedAndCounted() {
		check(post("/deny", "{\"address\": \"198.51.100.7/24\", \"for\": \"1h\", \"reason\": \"scans\"}"), 200,
				"$.address", "198.51.100.0/24", "$.reason", "scans", "$.until", in(1));
		check(post("/deny", "{\"policy\": \"login\", \"key\": \"127.0.0.1\"}"), 200, "$.key", "127.0.0.1", "$.until",
				null);
		check(ask("/login"), 403, "Content-Type", "application/problem+json", "Retry-After", null);
		check(get("/deny"), 200, "$.addresses.length()", 1, "$.keys.length()", 1, "$.keys[0].policy", "login");
		check(get(""), 200, "$.deny.addresses[0].address", "198.51.100.0/24", "$.policies.login.requests.rejected",
				(int) this.registry.policy("login").count(RateLimitOutcome.REJECTED));
		assertThat(count("ratelimit.denied", "policy", "login", "by", "key")).isPositive();
		assertThat(count("ratelimit.denied", "policy", "*", "by", "address")).isZero();
		check(delete("/deny?address=198.51.100.99/24"), 204);
		check(delete("/deny?policy=login&key=127.0.0.1"), 204);
		check(ask("/login"), 200);
		assertThat(this.audit.events).extracting(AuditEvent::getType)
			.containsExactly("RATE_LIMIT_DENIED", "RATE_LIMIT_DENIED", "RATE_LIMIT_DENIED_ENDED",
					"RATE_LIMIT_DENIED_ENDED");
	}

	@Test
	void anExemptAddressIsNotLimited() {
		check(post("/exempt", "{\"address\": \"127.0.0.1\"}"), 200, "$.address", "127.0.0.1");
		for (int i = 0; i < 4; i++) {
			check(ask("/login"), 200, "RateLimit", null);
		}
		assertThat(count("ratelimit.exempt", "policy", "*", "by", "address")).isGreaterThanOrEqualTo(4);
		check(delete("/exempt?address=127.0.0.1"), 204);
		check(get("/exempt"), 200, "$.addresses.length()", 0);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "{} | must name an address, or a policy and a key",
					"{\"address\": \"example.org\"} | is neither an IP address nor a range",
					"{\"address\": \"0.0.0.0/0\"} | is every address there is",
					"{\"policy\": \"login\"} | must name an address, or a policy and a key",
					"{\"policy\": \"logn\", \"key\": \"x\"} | no rate limit policy named 'logn'",
					"{\"address\": \"192.0.2.1\", \"key\": \"x\"} | must name an address",
					"{\"address\": \"127.0.0.0/8\"} | has the one in it that this request comes from",
					"{\"addresses\": [\"192.0.2.1\"]} | is not known", "x | The denial is not valid JSON",
					"[] | The denial is not a JSON object" })
	void whatIsNoDenialIsAMistake(String json, String detail) {
		check(post("/deny", json), 400, "Content-Type", "application/problem+json");
		post("/deny", json).expectBody()
			.jsonPath("$.detail")
			.value(String.class, (told) -> assertThat(told).contains(detail));
		assertThat(this.registry.interventions().inForce()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "?address=", "?adress=192.0.2.1", "?address=192.0.2.1&address=192.0.2.2",
			"?policy=login", "?address=x" })
	void whatIsTakenBackIsNamed(String parameters) {
		check(delete("/deny" + parameters), 400);
	}

	@Test
	void theBoundIsToldAndWhatIsTooLongIsRefused() {
		check(post(BAN + "?key=192.0.2.1", "{\"for\": \"2h\", \"reason\": \"" + "x".repeat(501) + "\"}"), 400);
		check(post("/deny", "{\"address\": \"" + "1".repeat(70_000) + "\"}"), 413);
		check(post("/deny", "{\"address\": \"" + "1".repeat(2000) + "\"}"), 400);
	}

	/**
	 * Keeps the audit events.
	 */
	static class Audit {

		private final List<AuditEvent> events = new ArrayList<>();

		@EventListener
		void add(AuditApplicationEvent event) {
			this.events.add(event.getAuditEvent());
		}

	}

}
