package io.github.ratelimit.actuate;

import java.util.LinkedHashMap;
import java.util.Map;

import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.policy.OverrideChange;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;

import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes each change to an override as an audit event.
 *
 * @since 0.1.0
 */
public final class OverrideAudit {

	private static final String PUT = "RATE_LIMIT_OVERRIDDEN";

	private static final String REMOVED = "RATE_LIMIT_OVERRIDE_REMOVED";

	private static final String UNKNOWN = "unknown";

	private final ApplicationEventPublisher publisher;

	/**
	 * Creates the audit.
	 * @param registry the registry whose changes are published
	 * @param publisher where they are
	 */
	public OverrideAudit(RateLimiterRegistry registry, ApplicationEventPublisher publisher) {
		this.publisher = publisher;
		if (registry instanceof StoreRateLimiterRegistry store) {
			store.observeOverrides(this::publish);
		}
	}

	private void publish(OverrideChange change) {
		RateLimitOverrides.InForce inForce = change.inForce();
		Map<String, Object> data = new LinkedHashMap<>();
		data.put("policy", change.after().name());
		data.put("subject", change.subject());
		data.put("before", change.before().toString());
		data.put("after", change.after().toString());
		data.put("version", inForce.version());
		if (!change.removed() && inForce.until() != null) {
			data.put("until", inForce.until().toString());
		}
		if (!change.removed() && inForce.override().reason() != null) {
			data.put("reason", inForce.override().reason());
		}
		String who = change.who();
		this.publisher.publishEvent(
				new AuditApplicationEvent((who != null) ? who : UNKNOWN, change.removed() ? REMOVED : PUT, data));
	}

}
