package io.github.ratelimit.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

import io.github.ratelimit.findings.FindingCode;

/**
 * Judges what a server says of itself: what about it would make limits fail or forgive.
 */
final class ServerFindings {

	private static final int LEAST_MAJOR = 6;

	private static final int LEAST_MINOR = 2;

	private ServerFindings() {
	}

	/**
	 * Judges one server.
	 * @param server how to call it, such as Redis
	 * @param info what it answered to {@code INFO}
	 */
	static List<Finding> of(String server, Properties info) {
		List<Finding> findings = new ArrayList<>();
		String version = info.getProperty("redis_version", "");
		if (isOld(version)) {
			findings.add(new Finding(FindingCode.OLD_REDIS, server + " is of version " + version
					+ ", and limits are tested with 6.2 and later; one before 6.0 fails all scripts, so that each policy's "
					+ "on-failure decides. Use a newer server"));
		}
		String policy = info.getProperty("maxmemory_policy", "noeviction");
		if (!info.getProperty("maxmemory", "0").equals("0") && !policy.equals("noeviction")) {
			findings.add(evicting(server, policy));
		}
		return findings;
	}

	private static boolean isOld(String version) {
		if (!version.matches("\\d{1,6}\\.\\d{1,6}(\\..*)?")) {
			return false;
		}
		String[] numbers = version.split("\\.");
		int major = Integer.parseInt(numbers[0]);
		return major < LEAST_MAJOR || major == LEAST_MAJOR && Integer.parseInt(numbers[1]) < LEAST_MINOR;
	}

	/*
	 * All keys expire, so that each of these policies concerns them. One evicts first
	 * what matters least.
	 */
	private static Finding evicting(String server, String policy) {
		if (policy.equals("volatile-ttl")) {
			return new Finding(FindingCode.REDIS_EVICTS_SHORTEST,
					server + " has the maxmemory-policy volatile-ttl: when its memory is full, it forgets "
							+ "the keys that expire first, and their callers have their whole budget again. Watch its "
							+ "evicted_keys");
		}
		return new Finding(FindingCode.REDIS_EVICTS, server + " has the maxmemory-policy " + policy
				+ ": when its memory is full, it forgets keys that still count, and their callers have their whole budget "
				+ "again. Set maxmemory-policy to noeviction, or to volatile-ttl, which forgets those that expire first, "
				+ "or give limits a server of their own");
	}

	/**
	 * Something about a server that an operator should know.
	 *
	 * @param code what it is
	 * @param text what it is, and what to do
	 */
	record Finding(FindingCode code, String text) {
	}

}
