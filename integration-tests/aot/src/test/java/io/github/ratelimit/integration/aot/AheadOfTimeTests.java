package io.github.ratelimit.integration.aot;

import java.nio.file.Path;

import io.github.ratelimit.integration.fixtures.LocalRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application that was built ahead of time has the policies and rules that its
 * properties say when it runs. Whether it is limited at all, and by which store, is
 * decided when it is built, as Spring Boot decides all conditions.
 */
@ExtendWith(OutputCaptureExtension.class)
class AheadOfTimeTests {

	private static final String LIMITED = "200 200 429";

	private static final String UNLIMITED = "200 200 200";

	private static final String[] RULE = { "ratelimit.policies.twice.limits[0].limit=2",
			"ratelimit.policies.twice.limits[0].window=1d", "ratelimit.rules[0].path=/plain",
			"ratelimit.rules[0].policy=twice" };

	@TempDir
	private static Path directory;

	private static AheadOfTimeBuild plain;

	private static AheadOfTimeBuild off;

	private static AheadOfTimeBuild redis;

	@BeforeAll
	static void build() throws Exception {
		plain = new AheadOfTimeBuild(directory.resolve("plain"));
		off = new AheadOfTimeBuild(directory.resolve("off"), "ratelimit.enabled=false", RULE[0], RULE[1], RULE[2],
				RULE[3]);
		redis = new AheadOfTimeBuild(directory.resolve("redis"), "ratelimit.store=redis", RULE[0], RULE[1], RULE[2],
				RULE[3], "ratelimit.policies.twice.key=@tenants.of('a')",
				"ratelimit.policies.prices.charge=result.amount()");
	}

	@AfterAll
	static void close() throws Exception {
		plain.close();
		off.close();
		redis.close();
	}

	@Test
	void withoutRulesItLimitsAnnotatedMethods() throws Exception {
		assertThat(plain.start()).containsEntry("store", "caffeine")
			.containsEntry("annotation", LIMITED)
			.containsEntry("bean of the expression", LIMITED)
			.containsEntry("interface", LIMITED)
			.containsEntry("service", LIMITED)
			.containsEntry("rule", UNLIMITED)
			.containsEntry("headers", "false")
			.containsEntry("hand", "unknown policy")
			.hasEntrySatisfying("beans", (names) -> assertThat(names).doesNotContainIgnoringCase("health")
				.doesNotContain("rateLimitStoreAvailability"));
	}

	@Test
	void rulesThatItIsGivenWhenItRunsAreEnforced() throws Exception {
		assertThat(plain.start(RULE)).containsEntry("rule", LIMITED)
			.containsEntry("hand", LIMITED)
			.containsEntry("headers", "true");
	}

	@Test
	void rulesThatReadTheUserAreEnforced() throws Exception {
		String[] properties = { RULE[0], RULE[1], RULE[2], RULE[3], "ratelimit.policies.twice.key=principal?.name" };
		assertThat(plain.start(properties)).containsEntry("rule", LIMITED);
	}

	@Test
	void reactiveApplicationIsLimitedToo() throws Exception {
		String type = "spring.main.web-application-type=reactive";
		try (AheadOfTimeBuild reactive = new AheadOfTimeBuild(directory.resolve("reactive"), type)) {
			assertThat(reactive.start(type, RULE[0], RULE[1], RULE[2], RULE[3])).containsEntry("annotation", LIMITED)
				.containsEntry("bean of the expression", LIMITED)
				.containsEntry("rule", LIMITED)
				.containsEntry("headers", "true")
				.containsEntry("filters", "");
		}
	}

	@Test
	void mistakesInRulesThatItIsGivenEndTheStart() throws Exception {
		assertThat(plain.start("ratelimit.rules[0].path=/plain", "ratelimit.rules[0].policy=twice"))
			.hasEntrySatisfying("failure", (message) -> assertThat(message).contains("names no policy"));
		assertThat(plain.start("ratelimit.polices.one.limits[0].limit=1")).containsKey("failure");
	}

	@Test
	void turnedOffWhenItIsBuiltItLimitsNothingAndSaysSo(CapturedOutput output) throws Exception {
		assertThat(off.start(RULE)).containsEntry("store", "none")
			.containsEntry("annotation", UNLIMITED)
			.containsEntry("interface", UNLIMITED)
			.containsEntry("service", UNLIMITED)
			.containsEntry("rule", UNLIMITED)
			.containsEntry("hand", UNLIMITED)
			.containsEntry("headers", "false");
		assertThat(output.getAll().split("Rate limits are turned off")).hasSize(2);
	}

	@Test
	void storeIsChosenWhenItIsBuilt() throws Exception {
		try (LocalRedis server = LocalRedis.start()) {
			assertThat(redis.start("ratelimit.store=redis", server.property(), "ratelimit.redis.timeout=10s", RULE[0],
					RULE[1], RULE[2], RULE[3]))
				.containsEntry("store", "redis")
				.containsEntry("rule", LIMITED)
				.hasEntrySatisfying("beans", (names) -> assertThat(names).contains("rateLimitStoreAvailability",
						"ratelimitHealthIndicator"));
		}
	}

	@Test
	void anotherStoreThanWhenItWasBuiltEndsTheStart() throws Exception {
		assertThat(plain.start("ratelimit.store=redis")).hasEntrySatisfying("failure", (message) -> assertThat(message)
			.contains("'ratelimit.store' with the value 'redis' has no effect", "built ahead of time", "'caffeine'"));
		assertThat(redis.start("ratelimit.store=caffeine")).hasEntrySatisfying("failure",
				(message) -> assertThat(message).contains("'ratelimit.store' with the value 'caffeine' has no effect",
						"built ahead of time", "'redis'"));
	}

	@Test
	void withoutThePropertyItHasTheStoreThatItWasBuiltWith() throws Exception {
		try (LocalRedis server = LocalRedis.start()) {
			assertThat(redis.start(server.property(), "ratelimit.redis.timeout=10s")).containsEntry("store", "redis");
		}
	}

	@Test
	void whetherLimitsAreOnIsDecidedWhenItIsBuilt() throws Exception {
		assertThat(plain.start("ratelimit.enabled=false")).hasEntrySatisfying("failure",
				(message) -> assertThat(message).contains("ratelimit.enabled"));
	}

	@Test
	void whatANativeImageMustKnowIsWritten() throws Exception {
		assertThat(plain.hints()).contains("io/github/ratelimit/redis/*.lua",
				LimitedApplication.Customer.class.getName(), LimitedApplication.Tenants.class.getName());
	}

	@Test
	void whatTheChargeOfAConfiguredPolicyReadsIsWritten() throws Exception {
		assertThat(redis.hints()).contains(LimitedApplication.Price.class.getName());
		assertThat(plain.hints()).doesNotContain(LimitedApplication.Price.class.getName());
	}

}
