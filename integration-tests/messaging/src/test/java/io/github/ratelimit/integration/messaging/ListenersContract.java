package io.github.ratelimit.integration.messaging;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import org.springframework.amqp.rabbit.test.TestRabbitTemplate;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.TestPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The contract of listeners, however they are enabled.
 */
@TestPropertySource(properties = { "spring.kafka.consumer.auto-offset-reset=earliest",
		"spring.kafka.consumer.group-id=${test.queue}", "spring.rabbitmq.listener.simple.auto-startup=false",
		"spring.rabbitmq.dynamic=false", "spring.main.banner-mode=off" })
abstract class ListenersContract {

	@Autowired
	Calls calls;

	@Value("${test.queue}")
	String queue;

	@DynamicPropertySource
	static void brokers(DynamicPropertyRegistry registry) {
		registry.add("spring.kafka.bootstrap-servers", () -> Brokers.KAFKA);
	}

	@Test
	void limitsKafkaListener(@Autowired KafkaTemplate<String, String> kafka) {
		for (int i = 0; i < 3; i++) {
			kafka.send(this.queue, "record " + i);
		}
		assertThirdIsRejected("kafka");
	}

	@Test
	void limitsJmsListener(@Autowired JmsTemplate jms) {
		for (int i = 0; i < 3; i++) {
			jms.convertAndSend(this.queue, "message " + i);
		}
		assertThirdIsRejected("jms");
	}

	@Test
	void limitsRabbitListener(@Autowired TestRabbitTemplate rabbit) {
		for (int i = 0; i < 3; i++) {
			send(rabbit, "message " + i);
		}
		assertThirdIsRejected("amqp");
	}

	/*
	 * Throws what the listener throws, which the container would handle.
	 */
	private void send(TestRabbitTemplate rabbit, String message) {
		try {
			rabbit.convertAndSend(this.queue, message);
		}
		catch (RuntimeException ex) {
			assertThat(ex).hasStackTraceContaining("RateLimitExceededException");
		}
	}

	void assertThirdIsRejected(String name) {
		await().atMost(Duration.ofMinutes(1)).until(() -> this.calls.made(name) + this.calls.rejected(name) >= 3);
		assertThat(this.calls.made(name)).isEqualTo(2);
	}

}
