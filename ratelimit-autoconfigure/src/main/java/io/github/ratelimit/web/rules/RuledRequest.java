package io.github.ratelimit.web.rules;

import io.github.ratelimit.request.LimitedHttpRequest;
import io.github.ratelimit.request.WaitingRoom;
import org.jspecify.annotations.Nullable;

import org.springframework.security.core.context.SecurityContext;
import org.springframework.util.ClassUtils;

/**
 * An HTTP request as rules apply to it, whichever the web stack: which rules, and with
 * what they were matched.
 *
 * @since 0.1.0
 */
public abstract class RuledRequest extends LimitedHttpRequest {

	private static final boolean SECURITY = ClassUtils.isPresent(
			"org.springframework.security.core.context.SecurityContextHolder", RuledRequest.class.getClassLoader());

	private final RulesInForce rules;

	private @Nullable String matchedPath;

	private @Nullable String matchedMethod;

	/**
	 * Creates a request that has acquired nothing.
	 * @param rules the rules that are in force when it comes
	 * @param room where requests wait
	 * @param longestWaitNanos a policy that could delay the request for longer does not
	 * delay it
	 */
	protected RuledRequest(RulesInForce rules, WaitingRoom room, long longestWaitNanos) {
		super(room, longestWaitNanos);
		this.rules = rules;
	}

	/**
	 * Returns the rules that were in force when the request came.
	 * @return the rules, the same for as long as it lives
	 */
	public final RulesInForce rules() {
		return this.rules;
	}

	/**
	 * Whether a session keeps a user of Spring Security in an attribute, whatever that is
	 * called.
	 * @param attribute the value of the attribute, or {@code null}
	 * @return {@code false} if it is anything else
	 */
	protected static boolean isUserOfSession(@Nullable Object attribute) {
		return SECURITY && SecurityContexts.areOf(attribute);
	}

	/**
	 * Notes with what the rules are matched.
	 * @param path the path as it was sent
	 * @param method the method
	 */
	public final void noteMatched(String path, String method) {
		this.matchedPath = path;
		this.matchedMethod = method;
	}

	/**
	 * Whether the path or the method is another one than the rules were matched with
	 * last, because a filter or a dispatch has changed it.
	 * @param path the path as it is
	 * @param method the method as it is
	 * @return {@code false} also if the rules were not matched yet
	 */
	public final boolean isRewritten(String path, String method) {
		if (this.matchedPath == null) {
			return false;
		}
		return !this.matchedPath.equals(path) || !method.equals(this.matchedMethod);
	}

	/**
	 * Loaded only where Spring Security is present.
	 */
	private static final class SecurityContexts {

		static boolean areOf(@Nullable Object attribute) {
			return attribute instanceof SecurityContext;
		}

	}

}
