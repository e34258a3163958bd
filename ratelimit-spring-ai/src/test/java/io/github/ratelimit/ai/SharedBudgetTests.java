package io.github.ratelimit.ai;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitSettlement;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.autoconfigure.RateLimitRedisAutoConfiguration;
import io.github.ratelimit.redis.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;

import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.model.tool.DefaultToolCallingChatOptions;
import org.springframework.ai.model.tool.ToolCallingChatOptions;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sixty-four callers of each of three instances that share a budget in Redis: calls and
 * streams, of which some fail and some are left.
 */
class SharedBudgetTests {

	private static final long SEED = Long.getLong("ratelimit.seed", 39L);

	private static final int INSTANCES = 3;

	private static final int CALLERS = 64;

	private static final int LIMIT = 20_000;

	/* Six of the prompt, and what the model may answer at most. */
	private static final int RESERVED = 106;

	private final AtomicLong charged = new AtomicLong();

	private final AtomicLong sent = new AtomicLong();

	private final AtomicInteger failed = new AtomicInteger();

	private final AtomicInteger left = new AtomicInteger();

	private volatile List<RateLimiter> limiters = List.of();

	@Test
	@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
	void noMoreTokensAreAdmittedThanTheLimitAndNoneIsLost() {
		try (TestRedis redis = TestRedis.start()) {
			ApplicationContextRunner runner = Budgets
				.runner("ratelimit.store=redis", "spring.data.redis.port=" + redis.port(),
						"ratelimit.redis.timeout=30s", "ratelimit.redis.rejection-memory=0ms",
						"ratelimit.redis.on-failure=reject", "ratelimit.policies.tokens.limit=" + LIMIT,
						"ratelimit.policies.tokens.window=31d")
				.withConfiguration(
						AutoConfigurations.of(DataRedisAutoConfiguration.class, RateLimitRedisAutoConfiguration.class))
				.withBean("model", ChatModel.class, SharedBudgetTests::model);
			runner.run((one) -> runner.run((two) -> runner.run((three) -> compete(List.of(one, two, three)))));
		}
	}

	private void compete(List<? extends ApplicationContext> instances) throws Exception {
		this.limiters = instances.stream()
			.map((instance) -> instance.getBean(RateLimiterRegistry.class).policy("tokens"))
			.toList();
		ExecutorService callers = Executors.newFixedThreadPool(INSTANCES * CALLERS);
		List<Future<?>> all = new ArrayList<>();
		for (int i = 0; i < INSTANCES * CALLERS; i++) {
			ChatModel model = instances.get(i % INSTANCES).getBean(ChatModel.class);
			Random random = new Random(SEED + i);
			all.add(callers.submit(() -> callUntilNothingIsLeft(model, random)));
		}
		for (Future<?> each : all) {
			each.get();
		}
		callers.shutdown();

		assertThat(this.sent).as("seed " + SEED).hasValueLessThanOrEqualTo(LIMIT);
		assertThat(this.charged).as("seed " + SEED).hasValueBetween(LIMIT - RESERVED + 1 - unsettled(), (long) LIMIT);
		assertThat(this.failed).hasPositiveValue();
		assertThat(this.left).hasPositiveValue();
		awaitSettled();
	}

	/*
	 * A machine that stalls for a second keeps Redis from being told. Then the
	 * reservation may stand.
	 */
	private long unsettled() {
		return RESERVED
				* this.limiters.stream().mapToLong((limiter) -> limiter.settlements(RateLimitSettlement.FAILED)).sum();
	}

	/* The last settlements are under way when their callers go on. */
	private void awaitSettled() {
		long most = LIMIT - this.charged.get();
		long remaining = this.limiters.get(0).peek("all").remaining();
		while (remaining > most || remaining < most - unsettled()) {
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
			remaining = this.limiters.get(0).peek("all").remaining();
		}
	}

	/* Whoever is rejected tries again, until nothing more can pass. */
	private void callUntilNothingIsLeft(ChatModel model, Random random) {
		while (this.charged.get() <= LIMIT - RESERVED - unsettled()) {
			try {
				call(model, random.nextInt(10), 1 + random.nextInt(RESERVED));
			}
			catch (RateLimitExceededException ex) {
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
			}
		}
	}

	private void call(ChatModel model, int kind, int tokens) {
		switch (kind) {
			case 0 -> fail(model);
			case 1 -> leave(model);
			case 2, 3, 4 -> model.stream(prompt(tokens)).blockLast();
			default -> model.call(prompt(tokens));
		}
		if (kind > 1) {
			this.charged.addAndGet(tokens);
			this.sent.addAndGet(tokens);
		}
	}

	private void fail(ChatModel model) {
		try {
			model.call(prompt(0));
		}
		catch (UnsupportedOperationException ex) {
			this.failed.incrementAndGet();
		}
	}

	private void leave(ChatModel model) {
		model.stream(prompt(1)).blockFirst();
		this.left.incrementAndGet();
		this.charged.addAndGet(RESERVED);
		this.sent.addAndGet(1);
	}

	private static Prompt prompt(int tokens) {
		return new Prompt("Hello world",
				DefaultToolCallingChatOptions.builder().maxTokens(100).toolContext(Map.of("tokens", tokens)).build());
	}

	private static Flux<ChatResponse> answer(Prompt prompt) {
		int tokens = (int) ((ToolCallingChatOptions) prompt.getOptions()).getToolContext().get("tokens");
		if (tokens == 0) {
			return Flux.error(new UnsupportedOperationException());
		}
		return Flux.just(FakeModel.piece("Yes"), FakeModel.answer("", 0, tokens));
	}

	private static ChatModel model() {
		FakeModel fake = new FakeModel();
		fake.answersTo(SharedBudgetTests::answer);
		return fake;
	}

}
