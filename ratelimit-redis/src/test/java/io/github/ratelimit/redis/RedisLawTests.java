package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitShadow;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.ReactivePermits;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.test.model.Decisions;
import io.github.ratelimit.test.model.RandomCases;
import io.github.ratelimit.test.model.RandomLimits;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A request that asks several policies of Redis at once gets the same answers as in one
 * process, where they are asked one after the other. Shadow in Redis decides as
 * enforcement would have, although nobody waits for its answers.
 */
class RedisLawTests extends OneVirtualServer {

	private static final int POLICIES = 4;

	private static final int KINDS = 5;

	private static final Duration[] WINDOWS = { Duration.ofMillis(100), Duration.ofSeconds(1), Duration.ofMinutes(1),
			Duration.ofHours(1) };

	private static final long[] LIMITS = { 1, 2, 5, 10 };

	private static final Pattern NUMBER = Pattern.compile("\\d{4,}");

	private static final long MILLISECOND = 1_000_000;

	private static final int TRACES = 6;

	private static final int REQUESTS = 60;

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void whatIsDecidedTogetherIsWhatIsDecidedOneAfterTheOther(boolean spread) {
		RandomCases.check(75, (random) -> {
			server.redis().call("FLUSHALL");
			List<RateLimitPolicy> policies = policies(random);
			try (LocalRateLimitStore local = new LocalRateLimitStore(server.clock(), 100)) {
				checkRequests(random, limiter(TestStore.over(spread ? new SpreadRunner(server.time()) : server.time(),
						"test", server.clock()), policies), limiter(local, policies));
			}
		});
	}

	/*
	 * Of few kinds, because each combination of kinds is a script, and of few of these.
	 */
	private static List<RateLimitPolicy> policies(Random random) {
		int kind = random.nextInt(KINDS);
		List<RateLimitPolicy> policies = new ArrayList<>();
		for (int i = 0; i < POLICIES; i++) {
			RateLimit[] limits = new RateLimit[1 + (i + kind) % 2];
			for (int j = 0; j < limits.length; j++) {
				RateLimitAlgorithm algorithm = RateLimitAlgorithm.values()[(i + 2 * j + kind) % 5];
				long most = LIMITS[random.nextInt(LIMITS.length)];
				Duration window = WINDOWS[random.nextInt(WINDOWS.length)];
				limits[j] = (algorithm == SLIDING_WINDOW_LOG && kind > 1)
						? RateLimit.builder(algorithm).limit(most).window(window).countRejected(true).build()
						: TestPolicies.limit(algorithm, most, window);
			}
			policies.add(RateLimitPolicy.builder("policy" + i)
				.limits(List.of(limits))
				.ban(((i + kind) % 3 == 0) ? ban(random) : null)
				.build());
		}
		return policies;
	}

	private static RateLimitBan ban(Random random) {
		Duration first = Duration.ofMillis(1 + random.nextInt(2000));
		return new RateLimitBan(1 + random.nextInt(3), WINDOWS[random.nextInt(WINDOWS.length)], first, 2,
				first.multipliedBy(10));
	}

	private static RateLimiterRegistry limiter(RateLimitStore store, List<RateLimitPolicy> policies) {
		RateLimiterRegistry limiter = new StoreRateLimiterRegistry(store, List.of());
		policies.forEach(limiter::register);
		return limiter;
	}

	private void checkRequests(Random random, RateLimiterRegistry together, RateLimiterRegistry eachAlone) {
		for (int i = 0; i < 30; i++) {
			int places = random.nextInt(3);
			Acquisition one = new Acquisition(new WaitingRoom(server.clock(), places));
			Acquisition other = new Acquisition(new WaitingRoom(server.clock(), places));
			boolean passes = true;
			for (int place = random.nextInt(3); passes && place >= 0; place--) {
				List<Integer> asked = new ArrayList<>(IntStream.range(0, POLICIES).boxed().toList());
				Collections.shuffle(asked, random);
				asked = asked.subList(0, 1 + random.nextInt(POLICIES));
				String key = random.nextBoolean() ? "alice" : "bob";
				long[] permits = random.longs(POLICIES, 0, 4).toArray();
				passes = other.take(requests(eachAlone, asked, key, permits));
				assertThat(take(random, one, requests(together, asked, key, permits))).isEqualTo(passes);
				assertThat(describe(one)).isEqualTo(describe(other));
				server.clock().advanceNanos(pause(random, other));
			}
		}
	}

	/* Whether a thread waits makes no difference. */
	private static boolean take(Random random, Acquisition ledger, List<PermitRequest> requests) {
		return random.nextBoolean() ? ledger.take(requests)
				: Boolean.TRUE.equals(ReactivePermits.take(ledger, requests).block());
	}

	private static List<PermitRequest> requests(RateLimiterRegistry limiter, List<Integer> policies, String key,
			long[] permits) {
		return policies.stream()
			.map((number) -> PermitRequest.of(limiter.policy("policy" + number), key, permits[number]))
			.toList();
	}

	private static List<String> describe(Acquisition ledger) {
		return ledger.entries()
			.stream()
			.map((entry) -> "%s: %d permits of %s for %s: %s%s".formatted(
					(entry == ledger.rejection()) ? "rejection" : "entry", entry.request().permits(),
					entry.request().limiter().policy().name(), entry.request().key(), describe(entry.decision()),
					entry.decision().queueFull() ? ", queue full" : ""))
			.toList();
	}

	/*
	 * One store counts nanoseconds, the other microseconds.
	 */
	private static String describe(RateLimitDecision decision) {
		return NUMBER.matcher(Decisions.describe(decision))
			.replaceAll((found) -> Long.toString((Long.parseLong(found.group()) + 999) / 1000));
	}

	private static long pause(Random random, Acquisition ledger) {
		RateLimitDecision last = ledger.entries().get(random.nextInt(ledger.entries().size())).decision();
		long nanos = switch (random.nextInt(6)) {
			case 0, 1 -> 0;
			case 2 -> Math.max(0, last.retryAfterNanos());
			case 3 -> last.nextPermitAfterNanos();
			case 4 -> last.resetAfterNanos();
			default -> random.nextInt(2000) * MILLISECOND;
		};
		return nanos / MILLISECOND * MILLISECOND;
	}

	@ParameterizedTest
	@EnumSource
	void shadowRejectsWhatEnforcementWouldReject(RateLimitAlgorithm algorithm) {
		LongAdder rejected = new LongAdder();
		RandomCases.check(TRACES, (random) -> rejected.add(check(random, algorithm)));
		assertThat(rejected.sum()).isPositive();
	}

	private long check(Random random, RateLimitAlgorithm algorithm) {
		server.redis().call("FLUSHALL");
		RateLimiterRegistry registry = new StoreRateLimiterRegistry(server.store("test"), List.of());
		RateLimitBan ban = random.nextBoolean()
				? new RateLimitBan(2, Duration.ofSeconds(2), Duration.ofSeconds(1), 2, Duration.ofDays(1)) : null;
		RateLimitPolicy policy = RateLimitPolicy.builder("enforced")
			.limit(TestPolicies.limit(algorithm, 1 + random.nextInt(5), Duration.ofSeconds(1)))
			.limit(TestPolicies.limit(FIXED_WINDOW_COUNTER, 10, Duration.ofMinutes(1)))
			.ban(ban)
			.build();
		RateLimiter enforced = registry.register(policy);
		RateLimiter shadow = registry.register(
				RateLimitPolicy.builder("shadow").limits(policy.limits()).ban(ban).mode(RateLimitMode.SHADOW).build());
		RateLimiter both = registry.register(RateLimitPolicy.builder("both")
			.limit(TestPolicies.limit(TOKEN_BUCKET, 2, Duration.ofSeconds(1)))
			.ban(ban)
			.shadowLimits(policy.limits())
			.build());
		for (int i = 0; i < REQUESTS; i++) {
			String key = random.nextBoolean() ? "one" : "other";
			long permits = 1 + random.nextInt(2);
			RateLimitDecision last = enforced.decide(key, permits);
			shadow.decide(key, permits);
			both.decide(key, permits);
			server.clock().advanceNanos(RandomLimits.pause(random, last, policy.limits().get(0)) / 1000 * 1000);
		}
		TestRedis.await(() -> sum(shadow.shadow()) == REQUESTS && sum(both.shadow()) == REQUESTS);
		assertThat(counts(shadow.shadow())).isEqualTo(counts(enforced));
		assertThat(counts(both.shadow())).isEqualTo(counts(enforced));
		server.clock().advance(Duration.ofDays(1));
		return enforced.count(RateLimitOutcome.REJECTED);
	}

	private static long sum(RateLimitShadow shadow) {
		return counts(shadow).stream().mapToLong(Long::longValue).sum();
	}

	private static List<Long> counts(RateLimiter limiter) {
		return Arrays.stream(RateLimitOutcome.values()).map(limiter::count).toList();
	}

	private static List<Long> counts(RateLimitShadow shadow) {
		return Arrays.stream(RateLimitOutcome.values()).map(shadow::count).toList();
	}

}
