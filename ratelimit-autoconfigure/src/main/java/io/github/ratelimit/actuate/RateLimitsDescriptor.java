package io.github.ratelimit.actuate;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFinding;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Description of all policies.
 *
 * @param instance the instance that answers
 * @param instances all instances of the application that share the store, by name, or
 * {@code null} if it is not shared
 * @param instancesAsOf when it was read what the others have counted, or {@code null} if
 * it never was
 * @param store the name of the store
 * @param health the state of a store that can be unavailable, or {@code null}
 * @param writable whether the endpoint's access permits changes
 * @param policies the policies, by name
 * @param findings what is configured and does nothing, or not what it seems
 * @param bans the newest bans by hand
 * @param exempt the newest exemptions, and those that are configured
 * @param deny the newest denials, and those that are configured
 */
record RateLimitsDescriptor(InstanceDescriptor instance, @Nullable List<PublishedDescriptor> instances,
		@Nullable Instant instancesAsOf, String store, @Nullable StoreHealthDescriptor health, boolean writable,
		Map<String, PolicyDescriptor> policies, List<FindingDescriptor> findings, List<InterventionDescriptor> bans,
		InterventionDescriptor.KindDescriptor exempt,
		InterventionDescriptor.KindDescriptor deny) implements OperationResponseBody {

	/**
	 * Description of the instance that answers.
	 *
	 * @param name its name
	 * @param startedAt since when it counts
	 * @param now its time
	 */
	record InstanceDescriptor(String name, Instant startedAt, Instant now) {

		static InstanceDescriptor of(RunningInstance instance) {
			return new InstanceDescriptor(instance.name(), instance.startedAt(), instance.moment());
		}

	}

	/**
	 * Description of an instance of the application. Moments are by the clock of the one
	 * that answers.
	 *
	 * @param name its name
	 * @param startedAt since when it counts
	 * @param publishedAt when it has told what it has counted
	 */
	record PublishedDescriptor(String name, Instant startedAt, Instant publishedAt) {
	}

	/**
	 * Description of a finding.
	 *
	 * @param code the code, such as {@code RL001}
	 * @param level {@code warning} or {@code info}
	 * @param policy the name of the policy that it concerns, or {@code null}
	 * @param message what was found
	 * @param action what to do
	 * @param link where the documentation has more
	 */
	record FindingDescriptor(String code, String level, @Nullable String policy, String message, String action,
			String link) {

		static FindingDescriptor of(RateLimitFinding finding) {
			FindingCode code = finding.code();
			String level = code.isWarning() ? "warning" : "info";
			return new FindingDescriptor(code.id(), level, finding.policy(), finding.message(), code.action(),
					code.link());
		}

	}

	/**
	 * Description of a store that can be unavailable.
	 *
	 * @param available whether the store decides
	 * @param decides what decides at present, in a word, or {@code null} if it is not
	 * known
	 * @param outages how often it became unavailable since the start
	 * @param failure why it is unavailable, or {@code null}
	 */
	record StoreHealthDescriptor(boolean available, @Nullable String decides, long outages, @Nullable String failure) {

		static StoreHealthDescriptor of(RateLimitStoreAvailability availability) {
			availability.check();
			return new StoreHealthDescriptor(availability.isAvailable(), availability.decides(), availability.outages(),
					availability.failure());
		}

	}

}
