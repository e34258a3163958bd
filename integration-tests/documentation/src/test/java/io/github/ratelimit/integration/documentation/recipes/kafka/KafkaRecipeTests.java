package io.github.ratelimit.integration.documentation.recipes.kafka;

import java.time.Duration;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.integration.documentation.recipes.Outcomes;
import io.github.ratelimit.integration.documentation.recipes.Recipe;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.test.EmbeddedKafkaBroker;
import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class KafkaRecipeTests {

	private static final String SERVERS = "spring.kafka.bootstrap-servers";

	private static final EmbeddedKafkaBroker BROKER = new EmbeddedKafkaKraftBroker(1, 1, "orders")
		.brokerProperty("group.initial.rebalance.delay.ms", "0");

	@BeforeAll
	static void startBroker() {
		BROKER.afterPropertiesSet();
		System.setProperty(SERVERS, BROKER.getBrokersAsString());
		System.setProperty("spring.kafka.consumer.auto-offset-reset", "earliest");
	}

	@AfterAll
	static void stopBroker() {
		System.clearProperty(SERVERS);
		System.clearProperty("spring.kafka.consumer.auto-offset-reset");
		BROKER.destroy();
	}

	@Test
	void recordsWaitAndNoneIsRejected() {
		try (Recipe recipe = Recipe.start("Kafka listener", OrderListener.class)) {
			KafkaTemplate<Object, Object> kafka = template(recipe);
			for (int i = 0; i < 5; i++) {
				kafka.send("orders", "order " + i);
			}
			OrderListener listener = recipe.bean(OrderListener.class);
			await().atMost(Duration.ofMinutes(1)).until(() -> listener.orders().size() == 5);
			assertThat(listener.orders()).containsExactly("order 0", "order 1", "order 2", "order 3", "order 4");
			assertThat(recipe.bean(Outcomes.class).count(RateLimitOutcome.DELAYED)).isEqualTo(4);
		}
	}

	@SuppressWarnings("unchecked")
	private static KafkaTemplate<Object, Object> template(Recipe recipe) {
		return recipe.bean(KafkaTemplate.class);
	}

}
