package io.github.ratelimit.ai;

import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.autoconfigure.RateLimitAiProperties;
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.request.CurrentRequest;
import io.github.ratelimit.request.CurrentRequests;
import io.github.ratelimit.request.WaitingRoom;

import org.springframework.ai.chat.client.ChatClientBuilderCustomizer;
import org.springframework.ai.chat.metadata.DefaultUsage;
import org.springframework.ai.chat.metadata.Usage;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.tokenizer.JTokkitTokenCountEstimator;
import org.springframework.ai.tokenizer.TokenCountEstimator;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.annotation.RegisterReflection;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;

/**
 * Auto-configuration for the chat models of Spring AI: policies of {@code ratelimit.ai}
 * limit each of them that is a bean.
 *
 * @since 0.1.0
 */
@AutoConfiguration(afterName = "io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration")
@ConditionalOnProperty(name = "ratelimit.enabled", matchIfMissing = true)
@RegisterReflection(classes = { ModelCall.class, Prompt.class, Usage.class, DefaultUsage.class },
		memberCategories = MemberCategory.INVOKE_PUBLIC_METHODS)
public final class RateLimitAiAutoConfiguration {

	@Bean
	static LimitedModels rateLimitedModels(ObjectProvider<ModelCalls> calls) {
		return new LimitedModels(SingletonSupplier.of(calls::getObject));
	}

	@Bean
	ModelPolicies rateLimitModelPolicies(RateLimiterRegistry registry, PolicyBinder binder, Environment environment) {
		return new ModelPolicies(registry, binder, properties(environment));
	}

	@Bean
	@Lazy
	ModelCalls rateLimitModelCalls(ModelPolicies policies, Environment environment,
			ObjectProvider<TokenCountEstimator> estimator, ObjectProvider<CurrentRequest> current, WaitingRoom room) {
		TokenEstimates estimates = new TokenEstimates(estimator.getIfUnique(JTokkitTokenCountEstimator::new),
				properties(environment).maxTokens());
		return new ModelCalls(policies, estimates, new CurrentRequests(current.orderedStream().toList(), room));
	}

	private static RateLimitAiProperties properties(Environment environment) {
		return Binder.get(environment).bindOrCreate("ratelimit.ai", RateLimitAiProperties.class);
	}

	/**
	 * Configuration of the clients that Spring Boot builds.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(ChatClientBuilderCustomizer.class)
	static class ClientConfiguration {

		@Bean
		ChatClientBuilderCustomizer rateLimitChatClientBuilderCustomizer() {
			return (builder) -> builder.defaultAdvisors(new RateLimitAdvisor());
		}

	}

}
