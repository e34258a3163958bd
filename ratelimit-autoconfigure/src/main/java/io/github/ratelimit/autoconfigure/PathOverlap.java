package io.github.ratelimit.autoconfigure;

import java.util.ArrayList;
import java.util.List;

/**
 * Whether two patterns could match the same path. Says yes where it cannot tell.
 */
final class PathOverlap {

	private PathOverlap() {
	}

	static boolean exists(String one, String other) {
		return exists(segments(one), segments(other));
	}

	private static boolean exists(List<String> one, List<String> other) {
		if (one.isEmpty() || other.isEmpty()) {
			return areAny(one) && areAny(other);
		}
		if (isAny(one.get(0))) {
			return exists(rest(one), other) || exists(one, rest(other));
		}
		if (isAny(other.get(0))) {
			return exists(one, rest(other)) || exists(rest(one), other);
		}
		return mayBeEqual(one.get(0), other.get(0)) && exists(rest(one), rest(other));
	}

	private static boolean areAny(List<String> segments) {
		for (String segment : segments) {
			if (!isAny(segment)) {
				return false;
			}
		}
		return true;
	}

	private static List<String> rest(List<String> segments) {
		return segments.subList(1, segments.size());
	}

	private static boolean isAny(String segment) {
		return segment.equals("**") || segment.startsWith("{*");
	}

	private static boolean mayBeEqual(String one, String other) {
		return isWild(one) || isWild(other) || one.equalsIgnoreCase(other);
	}

	private static boolean isWild(String segment) {
		return segment.indexOf('*') >= 0 || segment.indexOf('?') >= 0 || segment.indexOf('{') >= 0;
	}

	/*
	 * The regular expression of a variable may have slashes.
	 */
	private static List<String> segments(String pattern) {
		List<String> segments = new ArrayList<>();
		StringBuilder segment = new StringBuilder();
		int depth = 0;
		for (char c : (pattern + "/").toCharArray()) {
			depth += (c == '{') ? 1 : (c == '}') ? -1 : 0;
			if (c != '/' || depth > 0) {
				segment.append(c);
			}
			else if (!segment.isEmpty()) {
				segments.add(segment.toString());
				segment.setLength(0);
			}
		}
		return segments;
	}

}
