package io.github.ratelimit.annotation;

import java.util.HashMap;
import java.util.Map;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitMode;

import org.springframework.core.annotation.AnnotationUtils;

/**
 * {@code @RateLimited}, written as a row of a table can have it:
 * {@code limit=5, window=1m}.
 */
public final class WrittenAnnotation {

	private WrittenAnnotation() {
	}

	public static RateLimited of(String written) {
		Map<String, Object> attributes = new HashMap<>();
		for (String attribute : written.isEmpty() ? new String[0] : written.split(", ")) {
			String[] parts = attribute.split("=", 2);
			attributes.put(parts[0], switch (parts[0]) {
				case "limit", "burst", "delay" -> Long.valueOf(parts[1]);
				case "nodelay", "countRejected" -> Boolean.valueOf(parts[1]);
				case "algorithm" -> RateLimitAlgorithm.valueOf(parts[1]);
				case "mode" -> RateLimitMode.valueOf(parts[1]);
				default -> parts[1];
			});
		}
		return AnnotationUtils.synthesizeAnnotation(attributes, RateLimited.class, null);
	}

}
