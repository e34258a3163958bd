package io.github.ratelimit.web;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.StringTokenizer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;

/**
 * The kind of form that a request says its body is. What serves the request later may be
 * less strict, and take for a form what it should not, or read it in another character
 * set.
 *
 * @since 0.1.0
 */
public enum SentForm {

	/** None: nobody reads parameters there. */
	NONE,

	/** Pairs, which everybody reads alike. */
	URLENCODED,

	/** Parts. */
	MULTIPART,

	/** Some may read a form that others do not. */
	UNCLEAR;

	/* A decoder puts this in place of bytes that are none of a character set. */
	private static final char MALFORMED = '\uFFFD';

	/* These make the same name of an ASCII text. */
	private static final Set<Charset> CHARSETS = Set.of(StandardCharsets.UTF_8, StandardCharsets.US_ASCII,
			StandardCharsets.ISO_8859_1);

	/**
	 * Finds what a request says.
	 * @param fields gives the values of a header field
	 * @param announced whether a request without a type has a field that tells of its
	 * body, if it has one
	 * @return the form
	 */
	public static SentForm of(Function<String, ? extends List<String>> fields, boolean announced) {
		List<String> types = fields.apply(HttpHeaders.CONTENT_TYPE);
		if (types.isEmpty()) {
			return mayHaveBody(fields, announced) ? UNCLEAR : NONE;
		}
		if (types.stream().noneMatch(SentForm::namesForm)) {
			return NONE;
		}
		boolean encoded = !fields.apply(HttpHeaders.CONTENT_ENCODING).isEmpty();
		if (encoded || types.size() > 1) {
			return UNCLEAR;
		}
		return of(types.get(0));
	}

	private static SentForm of(String text) {
		try {
			MediaType type = MediaType.parseMediaType(text);
			if (!type.isConcrete()) {
				return UNCLEAR;
			}
			if (type.equalsTypeAndSubtype(MediaType.MULTIPART_FORM_DATA)) {
				return MULTIPART;
			}
			if (type.equalsTypeAndSubtype(MediaType.APPLICATION_FORM_URLENCODED) && isReadAlike(text, type)) {
				return URLENCODED;
			}
			return UNCLEAR;
		}
		catch (InvalidMediaTypeException ex) {
			return UNCLEAR;
		}
	}

	private static boolean isReadAlike(String text, MediaType type) {
		String lower = text.toLowerCase(Locale.ROOT);
		int named = lower.indexOf("charset");
		Charset charset = type.getCharset();
		if (charset == null) {
			return named < 0;
		}
		return CHARSETS.contains(charset) && named == lower.lastIndexOf("charset");
	}

	private static boolean namesForm(String type) {
		String lower = type.toLowerCase(Locale.ROOT);
		return lower.contains("x-www-form-urlencoded") || lower.contains("multipart/") || lower.contains("*");
	}

	/**
	 * Whether a request may have a body, as far as its header tells.
	 * @param fields gives the values of a header field
	 * @param announced whether a field tells of each body, as HTTP/1.1 demands; a stream
	 * of HTTP/2 needs none
	 * @return {@code true} if it may have one
	 */
	public static boolean mayHaveBody(Function<String, ? extends List<String>> fields, boolean announced) {
		List<String> length = fields.apply(HttpHeaders.CONTENT_LENGTH);
		if (!fields.apply(HttpHeaders.TRANSFER_ENCODING).isEmpty()) {
			return true;
		}
		if (length.isEmpty()) {
			return !announced;
		}
		return !length.get(0).equals("0");
	}

	/**
	 * Counts the pairs of a query.
	 * @param query the query, or {@code null} if there is none
	 * @return no fewer than there can be values of parameters
	 */
	public static long pairs(@Nullable String query) {
		if (query == null) {
			return 0;
		}
		return new StringTokenizer(query, "&").countTokens();
	}

	/**
	 * Whether everybody reads a part alike who takes it for a parameter.
	 * @param disposition the part's {@code Content-Disposition}, or {@code null} if it
	 * has none
	 * @param type the part's type, or {@code null} if it has none
	 * @return {@code false} if some may take it for a file, or read other characters
	 */
	public static boolean isField(@Nullable String disposition, @Nullable String type) {
		if (disposition != null && disposition.toLowerCase(Locale.ROOT).contains("filename")) {
			return false;
		}
		if (type == null) {
			return true;
		}
		try {
			return isReadAlike(type, MediaType.parseMediaType(type));
		}
		catch (InvalidMediaTypeException ex) {
			return false;
		}
	}

	/**
	 * Whether who looks for a parameter may find it by another name.
	 * @param name the parameter's name
	 * @param sent the name that was sent
	 * @return {@code true} if that may be taken for it
	 */
	public static boolean isNamed(String name, String sent) {
		return new ParameterValues(name).isNamed(sent);
	}

	/**
	 * Finds all values of a parameter that those who serve a request may find.
	 * @param name the parameter's name
	 * @param query what was sent in the query, or was found first
	 * @param form what was sent in a form, too
	 * @return the values, each once; empty if one could not be decoded
	 */
	public static List<String> values(String name, Map<String, List<String>> query, Map<String, List<String>> form) {
		ParameterValues values = new ParameterValues(name);
		query.forEach(values::add);
		form.forEach(values::add);
		return values.distinct();
	}

	/**
	 * Whether a value could not be decoded. Others, who ignore that, may read less of it.
	 * @param value the value as it was decoded
	 * @return {@code true} if it had bytes that are none of its character set
	 */
	public static boolean isMalformed(String value) {
		return value.indexOf(MALFORMED) >= 0;
	}

}
