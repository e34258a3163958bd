package io.github.ratelimit.sample;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.github.ratelimit.annotation.RateLimited;

/**
 * Each customer has the limit of the plan that the API key is for. Requests without a
 * valid key share what their address has.
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@RateLimited(policy = "no-plan", condition = "@plans.of(header('X-Api-Key')) == null")
@RateLimited(policy = "free", condition = "@plans.of(header('X-Api-Key')) == 'free'")
@RateLimited(policy = "pro", condition = "@plans.of(header('X-Api-Key')) == 'pro'")
@interface LimitedByPlan {

}
