package io.github.ratelimit.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitMode;

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
 * On a type, it is one budget that a controller's handlers share, or the methods of any
 * other bean that are not private. An annotation on a method replaces that on the type.
 * The annotation can be repeated: a call is allowed if all limits allow it, and a
 * rejected call takes no permit from any of them. It can be used as a meta-annotation.
 *
 * @since 0.1.0
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(RateLimited.Container.class)
@Inherited
@Documented
public @interface RateLimited {

	/**
	 * The policy of {@code ratelimit.policies} to enforce. The policy has all the
	 * numbers, and none can be given here.
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
	 * The name of the limit in headers, metrics and the endpoint. Defaults to
	 * {@code SimpleClass.method}. A policy of this name in {@code ratelimit.policies}
	 * overrides the numbers given here.
	 */
	String name() default "";

	/** The algorithm that counts calls. */
	RateLimitAlgorithm algorithm() default RateLimitAlgorithm.TOKEN_BUCKET;

	/**
	 * The number of permits per window, from 1 to a million for each second of the
	 * window.
	 */
	long limit() default -1;

	/**
	 * The {@link #limit()} as a text, which may contain placeholders, such as
	 * <code>${search.limit:100}</code>. Only one of the two may be set.
	 */
	String limitString() default "";

	/**
	 * The window, from {@code 1ms} to {@code 31d}, such as {@code 500ms}, {@code 10s},
	 * {@code 1m}, {@code 1d} or {@code PT1H}; with a {@link #zone()} {@code P1D},
	 * {@code P1W}, {@code P1M} or {@code P1Y}. May contain placeholders.
	 */
	String window() default "";

	/**
	 * The id of the time zone whose days, weeks, months or years are the windows of the
	 * fixed window counter, such as {@code Europe/Berlin}. May contain placeholders.
	 */
	String zone() default "";

	/**
	 * The day that the windows of the {@link #zone()} begin with: of a week from 1
	 * (Monday) to 7, of a month from 1 to 31, of a year its month and day, such as
	 * {@code 04-06}. A month without it begins with its last. Defaults to the first. May
	 * contain placeholders.
	 */
	String from() default "";

	/**
	 * The capacity of the token bucket, which defaults to the limit, or the number of
	 * calls that may be in the leaky bucket's queue, which defaults to 0.
	 */
	long burst() default -1;

	/**
	 * The {@link #burst()} as a text, which may contain placeholders. Only one of the two
	 * may be set.
	 */
	String burstString() default "";

	/**
	 * The number of calls of the leaky bucket's burst that need not wait. Defaults to 0.
	 */
	long delay() default -1;

	/**
	 * The {@link #delay()} as a text, which may contain placeholders. Only one of the two
	 * may be set.
	 */
	String delayString() default "";

	/**
	 * Whether no call waits in the leaky bucket: one that is allowed is allowed at once.
	 */
	boolean nodelay() default false;

	/**
	 * Whether the sliding window log counts rejected calls too, so that a client that
	 * keeps calling stays rejected.
	 */
	boolean countRejected() default false;

	/**
	 * The longest that a call waits which would be allowed then, from {@code 1ms} to
	 * {@code 1h}, such as {@code 2s}: a permit is reserved for it. For a single limit
	 * that is no leaky bucket, which has a queue of its own. May contain placeholders. By
	 * default none waits.
	 */
	String maxWait() default "";

	/**
	 * The key: a SpEL expression such as {@code clientAddress}, {@code principal.name},
	 * {@code header('X-Api-Key')}, {@code #userId} or {@code 'global'}. Defaults to the
	 * policy's key, or else {@code ratelimit.key}.
	 */
	String key() default "";

	/**
	 * The number of permits that a call takes: a SpEL expression whose value is a whole
	 * number, from 1. If the value is 0, or the expression fails within a request, the
	 * call takes 1. Defaults to 1.
	 */
	String cost() default "";

	/**
	 * Whether a call is limited at all: a SpEL expression whose value is a boolean. If it
	 * fails within a request, the call is limited. Defaults to {@code true}.
	 */
	String condition() default "";

	/**
	 * What a call is charged in the end: a SpEL expression that is evaluated once, when
	 * the call or its request is over. It sees what a key sees, and {@code status} (of
	 * the response), {@code result} (of the method, its future or its publisher),
	 * {@code exception} and {@code authenticationFailed}: whether an authentication with
	 * Spring Security has failed, also if only the answer shows that it may have. It also
	 * sees {@code reserved} (the cost), {@code cancelled}: whether the caller has left
	 * before the call was over, {@code elements}: how many a stream has passed on, and
	 * {@code charged}: the sum of {@link #chargeEach()}.
	 * <p>
	 * If it is {@code true}, the call is charged its cost, which it takes when it comes;
	 * if {@code false}, nothing; if a number, that many permits, even if the limit has
	 * not as many left: later calls wait for them. If it is {@code null} or fails, the
	 * call is charged its cost. A call that is cancelled is charged its cost at least,
	 * unless the expression reads {@code cancelled}. Defaults to the sum of
	 * {@link #chargeEach()}, or else to the policy's charge. A policy that is named here
	 * must have a charge of its own to have another one here.
	 */
	String charge() default "";

	/**
	 * What each element of a stream is charged when it passes to the caller: a SpEL
	 * expression such as {@code result.tokens()}, which sees what a key sees, and the
	 * element as {@code result}. If it is {@code null} or fails, the element counts 1.
	 * The method must return a stream, such as a {@code Flux}, or a collection. With a
	 * {@link #charge()}, that decides, and reads the sum as {@code charged}.
	 */
	String chargeEach() default "";

	/**
	 * The method that answers in place of a call that the limit rejects, for whatever
	 * reason but that an operator has denied it, such as {@code cached}: a method of the
	 * same bean with the same parameters and a return type that fits, neither private nor
	 * static. It may have the {@link io.github.ratelimit.RateLimitExceededException} as a
	 * further parameter, the last. It is called on the bean itself, so that it is not
	 * limited, and nothing else that annotations on it ask for happens. On a handler, the
	 * response has the header fields of the rejection, and the status that the fallback
	 * gives it. Without it, a rejection is thrown.
	 */
	String fallback() default "";

	/**
	 * Whether the limit is enforced. In {@link RateLimitMode#SHADOW} it decides, counts
	 * and notifies listeners, but rejects no call and makes none wait. A limit that is
	 * enforced and one in shadow can stand beside each other. A policy of
	 * {@code ratelimit.policies} that overrides the limit has a mode of its own.
	 */
	RateLimitMode mode() default RateLimitMode.ENFORCE;

	/** Container of repeated {@link RateLimited} annotations. */
	@Target({ ElementType.METHOD, ElementType.TYPE })
	@Retention(RetentionPolicy.RUNTIME)
	@Inherited
	@Documented
	@interface Container {

		/** The annotations. */
		RateLimited[] value();

	}

}
