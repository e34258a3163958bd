package io.github.ratelimit.autoconfigure;

import java.util.function.Predicate;

import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Conditions on properties whose values may change between building an application ahead
 * of time and running it. They match while the application is built, and
 * {@link RunTimeSwitch} removes the beans again where they do not match at run time.
 */
abstract class RunTimeCondition extends SpringBootCondition {

	private final String description;

	private final Predicate<Environment> choice;

	RunTimeCondition(String description, Predicate<Environment> choice) {
		this.description = description;
		this.choice = choice;
	}

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		if (RunTimeChoices.areOpen()) {
			return ConditionOutcome.match("whether " + this.description + " is decided when the application runs");
		}
		return new ConditionOutcome(this.choice.test(context.getEnvironment()), "if " + this.description);
	}

	/** Rate limits are not turned off. */
	static final class OnEnabled extends RunTimeCondition {

		OnEnabled() {
			super("ratelimit.enabled is not false", RunTimeChoices::isEnabled);
		}

	}

	/** Rate limits are turned off, or may be when the application runs. */
	static final class OnSwitch extends RunTimeCondition {

		OnSwitch() {
			super("ratelimit.enabled is false", (environment) -> !RunTimeChoices.isEnabled(environment));
		}

	}

	/** The store is in this process. */
	static final class OnLocalStore extends RunTimeCondition {

		OnLocalStore() {
			super("ratelimit.store is not redis", (environment) -> !RunTimeChoices.isInRedis(environment));
		}

	}

	/** The store is Redis. */
	static final class OnRedisStore extends RunTimeCondition {

		OnRedisStore() {
			super("ratelimit.store is redis",
					(environment) -> RunTimeChoices.isEnabled(environment) && RunTimeChoices.isInRedis(environment));
		}

	}

	/** The application is being built ahead of time. */
	static final class OnBuild extends RunTimeCondition {

		OnBuild() {
			super("the application is being built ahead of time", (environment) -> false);
		}

	}

	/** There is at least one rule, or may be while the application runs. */
	static final class OnRules extends RunTimeCondition {

		OnRules() {
			super("ratelimit.rules has an entry, or may have one later", RunTimeChoices::mayHaveRules);
		}

	}

}
