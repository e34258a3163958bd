package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitIntervention;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.actuate.OverrideReader;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.convert.ConversionException;

/**
 * Creates overrides from texts as if these stood in a configuration file, with the same
 * conversions and checks.
 */
final class ConfiguredOverrides implements OverrideReader {

	/* Members of the object that was sent are part of no other property. */
	private static final String PATH = "";

	private static final Bindable<RateLimitMode> MODE = Bindable.of(RateLimitMode.class);

	/* The limits of an override are written as those of a plan. */
	private static final Bindable<RateLimitProperties.Plan> LIMITS = Bindable.of(RateLimitProperties.Plan.class);

	@Override
	public RateLimitOverride read(RateLimitOverride.Target target, List<RateLimit> defined, Map<String, String> sent,
			@Nullable String who) {
		RateLimitMode mode = null;
		if (sent.containsKey("mode")) {
			mode = bind("mode", MODE, sent);
		}
		List<RateLimit> limits = ConfiguredLimits.ofOverride(defined, bind(PATH, LIMITS, sent), PATH);
		return new RateLimitOverride(target, limits, mode, duration(sent), sent.get("reason"), who);
	}

	private static @Nullable Duration duration(Map<String, String> sent) {
		String duration = sent.get("for");
		return (duration != null) ? ConfiguredLimits.duration(duration, "for") : null;
	}

	@Override
	public RateLimitIntervention readIntervention(RateLimitIntervention.Target target, Map<String, String> sent,
			@Nullable String who) {
		return new RateLimitIntervention(target, duration(sent), sent.get("reason"), who);
	}

	@Override
	public List<RateLimit> readLimits(Map<String, String> sent) {
		return ConfiguredLimits.of(bind(PATH, LIMITS, sent), PATH);
	}

	private static <T> T bind(String name, Bindable<T> target, Map<String, String> sent) {
		try {
			return new Binder(new MapConfigurationPropertySource(sent)).bindOrCreate(name, target);
		}
		catch (BindException ex) {
			if (ex.getCause() instanceof ConversionException conversion) {
				String member = ex.getName().toString();
				throw MistakenValue.of(member, Objects.requireNonNull(sent.get(member)), ex.getTarget().getType(),
						conversion);
			}
			throw ex;
		}
	}

}
