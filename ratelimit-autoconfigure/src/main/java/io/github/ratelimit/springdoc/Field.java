package io.github.ratelimit.springdoc;

import io.github.ratelimit.web.HeaderName;
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

	static Field of(HeaderName name) {
		String description = switch (name) {
			case RATE_LIMIT_POLICY -> "Limits, as the IETF's draft writes them";
			case RATE_LIMIT -> "What is left of them, as the IETF's draft writes it";
			case X_RATE_LIMIT_LIMIT -> "Permits that the tightest limit has at most";
			case X_RATE_LIMIT_REMAINING -> "Permits that are left of the tightest limit";
			case X_RATE_LIMIT_RESET -> "When the tightest limit has all its permits again";
			case RETRY_AFTER, X_RATE_LIMIT_RETRY_AFTER -> "Seconds until it is worth trying again";
		};
		return new Field(name.text(), description, !name.isList());
	}

	Header header() {
		return new Header().description(this.description)
			.schema(this.number ? new IntegerSchema() : new StringSchema());
	}

}
