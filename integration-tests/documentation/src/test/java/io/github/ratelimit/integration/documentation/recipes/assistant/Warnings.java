package io.github.ratelimit.integration.documentation.recipes.assistant;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.github.ratelimit.RateLimitThresholdEvent;

import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

@Component
class Warnings {

	final Queue<String> warnings = new ConcurrentLinkedQueue<>();

	@EventListener
	void warn(RateLimitThresholdEvent event) {
		// sends a mail
		this.warnings.add(event.key() + " has used " + event.share() + "%");
	}

}
