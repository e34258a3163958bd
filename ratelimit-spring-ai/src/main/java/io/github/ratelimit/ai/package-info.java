/**
 * Budgets of tokens and money for the chat models of Spring AI.
 * <p>
 * {@code LimitedModels} puts a proxy around each model, and hands its calls to
 * {@code ModelCalls}. That asks {@code ModelPolicies} what to ask of each policy,
 * reserves what {@code TokenEstimates} expects at most, and settles what the
 * {@code ModelAnswer} has used. {@link io.github.ratelimit.ai.RateLimitAdvisor} notes in
 * a {@code ModelCaller} who calls.
 */
@NullMarked
package io.github.ratelimit.ai;

import org.jspecify.annotations.NullMarked;
