package io.github.ratelimit.web;

import java.util.List;

import io.github.ratelimit.request.Acquisition;
import org.jspecify.annotations.Nullable;

/**
 * The header fields of one request's response, whichever the web stack, and what they
 * have told so far.
 *
 * @since 0.1.0
 */
public abstract class ResponseFields {

	private static final HeaderName[] NAMES = HeaderName.values();

	/* What is told, from the first on. */
	List<Acquisition.Entry> told = List.of();

	byte[] policies = DraftItem.NONE;

	byte[] standings = DraftItem.NONE;

	/* The tightest of all limits, with what remains of it. */
	@Nullable DraftItem tightest;

	boolean allowed;

	long remaining;

	long reset;

	byte[] digits = DraftItem.NONE;

	/**
	 * Sets a field, in place of any earlier value.
	 * @param name the field's name
	 * @param value the value in ASCII; the array is the response's own from then on
	 */
	protected abstract void set(HeaderName name, byte[] value);

	/**
	 * Sets fields.
	 * @param values the values, by the ordinals of the names; {@code null} for a field
	 * that stays as it is
	 */
	protected void set(byte[] @Nullable [] values) {
		for (HeaderName name : NAMES) {
			byte[] value = values[name.ordinal()];
			if (value != null) {
				set(name, value);
			}
		}
	}

}
