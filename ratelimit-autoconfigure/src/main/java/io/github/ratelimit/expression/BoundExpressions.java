package io.github.ratelimit.expression;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.policy.AppliedLocation;
import io.github.ratelimit.support.Suggestion;
import org.jspecify.annotations.Nullable;

/**
 * The expressions of a policy at one location: what they need of a call, and whether they
 * fit the policy and the location. All of it is known before the first call.
 */
abstract class BoundExpressions {

	/* They are evaluated once the call was made. */
	private static final Set<RateLimitExpression> LATER = Set.of(RateLimitExpression.CHARGE,
			RateLimitExpression.CHARGE_EACH);

	private final AppliedLocation location;

	private final CallKey key;

	private final Map<RateLimitExpression, ParsedExpression> expressions;

	private final boolean countsElements;

	BoundExpressions(AppliedLocation location, CallKey key, Map<RateLimitExpression, ParsedExpression> expressions) {
		this.location = location;
		this.key = key;
		this.expressions = expressions;
		this.countsElements = expressions.containsKey(RateLimitExpression.CHARGE_EACH) || chargeReads("elements");
	}

	/**
	 * Returns where the policy is applied.
	 * @return the location, as people see it
	 */
	public final AppliedLocation location() {
		return this.location;
	}

	/**
	 * Whether there is a charge.
	 * @return {@code false} if each call is charged what it costs
	 */
	public final boolean hasCharge() {
		return this.expressions.containsKey(RateLimitExpression.CHARGE);
	}

	/**
	 * Whether an expression needs the method's call to be seen: its arguments, or what it
	 * returns.
	 * @return {@code true} if the method must be intercepted
	 */
	public final boolean needsCall() {
		return needsArguments() || this.countsElements || chargeReads("result");
	}

	/**
	 * Whether an expression reads the message for an MCP server.
	 * @return {@code true} if the body of requests must be read for it
	 */
	public final boolean readsMessage() {
		return this.expressions.values().stream().flatMap((each) -> each.words().stream()).anyMatch(Word::isMessage);
	}

	/**
	 * Whether the elements of what the method returns are counted.
	 * @return {@code true} if an expression charges each of them, or reads their number
	 */
	public final boolean countsElements() {
		return this.countsElements;
	}

	private boolean chargeReads(String word) {
		ParsedExpression charge = this.expressions.get(RateLimitExpression.CHARGE);
		return charge != null && charge.reads(word);
	}

	/**
	 * Whether an expression reads the method's arguments.
	 * @return {@code true} if the arguments must be resolved first
	 */
	public final boolean needsArguments() {
		return this.expressions.values().stream().anyMatch(ParsedExpression::needsArguments);
	}

	/**
	 * Whether an expression reads the authenticated user, or may read it. A charge is
	 * evaluated at the end, wherever the permits are taken.
	 * @return {@code true} if the user must be authenticated first
	 */
	public final boolean needsPrincipal() {
		return this.key.needsPrincipal() || principalReader(ParsedExpression.PrincipalUse.POSSIBLE) != null;
	}

	/**
	 * Checks that what each call costs is no more than passes at once.
	 * @param policy the policy as it is, or is to be
	 * @throws InvalidRateLimitException if no call can change the cost, and it is above
	 * the capacity of a limit of the policy
	 */
	public final void checkCost(RateLimitPolicy policy) {
		ParsedExpression cost = this.expressions.get(RateLimitExpression.COST);
		if (cost != null) {
			ExpressionValues.checkCost(cost, policy);
		}
	}

	/**
	 * Checks the path variables that expressions read.
	 * @param patterns those of all paths that calls come with
	 * @throws InvalidRateLimitException if an expression that is written at this location
	 * reads a variable that none of them has, or one that is written for several
	 * locations reads one whose name is nearly that of a variable
	 */
	public final void checkPathVariables(Collection<String> patterns) {
		Set<String> known = PathVariables.of(patterns);
		for (ParsedExpression expression : this.expressions.values()) {
			boolean own = expression.location().isAt(this.location);
			for (Word word : expression.words()) {
				if (!word.text().equals("pathVariable") || known.contains(word.name())) {
					continue;
				}
				if (own || isProbablyMisspelled(word.name(), known, expression)) {
					throw PathVariables.missing(expression.location(), word.name(), patterns, known);
				}
			}
		}
	}

	/*
	 * An expression that is written for several locations may read variables that only
	 * some of them have. One with a choice says itself what counts where there is none.
	 */
	private static boolean isProbablyMisspelled(String variable, Set<String> known, ParsedExpression expression) {
		return !expression.hasChoice() && !Suggestion.question(variable, known).isEmpty();
	}

	/**
	 * Whether something is read of a request to say what it asks, or may be read.
	 * @param word what reads it, such as {@code principal}, {@code session} or
	 * {@code parameter}
	 * @return {@code false} if no expression reads it or passes the request on, and no
	 * {@link KeyResolver} finds the key
	 */
	public final boolean mayRead(String word) {
		return this.key.isResolved() || this.expressions.values().stream().anyMatch((each) -> each.mayRead(word));
	}

	/**
	 * Returns the expression that certainly reads the authenticated user.
	 * @return the first of key, cost, condition and plan, or {@code null} if none does
	 */
	public final @Nullable RateLimitExpression principalReader() {
		return principalReader(ParsedExpression.PrincipalUse.CERTAIN);
	}

	private @Nullable RateLimitExpression principalReader(ParsedExpression.PrincipalUse use) {
		for (Map.Entry<RateLimitExpression, ParsedExpression> each : this.expressions.entrySet()) {
			if (!LATER.contains(each.getKey()) && each.getValue().principal().compareTo(use) >= 0) {
				return each.getKey();
			}
		}
		return null;
	}

	/**
	 * Whether an expression calls a bean, which may take its time.
	 */
	final boolean callsBean() {
		return this.expressions.values().stream().anyMatch(ParsedExpression::callsBean);
	}

	/**
	 * Returns the parameters of a request that say what it asks, not what it is charged
	 * in the end.
	 */
	final List<Word> parameters() {
		return this.expressions.entrySet()
			.stream()
			.filter((each) -> !LATER.contains(each.getKey()))
			.flatMap((each) -> each.getValue().words().stream())
			.filter((word) -> word.text().equals("parameter"))
			.distinct()
			.toList();
	}

}
