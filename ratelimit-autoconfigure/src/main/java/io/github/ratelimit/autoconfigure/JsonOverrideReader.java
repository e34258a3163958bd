package io.github.ratelimit.autoconfigure;

import java.util.List;
import java.util.function.Function;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.actuate.InvalidOperationException;
import io.github.ratelimit.actuate.OverrideReader;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Reads an override as if it stood in a configuration file, with the same checks and the
 * same texts.
 */
final class JsonOverrideReader implements OverrideReader {

	private final BindHandler strict = new StrictNumberBinding().apply(BindHandler.DEFAULT);

	@Override
	public RateLimitOverride read(RateLimitOverride.Target target, String json, @Nullable String who) {
		if (json.length() > LONGEST) {
			throw OverrideReader.tooLong();
		}
		String prefix = prefix(target);
		OverrideJson read = OverrideJson.read(json, prefix);
		return bound(read, prefix, (properties) -> override(target, properties, prefix, who));
	}

	/**
	 * Reads limits only.
	 * @param read what was sent
	 * @param prefix the property that it stands for
	 * @return the limits
	 * @throws InvalidOperationException if they are none
	 */
	List<RateLimit> limits(OverrideJson read, String prefix) {
		return bound(read, prefix, (properties) -> ConfiguredPolicies.limits(properties.limits(), prefix + ".limits"));
	}

	private <T> T bound(OverrideJson read, String prefix, Function<OverrideProperties, T> use) {
		try {
			return use.apply(bind(read, prefix));
		}
		catch (InvalidRateLimitException ex) {
			throw invalid(ex, read, prefix);
		}
		catch (BindException ex) {
			InvalidRateLimitException mistake = mistake(ex);
			throw (mistake != null) ? invalid(mistake, read, prefix) : invalid(ex, read);
		}
	}

	private OverrideProperties bind(OverrideJson read, String prefix) {
		return new Binder(new MapConfigurationPropertySource(read.values())).bindOrCreate(prefix,
				Bindable.of(OverrideProperties.class), this.strict);
	}

	private static RateLimitOverride override(RateLimitOverride.Target target, OverrideProperties properties,
			String prefix, @Nullable String who) {
		return new RateLimitOverride(target, ConfiguredPolicies.limits(properties.limits(), prefix + ".limits"),
				properties.mode(), properties.duration(), properties.reason(), who);
	}

	@Override
	public InvalidOperationException explain(RateLimitOverride.Target target, InvalidRateLimitException mistake) {
		String prefix = prefix(target);
		return invalid(mistake, OverrideJson.read("{}", prefix), prefix);
	}

	private static InvalidOperationException invalid(InvalidRateLimitException mistake, OverrideJson read,
			String prefix) {
		InvalidRateLimitException inProperty = mistake.isCode() ? mistake.inProperty(prefix) : mistake;
		return new InvalidOperationException(400, inProperty.getMessage() + ".", inProperty.action(),
				read.path(inProperty.attribute()));
	}

	private static @Nullable InvalidRateLimitException mistake(BindException failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof InvalidRateLimitException mistake) {
				return mistake;
			}
		}
		return null;
	}

	private static InvalidOperationException invalid(BindException mistake, OverrideJson read) {
		FailureAnalysis analysis = BindFailure.analyze(mistake);
		String property = mistake.getName().toString();
		return (analysis != null)
				? new InvalidOperationException(400, analysis.getDescription(), String.valueOf(analysis.getAction()),
						read.path(property))
				: new InvalidOperationException(400, "The property '" + property + "' is invalid.", "Correct it.",
						read.path(property));
	}

	/*
	 * The name of a property has brackets of its own.
	 */
	private static String prefix(RateLimitOverride.Target target) {
		String policy = target.policy();
		boolean nameable = policy.indexOf('[') < 0 && policy.indexOf(']') < 0;
		return "ratelimit.policies" + (nameable ? ConfiguredPolicies.element(policy) : ".policy");
	}

}
