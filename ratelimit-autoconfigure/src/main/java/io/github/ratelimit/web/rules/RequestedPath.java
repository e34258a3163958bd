package io.github.ratelimit.web.rules;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.github.ratelimit.request.RequestView;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;
import org.springframework.util.ClassUtils;
import org.springframework.web.util.pattern.PathPattern;

/**
 * The method and the path of a request. The path is parsed only if a pattern cannot do
 * with its text, and read in other ways only if it is not clean.
 *
 * @since 0.1.0
 */
public abstract class RequestedPath {

	/** Options to parse a path that was decoded, of which nothing is left to decode. */
	protected static final PathContainer.Options DECODED = PathContainer.Options.create('/', false);

	/* Whether there is a gateway of Spring Cloud's, on WebFlux or on Spring MVC. */
	private static final boolean GATEWAY = isPresent("org.springframework.cloud.gateway.route.Route")
			|| isPresent("org.springframework.cloud.gateway.server.mvc.GatewayServerMvcAutoConfiguration");

	final String method;

	/* The path within the application; null if parsing would change its meaning. */
	final @Nullable String text;

	/** Whether the path can be read in one way only. */
	protected final boolean clean;

	private @Nullable List<PathContainer> readings;

	/**
	 * Creates the path of a request.
	 * @param method the request's method
	 * @param sent the path as it was sent
	 * @param whole whether all of it is within the application
	 */
	protected RequestedPath(String method, String sent, boolean whole) {
		this.method = method;
		boolean literal = isClean(sent);
		this.text = (literal && whole) ? sent : null;
		this.clean = literal && sent.startsWith("/") && !sent.endsWith("/");
	}

	/**
	 * Whether the path has no other reading than its text.
	 */
	final boolean isText() {
		return this.clean && this.text != null;
	}

	private static boolean isPresent(String type) {
		return ClassUtils.isPresent(type, RequestedPath.class.getClassLoader());
	}

	private static boolean isClean(String path) {
		char previous = 0;
		for (int i = 0; i < path.length(); i++) {
			char c = path.charAt(i);
			if (c <= ' ' || c >= 0x7F || c == '%' || c == ';' || c == '\\') {
				return false;
			}
			if (previous == '/' && (c == '/' || c == '.')) {
				return false;
			}
			previous = c;
		}
		return true;
	}

	/**
	 * Returns what the path within the application may be served as, which is read once.
	 * @return the readings, the cleanest last
	 */
	public final List<PathContainer> readings() {
		List<PathContainer> readings = this.readings;
		if (readings == null) {
			readings = read();
			this.readings = readings;
		}
		return readings;
	}

	/**
	 * Reads the variables of each reading of the path.
	 * @param pattern a pattern that matches a reading
	 * @return the values by name, once for readings that differ in encoding alone; a
	 * single empty map if the pattern matches none
	 */
	public final Set<Map<String, String>> variables(PathPattern pattern) {
		return VariableReadings.read(pattern, this);
	}

	/**
	 * Whether the request may be served as one with a method for one of some paths.
	 * @param method the method, in any case
	 * @param patterns the patterns of the paths
	 * @return {@code true} if the method is the same, and something reads the path so
	 * that a pattern matches
	 */
	public final boolean isFor(String method, List<PathPattern> patterns) {
		return this.method.equalsIgnoreCase(method) && readings().stream()
			.anyMatch((reading) -> patterns.stream().anyMatch((pattern) -> pattern.matches(reading)));
	}

	/**
	 * Reads what the path within the application may be served as: containers normalise
	 * paths, and handlers of resources clean them, after they were matched.
	 * @return first the path as the application matches it, if it can be parsed, then the
	 * other readings, the cleanest last; a small number whatever the path
	 */
	protected abstract List<PathContainer> read();

	/**
	 * Finds the readings of a path that is not clean.
	 * @param matched the path as the application matches it, or {@code null} if it cannot
	 * be parsed
	 * @param decoded the path as a container has decoded it, or {@code null} if none has
	 * @param sent the path as it was sent, or {@code null} if nothing sees that
	 * @return the readings, the cleanest last
	 */
	protected static List<PathContainer> readings(@Nullable PathContainer matched, @Nullable String decoded,
			@Nullable String sent) {
		Set<String> others = new LinkedHashSet<>();
		if (decoded != null) {
			others.add(decoded);
		}
		if (sent != null) {
			CleanedPath.addSent(sent, others);
		}
		else if (decoded != null) {
			CleanedPath.addDecoded(decoded, others);
		}

		return Stream
			.concat(Stream.ofNullable(matched), others.stream().map((path) -> PathContainer.parsePath(path, DECODED)))
			.toList();
	}

	/**
	 * Adds the readings of a path with what forwarded fields have put before it: a
	 * gateway sends both on, and a client may have written the former.
	 * @param whole both
	 * @param within the readings without it
	 * @return all readings
	 */
	protected static List<PathContainer> prefixed(String whole, List<PathContainer> within) {
		if (!GATEWAY) {
			return within;
		}
		return Stream.concat(readings(null, null, whole).stream(), within.stream()).toList();
	}

	/**
	 * Finds what expressions see of the request.
	 * @param rule the rule that asks, whose pattern stands in place of a handler's
	 * @param variables the variables of the pattern, or {@code null} to find them once
	 * they are read
	 * @return the view
	 * @throws IllegalStateException if the path is there to be matched, and nothing was
	 * requested
	 */
	protected RequestView view(RateLimitRule rule, @Nullable Map<String, String> variables) {
		throw new IllegalStateException("The rule " + rule + " is asked about a path of which there is no request");
	}

}
