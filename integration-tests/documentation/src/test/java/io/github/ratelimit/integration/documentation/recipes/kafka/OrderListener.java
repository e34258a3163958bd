package io.github.ratelimit.integration.documentation.recipes.kafka;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.annotation.RateLimited;

import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.stereotype.Component;

@Component
class OrderListener {

	private final List<String> orders = new CopyOnWriteArrayList<>();

	@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 50, window = "1s", burst = 10)
	@KafkaListener(topics = "orders", groupId = "shipping")
	void onOrder(String order) {
		this.orders.add(order);
	}

	List<String> orders() {
		return this.orders;
	}

}
