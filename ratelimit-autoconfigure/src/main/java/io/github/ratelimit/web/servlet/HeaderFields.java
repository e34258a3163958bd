package io.github.ratelimit.web.servlet;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.web.HeaderFieldSetter;
import io.github.ratelimit.web.HeaderName;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * The header fields of one response. Each decision sets them for all policies that the
 * request has met, in place of those before. A line of a list that somebody else has
 * added stays beside ours.
 */
class HeaderFields implements HeaderFieldSetter {

	private static final boolean TOMCAT = ClassUtils.isPresent("org.apache.catalina.connector.ResponseFacade",
			HeaderFields.class.getClassLoader());

	private static final int NAMES = HeaderName.values().length;

	final HttpServletResponse response;

	/* What we have set, by the ordinals of the names. */
	final byte[] @Nullable [] own;

	/* Whether no field can be there that is not our own. */
	boolean alone;

	HeaderFields(HttpServletResponse response, @Nullable HeaderFields before) {
		this.response = response;
		this.own = (before != null) ? before.own : new byte[NAMES][];
	}

	/**
	 * Finds the fields of a response.
	 * @param response the response, not committed
	 * @param before what set the fields of the same request before, if something did
	 */
	static HeaderFields of(HttpServletResponse response, @Nullable HeaderFields before) {
		if (before != null && before.response == response) {
			before.alone = false;
			return before;
		}
		HeaderFields fields = TOMCAT ? TomcatHeaderFields.find(response, before) : null;
		return (fields != null) ? fields : new HeaderFields(response, before);
	}

	@Override
	public void set(HeaderName name, byte[] value) {
		List<String> others = name.isList() ? new ArrayList<>(this.response.getHeaders(name.text())) : List.of();
		byte[] before = this.own[name.ordinal()];
		if (before != null && !others.isEmpty()) {
			others.remove(text(before));
		}
		this.response.setHeader(name.text(), text(value));
		others.forEach((other) -> this.response.addHeader(name.text(), other));
		this.own[name.ordinal()] = value;
	}

	private static String text(byte[] ascii) {
		return new String(ascii, StandardCharsets.US_ASCII);
	}

}
