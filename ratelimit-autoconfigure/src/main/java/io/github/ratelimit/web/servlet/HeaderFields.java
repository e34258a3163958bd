package io.github.ratelimit.web.servlet;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.github.ratelimit.web.HeaderFieldSetter;
import io.github.ratelimit.web.HeaderName;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.catalina.connector.Response;
import org.apache.catalina.connector.ResponseFacade;
import org.apache.tomcat.util.buf.MessageBytes;
import org.apache.tomcat.util.http.MimeHeaders;
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

	/**
	 * Adds fields to Tomcat's own responses as bytes. Of texts, Tomcat encodes each name
	 * and each value with an encoder made for it alone, which for our fields takes twice
	 * as long as everything else that we do to a request.
	 */
	private static final class TomcatHeaderFields extends HeaderFields {

		private static final @Nullable VarHandle RESPONSE = response();

		private static final String[] TEXTS = Arrays.stream(HeaderName.values())
			.map(HeaderName::text)
			.toArray(String[]::new);

		private static final byte[][] ASCII = Arrays.stream(TEXTS)
			.map((text) -> text.getBytes(StandardCharsets.US_ASCII))
			.toArray(byte[][]::new);

		private final MimeHeaders fields;

		private TomcatHeaderFields(HttpServletResponse response, MimeHeaders fields, @Nullable HeaderFields before) {
			super(response, before);
			this.fields = fields;
			this.alone = fields.size() == 0;
		}

		private static @Nullable VarHandle response() {
			try {
				return MethodHandles.privateLookupIn(ResponseFacade.class, MethodHandles.lookup())
					.findVarHandle(ResponseFacade.class, "response", Response.class);
			}
			catch (ReflectiveOperationException ex) {
				return null;
			}
		}

		/**
		 * Finds the fields of a response.
		 * @return what sets them, or {@code null} if the response is not Tomcat's own,
		 * such as one that a filter has wrapped
		 */
		static @Nullable TomcatHeaderFields find(HttpServletResponse response, @Nullable HeaderFields before) {
			Response own = (RESPONSE != null && response.getClass() == ResponseFacade.class)
					? (Response) RESPONSE.get((ResponseFacade) response) : null;
			return (own != null) ? new TomcatHeaderFields(response, own.getCoyoteResponse().getMimeHeaders(), before)
					: null;
		}

		/*
		 * Tomcat may write its next response into the arrays.
		 */
		@Override
		public void set(HeaderName name, byte[] value) {
			int index = name.ordinal();
			MessageBytes present = this.alone ? null : this.fields.getValue(TEXTS[index]);
			if (present == null) {
				byte[] bytes = ASCII[index];
				present = this.fields.addValue(bytes.clone(), 0, bytes.length);
			}
			else if (present.getType() != MessageBytes.T_BYTES
					|| present.getByteChunk().getBuffer() != this.own[index]) {
				super.set(name, value);
				return;
			}
			present.setBytes(value, 0, value.length);
			this.own[index] = value;
		}

	}

}
