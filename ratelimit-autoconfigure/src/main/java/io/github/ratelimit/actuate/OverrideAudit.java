package io.github.ratelimit.actuate;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.policy.OverrideChange;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;

import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes each change to an override as an audit event.
 */
final class OverrideAudit {

	private final ApplicationEventPublisher publisher;

	/**
	 * Creates the audit.
	 * @param registry the registry whose changes are published
	 * @param publisher publishes them
	 */
	OverrideAudit(StoreRateLimiterRegistry registry, ApplicationEventPublisher publisher) {
		this.publisher = publisher;
		registry.observeOverrides(this::publish);
	}

	private void publish(OverrideChange change) {
		RateLimitOverrides.InForce inForce = change.inForce();
		Map<String, Object> data = new LinkedHashMap<>();
		data.put("policy", change.after().name());
		data.put("subject", change.subject());
		data.put("before", change.before().toString());
		data.put("after", change.after().toString());
		data.put("version", inForce.version());

		String type = "RATE_LIMIT_OVERRIDE_REMOVED";
		if (!change.removed()) {
			type = "RATE_LIMIT_OVERRIDDEN";
			Optional.ofNullable(inForce.until()).ifPresent((until) -> data.put("until", until.toString()));
			Optional.ofNullable(inForce.override().reason()).ifPresent((reason) -> data.put("reason", reason));
		}
		String who = Objects.requireNonNullElse(change.who(), "unknown");
		this.publisher.publishEvent(new AuditApplicationEvent(who, type, data));
	}

}
