package io.github.ratelimit.springdoc;

import java.util.Locale;

import io.swagger.v3.oas.models.headers.Header;
import io.swagger.v3.oas.models.media.IntegerSchema;
import io.swagger.v3.oas.models.media.StringSchema;

/**
 * A header field in a document.
 *
 * @param name the field's name
 * @param description what it says
 * @param number whether its value is a whole number
 */
record Field(String name, String description, boolean number) {

	static Field of(String name) {
		return switch (name.toLowerCase(Locale.ROOT)) {
			case "ratelimit-policy" -> new Field(name, "Limits, as the IETF's draft writes them", false);
			case "ratelimit" -> new Field(name, "What is left of them, as the IETF's draft writes it", false);
			case "x-ratelimit-limit" -> new Field(name, "Permits that the tightest limit has at most", true);
			case "x-ratelimit-remaining" -> new Field(name, "Permits that are left of the tightest limit", true);
			case "x-ratelimit-reset" -> new Field(name, "When the tightest limit has all its permits again", true);
			default -> new Field(name, "Seconds until it is worth trying again", true);
		};
	}

	Header header() {
		return new Header().description(this.description)
			.schema(this.number ? new IntegerSchema() : new StringSchema());
	}

}
