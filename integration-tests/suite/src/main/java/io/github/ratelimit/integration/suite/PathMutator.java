package io.github.ratelimit.integration.suite;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;

/**
 * Spells a path in other ways: some that a server takes for the same, and many that none
 * should.
 */
final class PathMutator {

	private static final List<String> SLASHES = List.of("//", "///", "/./", "/././", "/%2e/", "/%2E/", "/.;a/", "/.;/",
			"/%2e;a=b/", "/;/", "/;x/", "/;a=b/", "/;a=b;c=d,e/", "/x/../", "/x/%2e%2e/", "/x/.%2E/", "/x/..;/",
			"/x/..;a/", "/x;a/../", "/x//../", "\\", "%5c", "%5C", "/\\", "\\/", "%2f", "%2F", "/%2f", "%2f/", "%252f",
			"%255c", "/%252e/", "/x/%252e%252e/", "/x%2f../", "/x%5c../", "/%20/", "/%09/", "/%00/", "/%7f/", "/%25/",
			"/..%2fx/", "%c0%af", "%e0%80%af", "%ef%bc%8f", "/%c0%ae/", "/\u0001/", "/?/", "/#/", "/:/", "/file:/",
			";/", ";a=b/", ";a=%2f/", ";%2f/", ";a/../", "%3b/", "%3Ba=b/", "%253b/", "%00/", "%20/", "./", "%2e/");

	private static final List<String> ENDS = List.of("/", "//", "/.", "/./", "/..", "/x/..", "/x/../", "/%2e",
			"/%2E%2e", "/x/%2e%2e", "/x%2f..", "/.;", "/.;a", "/..;", "/x/..;a", ";", ";a=b", ";jsessionid=1", ";a=b/",
			"/;", "/;a", "%3b", "%3ba=b", ";a=%", "%2f", "%5c", "%5C.", "\\", "\\.", "%20", "%20/", "%09", "%0a",
			"%0d%0a", "%00", "%00.html", "%7f", ".", "..", "%2e", "?", "?a=b", "?/../x", "%3f", "%3Fa=b", "#", "#x",
			"%23", "%23x", "%25", "%", "%zz", "%u002e", "~", "::$DATA", ".gz", ".json", "*", "+");

	private static final List<String> STARTS = List.of("/", "//", "/.", "/./", "/%2e/", "/%2e", "/;", "/;a", "/;a=b/",
			"/x/..", "/x/../", "/x/..;", "/x/%2e%2e", "/..", "/../", "/%2e%2e", "\\", "/\\", "%5c", "/%5c", "%2f",
			"/%2f", "/%20", "/%20/", "/%09", "/%00", "/%01/", "/%7f", "/%25", "/%252e", "/%252f", "/%c0%af",
			"http://localhost", "http://localhost/", "http://other.example", "HTTP://localhost", "https://localhost",
			"http:", "file:", "/file:", "/jar:", "/url:", "/~", "*", "?", "/%ef%bb%bf", "/%e2%80%8b");

	private static final String HEX = "0123456789abcdef0123456789ABCDEF";

	private final Random random;

	PathMutator(Random random) {
		this.random = random;
	}

	String mutate(String path) {
		String mutated = encode(path);
		int times = 1 + (this.random.nextInt(3) * this.random.nextInt(3)) / 2;
		for (int i = 0; i < times; i++) {
			mutated = mutateOnce(mutated);
		}
		return mutated;
	}

	/* What a request line cannot have in it. */
	private static String encode(String path) {
		return path.replace(" ", "%20");
	}

	private String mutateOnce(String path) {
		return switch (this.random.nextInt(14)) {
			case 0, 1, 2 -> replaceSlash(path, any(SLASHES));
			case 3 -> any(STARTS) + path;
			case 4, 5 -> path + any(ENDS);
			case 6, 7 -> encodeSome(path, 1);
			case 8 -> encodeSome(path, 2 + this.random.nextInt(2));
			case 9 -> insert(path, any(SLASHES));
			case 10 -> insert(path, any(ENDS));
			case 11 -> otherCase(path);
			case 12 -> insert(path, escape((char) this.random.nextInt(256), 1 + this.random.nextInt(2)));
			default -> another(path);
		};
	}

	private String replaceSlash(String path, String slash) {
		int start = (path.isEmpty()) ? -1 : path.indexOf('/', this.random.nextInt(path.length()));
		return (start < 0) ? slash + path : path.substring(0, start) + slash + path.substring(start + 1);
	}

	private String insert(String path, String text) {
		int at = this.random.nextInt(path.length() + 1);
		return path.substring(0, at) + text + path.substring(at);
	}

	private String encodeSome(String path, int times) {
		if (path.isEmpty()) {
			return path;
		}
		boolean all = this.random.nextInt(4) == 0;
		int one = this.random.nextInt(path.length());
		StringBuilder encoded = new StringBuilder();
		for (int i = 0; i < path.length(); i++) {
			char c = path.charAt(i);
			boolean chosen = (i == one) || all && c != '/' && this.random.nextBoolean();
			encoded.append(chosen ? escape(c, times) : String.valueOf(c));
		}
		return encoded.toString();
	}

	private String escape(char c, int times) {
		StringBuilder escaped = new StringBuilder();
		for (byte b : String.valueOf(c)
			.getBytes(this.random.nextInt(8) > 0 ? StandardCharsets.UTF_8 : StandardCharsets.UTF_16BE)) {
			int letters = this.random.nextBoolean() ? 0 : 16;
			escaped.append('%')
				.append("25".repeat(times - 1))
				.append(HEX.charAt(letters + (b >> 4 & 15)))
				.append(HEX.charAt(letters + (b & 15)));
		}
		return escaped.toString();
	}

	private String otherCase(String path) {
		if (path.isEmpty()) {
			return path;
		}
		int at = this.random.nextInt(path.length());
		char c = path.charAt(at);
		char other = Character.isUpperCase(c) ? Character.toLowerCase(c) : Character.toUpperCase(c);
		return path.substring(0, at) + other + path.substring(at + 1);
	}

	private String another(String path) {
		if (path.length() < 2) {
			return path + path;
		}
		int begin = this.random.nextInt(path.length() - 1);
		int end = begin + 1 + this.random.nextInt(path.length() - begin - 1);
		return this.random.nextBoolean() ? path.substring(0, begin) + path.substring(end)
				: path.substring(0, end) + path.substring(begin);
	}

	private String any(List<String> texts) {
		return texts.get(this.random.nextInt(texts.size()));
	}

}
