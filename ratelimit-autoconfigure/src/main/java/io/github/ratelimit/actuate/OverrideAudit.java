package io.github.ratelimit.actuate;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import io.github.ratelimit.RateLimitIntervention;
import io.github.ratelimit.RateLimitInterventions;
import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.policy.InterventionChange;
import io.github.ratelimit.policy.OverrideChange;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes each change to an override or an intervention as an audit event.
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
		registry.observeInterventions(this::publish);
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
		publish(change.who(), type, data);
	}

	private void publish(InterventionChange change) {
		RateLimitInterventions.InForce inForce = change.inForce();
		RateLimitIntervention intervention = inForce.intervention();
		Map<String, Object> data = new LinkedHashMap<>();
		Optional.ofNullable(intervention.target().policy()).ifPresent((policy) -> data.put("policy", policy));
		data.put("subject", change.subject());
		if (!change.ended()) {
			Optional.ofNullable(inForce.until()).ifPresent((until) -> data.put("until", until.toString()));
			Optional.ofNullable(intervention.reason()).ifPresent((reason) -> data.put("reason", reason));
		}
		publish(change.who(), type(intervention.target().kind(), change.ended()), data);
	}

	private static String type(RateLimitIntervention.Kind kind, boolean ended) {
		String type = switch (kind) {
			case DENY -> "RATE_LIMIT_DENIED";
			case EXEMPT -> "RATE_LIMIT_EXEMPTED";
			case BAN -> "RATE_LIMIT_BANNED";
		};
		return ended ? type + "_ENDED" : type;
	}

	private void publish(@Nullable String who, String type, Map<String, Object> data) {
		String principal = Objects.requireNonNullElse(who, "unknown");
		this.publisher.publishEvent(new AuditApplicationEvent(principal, type, data));
	}

}
