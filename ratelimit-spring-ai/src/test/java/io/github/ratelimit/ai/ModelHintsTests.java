package io.github.ratelimit.ai;

import io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.core.DecoratingProxy;
import org.springframework.javapoet.ClassName;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application with models that is processed ahead of time.
 */
class ModelHintsTests {

	private static final RuntimeHints HINTS = new RuntimeHints();

	@BeforeAll
	static void build() {
		System.setProperty(AbstractAotProcessor.AOT_PROCESSING, "true");
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			TestPropertyValues
				.of("ratelimit.policies.tokens.limit=1000", "ratelimit.policies.tokens.window=1d",
						"ratelimit.ai.policy=tokens", "ratelimit.ai.key=#prompt.contents")
				.applyTo(context);
			context.register(Application.class, RateLimitAutoConfiguration.class, RateLimitAiAutoConfiguration.class);
			DefaultGenerationContext generation = new DefaultGenerationContext(
					new ClassNameGenerator(ClassName.get(ModelHintsTests.class)), new InMemoryGeneratedFiles(), HINTS);
			new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
		}
		finally {
			System.clearProperty(AbstractAotProcessor.AOT_PROCESSING);
		}
	}

	@Test
	void proxyOfAFinalModelIsThere() {
		assertThat(RuntimeHintsPredicates.proxies()
			.forInterfaces(ChatModel.class, SpringProxy.class, Advised.class, DecoratingProxy.class)).accepts(HINTS);
	}

	@Test
	void whatAKeyReadsOfThePromptIsThere() throws Exception {
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(ModelCall.METHOD)).accepts(HINTS);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Prompt.class, "getContents")).accepts(HINTS);
	}

	@Configuration(proxyBeanMethods = false)
	static class Application {

		@Bean
		FinalModel model() {
			return new FinalModel();
		}

	}

	static final class FinalModel implements ChatModel {

		@Override
		public ChatResponse call(Prompt prompt) {
			return FakeModel.answer("Yes", 10, 5);
		}

		@Override
		public Flux<ChatResponse> stream(Prompt prompt) {
			return Flux.just(call(prompt));
		}

	}

}
