package io.github.ratelimit.integration.messaging;

import io.github.ratelimit.annotation.RateLimited;

import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.kafka.annotation.KafkaListener;

/**
 * Listeners of each kind. Each may run twice.
 */
class Listeners {

	private final Calls calls;

	Listeners(Calls calls) {
		this.calls = calls;
	}

	@RateLimited(name = "kafka", limit = 2, window = "1d")
	@KafkaListener(topics = "${test.queue}")
	void onRecord(String record) {
		this.calls.add("kafka");
	}

	@RateLimited(name = "amqp", limit = 2, window = "1d")
	@RabbitListener(queues = "${test.queue}")
	void onAmqp(String message) {
		this.calls.add("amqp");
	}

	@RateLimited(name = "jms", limit = 2, window = "1d")
	@JmsListener(destination = "${test.queue}")
	void onJms(String message) {
		this.calls.add("jms");
	}

}
