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

	private final HttpServletResponse response;

	private static final int NAMES = HeaderName.values().length;

	/* What we have set, by the ordinals of the names. */
	private final byte[] @Nullable [] own;

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
		HeaderFields fields = TOMCAT ? TomcatHeaderFields.find(response, before) : null;
		return (fields != null) ? fields : new HeaderFields(response, before);
	}

	@Override
	public void set(HeaderName name, byte[] value) {
		if (name.isList()) {
			setLine(name, value);
		}
		else {
			this.response.setHeader(name.text(), text(value));
			note(name, value);
		}
	}

	private void setLine(HeaderName name, byte[] value) {
		List<String> others = new ArrayList<>(this.response.getHeaders(name.text()));
		byte @Nullable [] before = own(name);
		if (before != null) {
			others.remove(text(before));
		}
		this.response.setHeader(name.text(), text(value));
		others.forEach((other) -> this.response.addHeader(name.text(), other));
		note(name, value);
	}

	final void note(HeaderName name, byte[] value) {
		this.own[name.ordinal()] = value;
	}

	final byte @Nullable [] own(HeaderName name) {
		return this.own[name.ordinal()];
	}

	private static String text(byte[] ascii) {
		return new String(ascii, StandardCharsets.US_ASCII);
	}

}
