package io.github.ratelimit.test.assertj;

import org.assertj.core.api.WritableAssertionInfo;
import org.assertj.core.internal.Failures;

/**
 * The failure of an assertion, in AssertJ's form.
 */
final class Failed {

	private Failed() {
	}

	static AssertionError expected(WritableAssertionInfo info, String what, String expected, Object actual) {
		AssertionError overridden = Failures.instance().failureIfErrorMessageIsOverridden(info);
		if (overridden != null) {
			return overridden;
		}
		String description = info.hasDescription() ? "[" + info.descriptionText() + "] " : "";
		return Failures.instance()
			.failure(description + "\nExpected " + what + "\n" + indented(expected) + "\nbut it was\n"
					+ indented(actual.toString()));
	}

	private static String indented(String text) {
		return text.strip().replaceAll("(?m)^(?=.)", "  ");
	}

}
