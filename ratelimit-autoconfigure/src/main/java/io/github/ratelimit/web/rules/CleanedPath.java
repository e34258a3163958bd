package io.github.ratelimit.web.rules;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * Cleans a path as handlers of resources do between matching it and looking for a file,
 * each in its own order: without matrix parameters, decoded, with single slashes and
 * without dot segments. What a path costs grows with its length, however it is nested.
 */
final class CleanedPath {

	/* The handler decodes a path once, and once more the URL of what it has found. */
	private static final int DECODINGS = 2;

	private static final Pattern PARAMETERS = Pattern.compile(";[^/]*");

	private static final Pattern SLASHES = Pattern.compile("[/\\\\]");

	/* Resource handlers skip these before the first name. */
	private static final Pattern LEADING = Pattern.compile("^[\\x00-\\x20\\x7F/\\\\]+");

	private CleanedPath() {
	}

	/**
	 * Adds what a path as it was sent may come to. Not every handler removes matrix
	 * parameters; for others they are part of a name.
	 * @param sent the path
	 * @param readings where to add the cleaned paths in order, the cleanest last
	 */
	static void addSent(String sent, Set<String> readings) {
		if (sent.indexOf(';') >= 0) {
			addDecoded(sent, readings);
		}
		addDecoded(PARAMETERS.matcher(sent).replaceAll(""), readings);
	}

	/**
	 * Adds what a path that has been decoded may come to.
	 * @param decoded the path
	 * @param readings where to add the cleaned paths in order, the cleanest last
	 */
	static void addDecoded(String decoded, Set<String> readings) {
		String uncleaned = decoded;
		String cleaned = clean(decoded);
		addCleaned(decoded, readings);

		for (int i = 0; i < DECODINGS; i++) {
			uncleaned = decode(uncleaned);
			if (uncleaned != null) {
				addCleaned(uncleaned, readings);
			}
			cleaned = decode(cleaned);
			if (cleaned != null) {
				cleaned = clean(cleaned);
				add(cleaned, readings);
			}
		}
	}

	/*
	 * When a resource is looked for, dots go back to before the last slash, even if there
	 * is another one before it.
	 */
	private static void addCleaned(String path, Set<String> readings) {
		if (path.contains("..")) {
			add(clean(StringUtils.cleanPath(path)), readings);
		}
		add(clean(path), readings);
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

	private static String clean(String path) {
		List<String> segments = new ArrayList<>();
		for (String segment : SLASHES.split(LEADING.matcher(path).replaceFirst(""))) {
			if (segment.isEmpty() || segment.equals(".")) {
				continue;
			}
			if (!segment.equals("..")) {
				segments.add(segment);
			}
			else if (!segments.isEmpty()) {
				segments.remove(segments.size() - 1);
			}
		}

		String cleaned = '/' + String.join("/", segments);
		boolean below = path.endsWith("/") || path.endsWith("\\");
		if (below && !segments.isEmpty()) {
			return cleaned + '/';
		}
		return cleaned;
	}

}
