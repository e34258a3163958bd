package io.github.ratelimit.policy;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

import io.github.ratelimit.RateLimitIntervention;
import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.RateLimitIntervention.Target;
import io.github.ratelimit.RateLimitInterventions.InForce;
import io.github.ratelimit.store.SharedOverrides;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads an intervention as instances share it, beside overrides: in one line
 * of fields in a fixed order.
 */
final class InterventionText {

	/* What no name of an override begins with, because a policy's name is encoded. */
	private static final String MARK = "! ";

	private InterventionText() {
	}

	/**
	 * Whether a name is that of an intervention.
	 */
	static boolean isName(String name) {
		return name.startsWith(MARK);
	}

	static String name(Target target) {
		return MARK + OverrideText.line(target.kind(), target.policy(), target.key(), target.address());
	}

	static String write(RateLimitIntervention intervention, Instant since) {
		return OverrideText.line(since, intervention.duration(), intervention.reason(), intervention.who());
	}

	/**
	 * Reads what an instance has written.
	 * @throws RuntimeException if it is no such text
	 */
	static InForce read(String name, SharedOverrides.Entry written) {
		@Nullable String[] names = OverrideText.fields(name.substring(MARK.length()), 4);
		@Nullable String[] fields = OverrideText.fields(written.text(), 4);
		Kind kind = Kind.valueOf(Objects.requireNonNull(names[0]));
		Target target = new Target(kind, names[1], names[2], names[3]);
		Duration duration = OverrideText.value(fields[1], Duration::parse);
		RateLimitIntervention intervention = new RateLimitIntervention(target, duration, fields[2], fields[3]);
		return new InForce(intervention, Instant.parse(fields[0]), OverrideText.end(written), false);
	}

}
