package io.github.ratelimit.testserver;

import java.util.ArrayList;
import java.util.List;

/**
 * Something that the application serves, and the rules that limit it.
 *
 * @param name what it is called in bodies and policies
 * @param path its path, without the context path and Spring MVC's servlet path
 * @param patterns the patterns of its rules, each of which matches its path
 * @param ofDispatcher whether Spring MVC's servlet serves it
 */
public record Target(String name, String path, List<String> patterns, boolean ofDispatcher) {

	public static Target of(String name, String path, String... morePatterns) {
		return new Target(name, path, patterns(path, morePatterns), true);
	}

	static Target ofServlet(String name, String path, String... morePatterns) {
		return new Target(name, path, patterns(path, morePatterns), false);
	}

	private static List<String> patterns(String path, String... more) {
		List<String> patterns = new ArrayList<>(List.of(more));
		patterns.add(path);
		return List.copyOf(patterns);
	}

	/**
	 * What a response contains that serves it.
	 * @return a text that no other response contains
	 */
	public String body() {
		return "served:" + this.name;
	}

	/**
	 * The name of the policy of one of the rules.
	 * @param pattern the index of its pattern
	 * @return the name
	 */
	public String policy(int pattern) {
		return this.name + "-" + pattern;
	}

}
