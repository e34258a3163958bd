package io.github.ratelimit.test.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.test.context.PropertyMapping;

/**
 * Annotation for a test class that decides whether its rate limits hold, whatever
 * {@code ratelimit.enabled} says. Without it, they hold in tests as they do elsewhere.
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

}
