package io.github.ratelimit.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.github.ratelimit.RateLimitAlgorithm;

import org.springframework.core.annotation.AliasFor;

/**
 * Limits how often a method may be called, for each key.
 *
 * <pre class="code">
 * &#064;RateLimited(limit = 100, window = "1m")
 * &#064;GetMapping("/search")
 * Results search(...)
 * </pre>
 *
 * On a type it is one budget that a controller's handlers share, or any other bean's
 * methods that are not private; a method's own annotation replaces the type's. May be
 * repeated: all limits must agree, and a rejection takes nothing from any of them. May be
 * used as a meta-annotation.
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(RateLimited.Container.class)
@Inherited
@Documented
public @interface RateLimited {

	/**
	 * The policy of {@code ratelimit.policies} to enforce. With it, no number may be
	 * given here: the policy has them.
	 */
	@AliasFor("policy")
	String value() default "";

	/**
	 * The policy of {@code ratelimit.policies} to enforce.
	 * @see #value()
	 */
	@AliasFor("value")
	String policy() default "";

	/**
	 * What the limit is called in headers, metrics and the endpoint. The default is
	 * {@code SimpleClass.method}. A policy of this name in {@code ratelimit.policies}
	 * overrides the numbers given here.
	 */
	String name() default "";

	/** How requests are counted. */
	RateLimitAlgorithm algorithm() default RateLimitAlgorithm.TOKEN_BUCKET;

	/**
	 * How many permits there are per window, from 1 to a million for each second of the
	 * window.
	 */
	long limit() default -1;

	/**
	 * The window, from {@code 1ms} to {@code 31d}, such as {@code 500ms}, {@code 10s},
	 * {@code 1m}, {@code 1d} or {@code PT1H}. May contain placeholders.
	 */
	String window() default "";

	/**
	 * The token bucket's capacity, which is the limit by default, or how many requests
	 * may be in the leaky bucket's queue, which are none by default.
	 */
	long burst() default -1;

	/** How many of the leaky bucket's burst need not wait. The default is 0. */
	long delay() default -1;

	/** Whether nobody waits in the leaky bucket: what may pass passes at once. */
	boolean nodelay() default false;

	/**
	 * Whether the sliding window log also counts the requests that it rejects, so that a
	 * client that keeps asking stays out.
	 */
	boolean countRejected() default false;

	/**
	 * Who is being limited: a SpEL expression such as {@code clientAddress},
	 * {@code principal.name}, {@code header('X-Api-Key')}, {@code #userId} or
	 * {@code 'global'}. The default is the policy's key, or else {@code ratelimit.key}.
	 */
	String key() default "";

	/**
	 * How many permits a call costs: a SpEL expression that gives a whole number, from 1.
	 * One that gives 0, or that fails within a request, counts 1. The default is 1.
	 */
	String cost() default "";

	/**
	 * Whether a call is limited at all: a SpEL expression that gives a boolean. One that
	 * fails within a request counts as {@code true}, which is the default.
	 */
	String condition() default "";

	/** Holds several {@link RateLimited} annotations. */
	@Target({ ElementType.METHOD, ElementType.TYPE })
	@Retention(RetentionPolicy.RUNTIME)
	@Inherited
	@Documented
	@interface Container {

		/** The annotations. */
		RateLimited[] value();

	}

}
