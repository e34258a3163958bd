package io.github.ratelimit.web.servlet;

import java.nio.charset.StandardCharsets;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * Cleans a path as handlers of resources do between matching it and looking for a file,
 * each in its own order: without matrix parameters, decoded, with single slashes and
 * without dot segments. What a path costs grows with its length, however it is nested.
 */
final class CleanedPath {

	/** One for the handler, and one for the URL of what it found. */
	private static final int DECODINGS = 2;

	private CleanedPath() {
	}

	/**
	 * Adds what a path as it was sent may come to. Not every handler removes matrix
	 * parameters, to whom they are names.
	 * @param sent the path
	 * @param readings where to add the cleaned paths in order, the cleanest last
	 */
	static void addSent(String sent, Set<String> readings) {
		if (sent.indexOf(';') >= 0) {
			addDecoded(sent, readings);
		}
		addDecoded(withoutParameters(sent), readings);
	}

	/**
	 * Adds what a path that has been decoded may come to.
	 * @param decoded the path
	 * @param readings where to add the cleaned paths in order, the cleanest last
	 */
	static void addDecoded(String decoded, Set<String> readings) {
		String uncleaned = decoded;
		String cleaned = clean(decoded);
		add(cleaned, readings);
		for (int i = 0; i < DECODINGS; i++) {
			uncleaned = decode(uncleaned);
			if (uncleaned != null) {
				add(clean(uncleaned), readings);
			}
			cleaned = decode(cleaned);
			if (cleaned != null) {
				cleaned = clean(cleaned);
				add(cleaned, readings);
			}
		}
	}

	/*
	 * A file is found by a name with a slash behind it, too.
	 */
	private static void add(String path, Set<String> readings) {
		readings.remove(path);
		readings.add(path);
		if (path.length() > 1 && path.endsWith("/")) {
			add(path.substring(0, path.length() - 1), readings);
		}
	}

	/**
	 * Decodes a path once.
	 * @return the path, or {@code null} if nothing in it is encoded, or not rightly
	 */
	private static @Nullable String decode(@Nullable String path) {
		if (path == null || path.indexOf('%') < 0) {
			return null;
		}
		try {
			return StringUtils.uriDecode(path, StandardCharsets.UTF_8);
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	private static String withoutParameters(String path) {
		int semicolon = path.indexOf(';');
		if (semicolon < 0) {
			return path;
		}
		StringBuilder rest = new StringBuilder(path.length());
		int begin = 0;
		while (semicolon >= 0) {
			rest.append(path, begin, semicolon);
			int slash = path.indexOf('/', semicolon);
			begin = (slash >= 0) ? slash : path.length();
			semicolon = path.indexOf(';', begin);
		}
		return rest.append(path, begin, path.length()).toString();
	}

	private static String clean(String path) {
		StringBuilder cleaned = new StringBuilder(path.length() + 1);
		int begin = 0;
		while (begin < path.length() && isBlank(path.charAt(begin))) {
			begin++;
		}
		while (begin < path.length()) {
			int end = begin;
			while (end < path.length() && !isSlash(path.charAt(end))) {
				end++;
			}
			append(path, begin, end, cleaned);
			begin = end + 1;
		}
		boolean below = !path.isEmpty() && isSlash(path.charAt(path.length() - 1));
		return (below || cleaned.isEmpty()) ? cleaned.append('/').toString() : cleaned.toString();
	}

	private static void append(String path, int begin, int end, StringBuilder cleaned) {
		int length = end - begin;
		if (length == 0 || length == 1 && path.charAt(begin) == '.') {
			return;
		}
		if (length == 2 && path.charAt(begin) == '.' && path.charAt(begin + 1) == '.') {
			cleaned.setLength(Math.max(cleaned.lastIndexOf("/"), 0));
			return;
		}
		cleaned.append('/').append(path, begin, end);
	}

	/* Resource handlers skip these before the first name. */
	private static boolean isBlank(char c) {
		return c <= ' ' || c == 0x7F || isSlash(c);
	}

	private static boolean isSlash(char c) {
		return c == '/' || c == '\\';
	}

}
