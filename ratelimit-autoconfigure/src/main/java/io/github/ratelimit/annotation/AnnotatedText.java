package io.github.ratelimit.annotation;

import java.util.function.UnaryOperator;

/**
 * A text of an annotation, with its placeholders resolved.
 *
 * @param written the text as it is written
 * @param resolved the text that it stands for, without blanks around it
 */
record AnnotatedText(String written, String resolved) {

	static AnnotatedText resolve(String attribute, String written, String example, AnnotatedPlace place,
			UnaryOperator<String> placeholders) {
		try {
			return new AnnotatedText(written, placeholders.apply(written).strip());
		}
		catch (IllegalArgumentException ex) {
			throw place.invalid("has a " + attribute + " with a placeholder that nothing resolves: '" + written + "'",
					"Set the property that it names, or give a default after a colon, such as " + example + ".", ex);
		}
	}

	/*
	 * For messages.
	 */
	String description() {
		return "'" + this.written + "'"
				+ (this.resolved.equals(this.written.strip()) ? "" : ", which is '" + this.resolved + "'");
	}

}
