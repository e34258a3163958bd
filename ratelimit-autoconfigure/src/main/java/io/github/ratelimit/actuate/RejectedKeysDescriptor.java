package io.github.ratelimit.actuate;

import java.time.Instant;
import java.util.List;

import io.github.ratelimit.policy.RejectedKey;
import io.github.ratelimit.policy.StoreRateLimiter;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Description of the keys that a policy rejected most, most rejected first.
 *
 * @param instance the name of the instance that has rejected them
 * @param policy the policy's name
 * @param keys those since the start
 * @param hour those of the half hour that is under way and the one before
 */
record RejectedKeysDescriptor(String instance, String policy, List<RejectedKeyDescriptor> keys,
		List<RejectedKeyDescriptor> hour) implements OperationResponseBody {

	static RejectedKeysDescriptor of(String instance, StoreRateLimiter limiter, boolean showsKeys) {
		return new RejectedKeysDescriptor(instance, limiter.policy().name(),
				describe(limiter.rejectedMost(), showsKeys), describe(limiter.rejectedMostLately(), showsKeys));
	}

	private static List<RejectedKeyDescriptor> describe(List<RejectedKey> keys, boolean showsKeys) {
		return keys.stream().map((key) -> RejectedKeyDescriptor.of(key, showsKeys)).toList();
	}

	/**
	 * Description of a key that is rejected often.
	 *
	 * @param key the key, at most 128 characters of it, or {@code null} if it is not
	 * shown
	 * @param hash its hash, as the log has it
	 * @param rejected how often it was rejected, at most
	 * @param error how many of these may have been rejections of other keys
	 * @param first when it was rejected first
	 * @param last when it was rejected last
	 */
	record RejectedKeyDescriptor(@Nullable String key, String hash, long rejected, long error, Instant first,
			Instant last) {

		private static final int MAX_SHOWN_LENGTH = 128;

		private static RejectedKeyDescriptor of(RejectedKey rejected, boolean isShown) {
			String key = null;
			if (isShown) {
				key = rejected.key().substring(0, Math.min(MAX_SHOWN_LENGTH, rejected.key().length()));
			}
			return new RejectedKeyDescriptor(key, rejected.hash(), rejected.rejected(), rejected.error(),
					rejected.first(), rejected.last());
		}

	}

}
