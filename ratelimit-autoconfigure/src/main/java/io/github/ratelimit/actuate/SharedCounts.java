package io.github.ratelimit.actuate;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.actuate.RateLimitsDescriptor.PublishedDescriptor;
import org.jspecify.annotations.Nullable;

/**
 * What the other instances have counted, as far as it is known.
 *
 * @param asOf when that was read, or {@code null} if it never could be
 * @param others the other instances
 */
record SharedCounts(@Nullable Instant asOf, List<Other> others) {

	/**
	 * Describes all instances, by name.
	 * @param own this one
	 */
	List<PublishedDescriptor> instances(RunningInstance own) {
		List<PublishedDescriptor> instances = new ArrayList<>();
		instances.add(new PublishedDescriptor(own.name(), own.startedAt(), own.moment()));
		this.others
			.forEach((other) -> instances.add(new PublishedDescriptor(other.name, other.startedAt, other.publishedAt)));
		instances.sort(Comparator.comparing(PublishedDescriptor::name));
		return instances;
	}

	/**
	 * Adds up what all instances have counted of a policy.
	 * @param policy the policy's name
	 * @param own what this one has
	 */
	PolicyCounts sum(String policy, PolicyCounts own) {
		PolicyCounts sum = own;
		for (Other other : this.others) {
			PolicyCounts counts = other.policies.get(policy);
			if (counts != null) {
				sum = sum.plus(counts);
			}
		}
		return sum;
	}

	/**
	 * Another instance. Its moments are by the clock of this one.
	 *
	 * @param name its name
	 * @param startedAt since when it counts
	 * @param publishedAt when it has reported last
	 * @param policies what it has counted, by policy
	 */
	record Other(String name, Instant startedAt, Instant publishedAt, Map<String, PolicyCounts> policies) {
	}

}
