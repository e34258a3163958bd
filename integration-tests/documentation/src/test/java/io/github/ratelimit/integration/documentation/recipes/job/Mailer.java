package io.github.ratelimit.integration.documentation.recipes.job;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.annotation.RateLimited;

import org.springframework.stereotype.Service;

@Service
class Mailer {

	private final List<String> sent = new CopyOnWriteArrayList<>();

	@RateLimited(algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 10, window = "1s", burst = 1)
	void send(String mail) {
		this.sent.add(mail);
	}

	List<String> sent() {
		return this.sent;
	}

}
