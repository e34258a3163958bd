package io.github.ratelimit.actuate;

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
 * @param store the name of the store
 * @param health the state of a store that can be unavailable, or {@code null}
 * @param writable whether the endpoint's access permits changes
 * @param policies the policies, by name
 * @param findings what is configured and does nothing, or not what it seems
 * @param bans the newest bans by hand
 * @param exempt the newest exemptions, and those that are configured
 * @param deny the newest denials, and those that are configured
 */
record RateLimitsDescriptor(String store, @Nullable StoreHealthDescriptor health, boolean writable,
		Map<String, PolicyDescriptor> policies, List<FindingDescriptor> findings, List<InterventionDescriptor> bans,
		InterventionDescriptor.KindDescriptor exempt,
		InterventionDescriptor.KindDescriptor deny) implements OperationResponseBody {

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
	 * @param outages how often it became unavailable since the start
	 * @param failure why it is unavailable, or {@code null}
	 */
	record StoreHealthDescriptor(boolean available, long outages, @Nullable String failure) {

		static StoreHealthDescriptor of(RateLimitStoreAvailability availability) {
			availability.check();
			return new StoreHealthDescriptor(availability.isAvailable(), availability.outages(),
					availability.failure());
		}

	}

}
