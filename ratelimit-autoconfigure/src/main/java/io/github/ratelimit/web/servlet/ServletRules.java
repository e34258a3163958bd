package io.github.ratelimit.web.servlet;

import java.util.List;
import java.util.stream.Stream;

import io.github.ratelimit.web.RateLimitRule;

/**
 * The rules that a request begins with, and keeps: those that are in force may be
 * replaced while it is under way.
 *
 * @param beforeSecurity those that need nobody to be authenticated
 * @param afterSecurity those that need the user
 * @param all all rules
 */
record ServletRules(List<RateLimitRule> beforeSecurity, List<RateLimitRule> afterSecurity, List<RateLimitRule> all) {

	ServletRules(List<RateLimitRule> beforeSecurity, List<RateLimitRule> afterSecurity) {
		this(List.copyOf(beforeSecurity), List.copyOf(afterSecurity),
				Stream.concat(beforeSecurity.stream(), afterSecurity.stream()).toList());
	}

}
