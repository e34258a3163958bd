package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.actuate.OverrideReader;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.core.ResolvableType;
import org.springframework.core.convert.ConversionException;
import org.springframework.core.convert.ConversionService;

/**
 * Creates overrides from texts as if these stood in a configuration file, with the same
 * conversions and checks.
 */
final class ConfiguredOverrides implements OverrideReader {

	/* Members of the object that was sent are part of no other property. */
	private static final String PATH = "";

	private static final ConversionService CONVERSIONS = ApplicationConversionService.getSharedInstance();

	@Override
	public RateLimitOverride read(RateLimitOverride.Target target, List<RateLimit> defined, SentOverride sent,
			@Nullable String who) {
		RateLimitMode mode = convert("mode", sent.mode(), RateLimitMode.class);
		List<RateLimit> limits = ConfiguredLimits.over(defined, WrittenLimits.of(sent), PATH);
		Duration duration = null;
		if (sent.duration() != null) {
			duration = ConfiguredLimits.duration(sent.duration(), "for");
		}
		return new RateLimitOverride(target, limits, mode, duration, sent.reason(), who);
	}

	@Override
	public List<RateLimit> readLimits(SentOverride sent) {
		return ConfiguredLimits.of(WrittenLimits.of(sent), PATH);
	}

	private static <T> @Nullable T convert(String member, @Nullable String text, Class<T> type) {
		if (text == null) {
			return null;
		}
		try {
			return CONVERSIONS.convert(text, type);
		}
		catch (ConversionException ex) {
			throw MistakenValue.of(member, text, ResolvableType.forClass(type), ex);
		}
	}

	/**
	 * The limits of an override, as a plan has them.
	 */
	private record WrittenLimits(RateLimitProperties.Limit single,
			List<RateLimitProperties.Limit> limits) implements RateLimitProperties.Limits {

		static WrittenLimits of(SentOverride sent) {
			RateLimitProperties.Limit single = limit(sent.single(), "");
			List<RateLimitProperties.Limit> limits = new ArrayList<>();
			for (SentLimit limit : sent.limits()) {
				limits.add(limit(limit, "limits[" + limits.size() + "]."));
			}
			return new WrittenLimits(single, limits);
		}

		private static RateLimitProperties.Limit limit(SentLimit sent, String parent) {
			return new RateLimitProperties.Limit(
					convert(parent + "algorithm", sent.algorithm(), RateLimitAlgorithm.class),
					convert(parent + "limit", sent.limit(), Long.class), sent.window(), sent.zone(), sent.from(),
					convert(parent + "burst", sent.burst(), Long.class),
					convert(parent + "delay", sent.delay(), Long.class),
					convert(parent + "nodelay", sent.nodelay(), Boolean.class),
					convert(parent + "count-rejected", sent.countRejected(), Boolean.class));
		}

	}

}
