package io.github.ratelimit.ai;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration;
import io.github.ratelimit.autoconfigure.RateLimitMethodAutoConfiguration;
import io.github.ratelimit.test.ManualClock;

import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.model.chat.client.autoconfigure.ChatClientAutoConfiguration;
import org.springframework.ai.model.tool.autoconfigure.ToolCallingAutoConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application with a model whose budget is {@code tokens}, a thousand a day, unless
 * the properties say otherwise.
 *
 * @param context the application
 * @param fake the model behind the limits
 */
record Budgets(ApplicationContext context, FakeModel fake) {

	private static final Class<?>[] CONFIGURATIONS = { RateLimitAutoConfiguration.class,
			RateLimitMethodAutoConfiguration.class, RateLimitAiAutoConfiguration.class,
			ToolCallingAutoConfiguration.class, ChatClientAutoConfiguration.class };

	private static final String[] PROPERTIES = { "ratelimit.policies.tokens.key='all'",
			"ratelimit.policies.tokens.limit=1000", "ratelimit.policies.tokens.window=1d" };

	static ApplicationContextRunner runner(String... properties) {
		boolean limited = Stream.of(properties).noneMatch((each) -> each.startsWith("ratelimit.ai.polic"));
		return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(CONFIGURATIONS))
			.withPropertyValues(PROPERTIES)
			.withPropertyValues(limited ? "ratelimit.ai.policy=tokens" : "unlimited=true")
			.withPropertyValues(properties)
			.withBean("clock", ManualClock.class, ManualClock::atMidnight);
	}

	/**
	 * Starts an application that the tests of a class share.
	 */
	static ConfigurableApplicationContext start(String[] properties, Class<?>... further) {
		List<Class<?>> sources = new ArrayList<>(List.of(CONFIGURATIONS));
		sources.addAll(List.of(further));
		return new SpringApplicationBuilder(sources.toArray(Class[]::new)).web(WebApplicationType.NONE)
			.properties(properties)
			.properties(PROPERTIES)
			.properties("ratelimit.ai.policy=tokens", "spring.main.banner-mode=off")
			.initializers((context) -> ((GenericApplicationContext) context).registerBean("clock", ManualClock.class,
					ManualClock::atMidnight))
			.run();
	}

	static void with(Consumer<Budgets> test, String... properties) {
		FakeModel fake = new FakeModel();
		runner(properties).withBean("model", ChatModel.class, () -> fake).run((context) -> {
			assertThat(context).hasNotFailed();
			test.accept(new Budgets(context, fake));
		});
	}

	ChatModel model() {
		return this.context.getBean(ChatModel.class);
	}

	ChatClient client() {
		return this.context.getBean(ChatClient.Builder.class).build();
	}

	ManualClock clock() {
		return this.context.getBean(ManualClock.class);
	}

	/**
	 * What has been used of a policy's thousand, as long as that is no debt.
	 */
	long used(String policy, String key) {
		return 1000 - registry().peek(policy, key).remaining();
	}

	long used() {
		return used("tokens", "all");
	}

	void forget() {
		registry().policy("tokens").reset("all");
	}

	private RateLimiterRegistry registry() {
		return this.context.getBean(RateLimiterRegistry.class);
	}

}
