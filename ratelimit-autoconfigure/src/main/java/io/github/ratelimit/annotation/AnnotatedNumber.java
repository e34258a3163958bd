package io.github.ratelimit.annotation;

import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

/**
 * A number of an annotation, which may be written as a text instead, so that it can be a
 * placeholder.
 *
 * @param name the name of the number's attribute. That of the text ends in "String"
 * @param number the number, or -1 if it is not set
 * @param text the text, or an empty one if it is not set
 */
record AnnotatedNumber(String name, long number, String text) {

	private static final long UNSET = -1;

	static AnnotatedNumber limit(RateLimited annotation) {
		return new AnnotatedNumber("limit", annotation.limit(), annotation.limitString());
	}

	static AnnotatedNumber burst(RateLimited annotation) {
		return new AnnotatedNumber("burst", annotation.burst(), annotation.burstString());
	}

	static AnnotatedNumber delay(RateLimited annotation) {
		return new AnnotatedNumber("delay", annotation.delay(), annotation.delayString());
	}

	boolean isSet() {
		return this.number != UNSET || !this.text.isEmpty();
	}

	@Nullable Long read(AnnotatedPlace place, UnaryOperator<String> placeholders) {
		if (this.text.isEmpty()) {
			return (this.number != UNSET) ? this.number : null;
		}
		String attribute = this.name + "String";
		if (this.number != UNSET) {
			throw place.invalid("has both " + this.name + " and " + attribute,
					"Remove " + this.name + ", or " + attribute + ".", null);
		}
		AnnotatedText value = AnnotatedText.resolve(attribute, this.text, "${search." + this.name + ":100}", place,
				placeholders);
		try {
			return Long.valueOf(value.resolved());
		}
		catch (NumberFormatException ex) {
			throw place.invalid(
					"has a " + attribute + " that is not a whole number, or too large: " + value.description(),
					"Write the number in digits only, such as 100.", ex);
		}
	}

}
