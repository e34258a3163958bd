package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitPlan;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitShadow;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.PlanSettings;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.test.model.RandomCases;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/**
 * Both stores give the same answers whatever changes between two requests: the
 * definition, the caller's plan, an override of the policy, of a plan or of a key, and
 * the mode.
 */
class TwinLimitersTests extends OneVirtualServer {

	private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(RateLimiter.class);

	private static final int CASES = 30;

	private static final List<String> KEYS = List.of("one", "two");

	private static final List<String> PLANS = List.of("pro", "free", "staff");

	/* Each override has a line in the log, in both. */
	@BeforeEach
	void logNoOverrides() {
		LOGGER.setLevel(Level.WARN);
	}

	@AfterEach
	void logAsBefore() {
		LOGGER.setLevel(null);
	}

	@ParameterizedTest
	@EnumSource
	void agreeWhateverChangesBetweenTwoRequests(RateLimitAlgorithm algorithm) {
		RandomCases.check(CASES, (random) -> {
			server.redis().call("FLUSHALL");
			server.clock().advance(Duration.ofDays(1));
			try (LocalRateLimitStore local = new LocalRateLimitStore(server.clock(), 100)) {
				Trace trace = new Trace(random, algorithm, local, server.store("test"));
				for (int i = 0; i < 40; i++) {
					server.clock().advanceNanos(1_000_000L * (1 + random.nextInt((i % 8 == 0) ? 12_000 : 700)));
					trace.step();
				}
			}
		});
	}

	/**
	 * What was changed and asked of both so far.
	 */
	private static final class Trace {

		private final Map<String, String> plans = new ConcurrentHashMap<>();

		private final List<RateLimitOverride.Target> overridden = new ArrayList<>();

		private final StringBuilder text = new StringBuilder();

		private final Random random;

		private final RateLimitAlgorithm algorithm;

		private final StoreRateLimiterRegistry local;

		private final StoreRateLimiterRegistry redis;

		Trace(Random random, RateLimitAlgorithm algorithm, RateLimitStore local, RateLimitStore redis) {
			this.random = random;
			this.algorithm = algorithm;
			this.local = registry(local);
			this.redis = registry(redis);
			RateLimitPolicy policy = policy();
			note("is defined as " + policy);
			registries().forEach((registry) -> registry.register(policy));
		}

		private StoreRateLimiterRegistry registry(RateLimitStore store) {
			return new StoreRateLimiterRegistry(store, List.of(), new PlanSettings((policy, key) -> this.plans.get(key),
					Duration.ofDays(1), Duration.ofMinutes(1), 100, server.clock()));
		}

		private Stream<StoreRateLimiterRegistry> registries() {
			return Stream.of(this.local, this.redis);
		}

		private RateLimitPolicy policy() {
			RateLimitPolicy.Builder policy = RateLimitPolicy.builder("api")
				.limits(limits())
				.mode(mode())
				.plans(Map.of("pro", RateLimitPlan.of(limits()), "free", RateLimitPlan.of(limits()), "staff",
						RateLimitPlan.unlimited()));
			return policy.build();
		}

		private List<RateLimit> limits() {
			return Stream.generate(() -> TwinStoresTests.limit(this.random, this.algorithm))
				.limit(1 + this.random.nextInt(2))
				.toList();
		}

		private RateLimitMode mode() {
			return (this.random.nextInt(3) == 0) ? RateLimitMode.SHADOW : RateLimitMode.ENFORCE;
		}

		private String any(List<String> names) {
			return names.get(this.random.nextInt(names.size()));
		}

		void step() {
			switch (this.random.nextInt(16)) {
				case 0 -> redefine();
				case 1 -> changePlan(any(KEYS));
				case 2 -> override(RateLimitOverride.of("api"));
				case 3 -> override(RateLimitOverride.of("api").key(any(KEYS)));
				case 4 -> override(RateLimitOverride.of("api").plan(any(PLANS)));
				case 5 -> takeBack();
				default -> decide(any(KEYS), this.random.nextInt(12));
			}
		}

		private void redefine() {
			RateLimitPolicy policy = policy();
			note("is redefined as " + policy);
			registries().forEach((registry) -> registry.change(policy).make());
		}

		private void changePlan(String key) {
			String plan = any(PLANS);
			note(key + " has the plan " + plan);
			this.plans.put(key, plan);
			registries().forEach((registry) -> registry.forgetPlan("api", key));
		}

		private void override(RateLimitOverride.Builder changes) {
			boolean other = this.random.nextBoolean();
			RateLimitOverride override = changes.limits(limits())
				.mode(other ? mode() : null)
				.duration((this.random.nextInt(3) == 0) ? Duration.ofSeconds(10) : null)
				.build();
			note("is overridden by " + override);
			this.overridden.add(override.target());
			registries().forEach((registry) -> registry.overrides().put(override));
		}

		private void takeBack() {
			if (!this.overridden.isEmpty()) {
				RateLimitOverride.Target target = this.overridden.remove(this.random.nextInt(this.overridden.size()));
				note("is no longer overridden for " + target);
				registries().forEach((registry) -> registry.overrides().remove(target));
			}
		}

		private void decide(String key, long permits) {
			RateLimitDecision local = decide(this.local, key, permits);
			RateLimitDecision redis = decide(this.redis, key, permits);
			note(key + " asks for " + permits + ": " + local.allowed() + ", " + local.remaining() + " left of "
					+ this.local.policy("api").limitsFor(key));
			TwinStoresTests.assertSame(redis, local, this.text);
			// nobody waits for what is decided in shadow
			TestRedis.await(() -> shadow(this.redis).equals(shadow(this.local)));
		}

		private static RateLimitDecision decide(StoreRateLimiterRegistry registry, String key, long permits) {
			StoreRateLimiter limiter = registry.policy("api");
			return (permits > 0) ? limiter.decide(key, permits) : limiter.effectivePolicy(key).decide(key, 0, false);
		}

		private static List<Long> shadow(StoreRateLimiterRegistry registry) {
			RateLimitShadow shadow = registry.policy("api").shadow();
			return (shadow == null) ? List.of() : Stream.of(RateLimitOutcome.values()).map(shadow::count).toList();
		}

		private void note(String what) {
			this.text.append(server.clock().nanos() / 1_000_000 % 100_000_000)
				.append(" ms: ")
				.append(what)
				.append('\n');
		}

	}

}
