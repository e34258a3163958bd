package io.github.ratelimit.actuate;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitIntervention;
import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.RateLimitInterventions;
import io.github.ratelimit.RateLimitInterventions.InForce;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Description of a ban, an exemption or a denial that is in force. Fields that do not
 * apply are {@code null}.
 *
 * @param policy the policy's name, or {@code null} of an address
 * @param key the key as requests have it, or {@code null} of an address
 * @param address the address or the range of addresses, or {@code null} of a key
 * @param reason why
 * @param by who asked for it
 * @param since since when it is in force
 * @param until when it ends, or {@code null} if it has no end
 * @param configured {@code true} if the configuration says so, and {@code null} if an
 * operator does
 * @param scope where it is in force: on all instances, on those that are configured so,
 * or on this one until it stops
 * @param hits whose requests it is about, as a warning to whoever puts it in force that
 * its key stands for several clients
 */
record InterventionDescriptor(@Nullable String policy, @Nullable String key, @Nullable String address,
		@Nullable String reason, @Nullable String by, Instant since, @Nullable Instant until,
		@Nullable Boolean configured, String scope, @Nullable String hits) implements OperationResponseBody {

	static InterventionDescriptor of(InForce inForce, boolean shared, @Nullable String hits) {
		RateLimitIntervention intervention = inForce.intervention();
		RateLimitIntervention.Target target = intervention.target();
		Boolean configured = inForce.configured() ? Boolean.TRUE : null;
		return new InterventionDescriptor(target.policy(), target.key(), target.address(), intervention.reason(),
				intervention.who(), inForce.since(), inForce.until(), configured, scope(inForce, shared), hits);
	}

	private static String scope(InForce inForce, boolean shared) {
		if (inForce.configured()) {
			return "instances that are configured so";
		}
		return shared ? "all instances" : "this instance, until it stops";
	}

	/**
	 * Describes interventions of one kind, the newest first.
	 */
	static Stream<InterventionDescriptor> all(RateLimitInterventions interventions, Kind kind, boolean shared) {
		return interventions.inForce()
			.stream()
			.filter((inForce) -> inForce.intervention().target().kind() == kind)
			.sorted(Comparator.comparing(InForce::since).reversed())
			.map((inForce) -> of(inForce, shared, null));
	}

	/**
	 * Description of the keys of a policy that are banned by hand.
	 *
	 * @param policy the policy's name
	 * @param bans the bans, the newest first
	 */
	record BansDescriptor(String policy, List<InterventionDescriptor> bans) implements OperationResponseBody {
	}

	/**
	 * Description of all exemptions, or of all denials.
	 *
	 * @param addresses those of addresses, the newest first
	 * @param keys those of keys, the newest first
	 * @param requests how many requests were decided so since the start, by this instance
	 */
	record KindDescriptor(List<InterventionDescriptor> addresses, List<InterventionDescriptor> keys,
			long requests) implements OperationResponseBody {

		static KindDescriptor of(RateLimitInterventions interventions, Kind kind, boolean shared, long most) {
			List<InterventionDescriptor> all = all(interventions, kind, shared).toList();
			return new KindDescriptor(newest(all, InterventionDescriptor::address, most),
					newest(all, InterventionDescriptor::key, most), interventions.requests(kind));
		}

		private static List<InterventionDescriptor> newest(List<InterventionDescriptor> all,
				Function<InterventionDescriptor, @Nullable String> target, long most) {
			return all.stream().filter((each) -> target.apply(each) != null).limit(most).toList();
		}

	}

}
