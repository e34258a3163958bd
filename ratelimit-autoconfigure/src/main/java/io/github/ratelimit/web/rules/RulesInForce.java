package io.github.ratelimit.web.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFindings;

/**
 * The rules that a request begins with, and keeps: those that are in force may be
 * replaced while it is under way.
 * <p>
 * The first thousand requests under them show rules that none of them matched, and
 * requests that match a rule and were answered before our filter saw them.
 *
 * @since 0.1.0
 */
public final class RulesInForce {

	private static final int WATCHED_REQUESTS = 1000;

	private static final int TELLING_REQUESTS = 10;

	private final List<RateLimitRule> all;

	private final List<RateLimitRule> beforeSecurity = new ArrayList<>();

	private final List<RateLimitRule> afterSecurity = new ArrayList<>();

	private final boolean readingMessages;

	private final AtomicInteger requests = new AtomicInteger();

	private final AtomicInteger unseenRequests = new AtomicInteger();

	private volatile boolean watched = true;

	/**
	 * Puts rules in force.
	 * @param all the rules, which do not change
	 */
	public RulesInForce(List<RateLimitRule> all) {
		this.all = all;
		this.readingMessages = all.stream().anyMatch((rule) -> rule.binding().readsMessage());
		for (RateLimitRule rule : all) {
			if (rule.isAfterSecurity()) {
				this.afterSecurity.add(rule);
			}
			else {
				this.beforeSecurity.add(rule);
			}
		}
	}

	/**
	 * Returns all rules.
	 * @return the rules, in their order
	 */
	public List<RateLimitRule> all() {
		return this.all;
	}

	/**
	 * Returns the rules that are enforced before Spring Security.
	 * @return the rules, in their order
	 */
	public List<RateLimitRule> beforeSecurity() {
		return this.beforeSecurity;
	}

	/**
	 * Returns the rules that are enforced after Spring Security.
	 * @return the rules, in their order
	 */
	public List<RateLimitRule> afterSecurity() {
		return this.afterSecurity;
	}

	/**
	 * Whether a rule reads the messages of requests.
	 * @return {@code false} if nobody needs their bodies
	 */
	public boolean areReadingMessages() {
		return this.readingMessages;
	}

	/**
	 * Whether requests still show what is wrong with rules.
	 * @return {@code false} after the first thousand
	 */
	public boolean isWatched() {
		return this.watched;
	}

	/**
	 * Whether it is to be {@link #noteTarget noted} where a request went that our filter
	 * has seen.
	 * @return {@code true} while the rules are watched, if one is enforced after Spring
	 * Security
	 */
	public boolean mayMissTarget() {
		return this.watched && !this.afterSecurity.isEmpty();
	}

	/**
	 * Notes where a request went. One that Spring Security turns down never comes to the
	 * rules behind it.
	 * @param path its method and path
	 */
	public void noteTarget(RequestedPath path) {
		this.afterSecurity.forEach((rule) -> rule.matchAndNote(path));
	}

	/**
	 * Notes that a request was answered before our filter saw it.
	 * @param path its method and path
	 * @param findings where it is added what is wrong with rules
	 */
	public void noteUnseen(RequestedPath path, RateLimitFindings findings) {
		RateLimitRule missed = null;
		for (RateLimitRule rule : this.beforeSecurity) {
			boolean matches = rule.matchAndNote(path);
			if (matches && missed == null) {
				missed = rule;
			}
		}
		if (missed != null && this.unseenRequests.incrementAndGet() == TELLING_REQUESTS) {
			report(findings, FindingCode.EARLIER_FILTER, missed, "filters",
					"Requests that match the rule %s of the policy '%s' were answered before the filter of the "
							+ "rate limits, so that they are not limited.");
		}
	}

	/**
	 * Notes that a request is over. Does nothing once the rules are not watched any more.
	 * @param findings where it is added what is wrong with rules
	 */
	public void noteEnd(RateLimitFindings findings) {
		if (this.watched && this.requests.incrementAndGet() == WATCHED_REQUESTS) {
			this.watched = false;
			reportUnmatched(findings);
		}
	}

	private void reportUnmatched(RateLimitFindings findings) {
		for (RateLimitRule rule : this.all) {
			if (!rule.hasMatched()) {
				report(findings, FindingCode.UNMATCHED_RULE, rule, rule.toString(),
						"The rule %s of the policy '%s' has matched none of the first thousand requests.");
			}
		}
	}

	private static void report(RateLimitFindings findings, FindingCode code, RateLimitRule rule, String subject,
			String message) {
		String policy = rule.binding().limiter().policy().name();
		findings.report(code, policy, subject, message.formatted(rule, policy));
	}

}
