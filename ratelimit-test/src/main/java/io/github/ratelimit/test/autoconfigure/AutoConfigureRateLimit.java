package io.github.ratelimit.test.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.github.ratelimit.test.ManualClock;

import org.springframework.boot.test.context.PropertyMapping;
import org.springframework.boot.test.context.PropertyMapping.Skip;

/**
 * Annotation for a test class that decides whether its rate limits hold, whatever
 * {@code ratelimit.enabled} says. Without it, they hold in tests as they do elsewhere.
 * <p>
 * The test can have a {@link RateLimitOutcomes} injected, to force what becomes of its
 * requests, and with {@link #manualClock()} a {@link ManualClock}.
 *
 * @since 0.1.0
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@PropertyMapping("ratelimit")
public @interface AutoConfigureRateLimit {

	/**
	 * Whether rate limits hold.
	 * @return {@code false} to let every request pass
	 */
	boolean enabled() default true;

	/**
	 * Whether time stands still until the test moves it, with the {@link ManualClock}
	 * that it can have injected. The state of every key is then in this process, even
	 * with {@code ratelimit.store=redis}.
	 * @return {@code true} for a clock that replaces the application's
	 */
	@PropertyMapping(skip = Skip.YES)
	boolean manualClock() default false;

	/**
	 * Whether every key has all of its permits again before each test method, and what
	 * was forced is taken back after it.
	 * @return {@code false} for test methods that run in parallel in one context, which
	 * would otherwise reset each other: they need keys of their own
	 */
	@PropertyMapping(skip = Skip.YES)
	boolean reset() default true;

}
