package io.github.ratelimit.web.servlet;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.github.ratelimit.web.HeaderName;
import io.github.ratelimit.web.HeaderSettings;
import io.github.ratelimit.web.ResponseFields;
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
final class ServletResponseFields extends ResponseFields {

	private static final boolean TOMCAT = ClassUtils.isPresent("org.apache.catalina.connector.ResponseFacade",
			ServletResponseFields.class.getClassLoader());

	private static final HeaderName[] NAMES = HeaderName.values();

	private static final byte[] @Nullable [] NONE = new byte[NAMES.length][];

	private HttpServletResponse response;

	private @Nullable TomcatFields tomcat;

	/* The values that we have set, by the ordinals of the names. */
	private byte[] @Nullable [] own = NONE;

	ServletResponseFields(HttpServletResponse response, HeaderSettings headers) {
		super(headers);
		this.response = response;
		this.tomcat = TOMCAT ? TomcatFields.find(response) : null;
	}

	/**
	 * Goes on with the response as another dispatch has it.
	 * @param response the response, not committed
	 */
	void use(HttpServletResponse response) {
		if (this.response != response) {
			this.response = response;
			this.tomcat = TOMCAT ? TomcatFields.find(response) : null;
		}
	}

	@Override
	protected void set(byte[] @Nullable [] values) {
		if (this.tomcat != null) {
			this.tomcat.set(values, this);
		}
		else {
			super.set(values);
		}

		for (int i = 0; i < values.length; i++) {
			if (values[i] == null) {
				values[i] = this.own[i];
			}
		}
		this.own = values;
	}

	@Override
	protected void set(HeaderName name, byte[] value) {
		if (!name.isList()) {
			this.response.setHeader(name.text(), text(value));
			return;
		}

		List<String> others = linesOfOthers(name);
		this.response.setHeader(name.text(), text(value));
		others.forEach((other) -> this.response.addHeader(name.text(), other));
	}

	private List<String> linesOfOthers(HeaderName name) {
		List<String> lines = new ArrayList<>(this.response.getHeaders(name.text()));
		byte[] before = this.own[name.ordinal()];
		if (before != null) {
			lines.remove(text(before));
		}
		return lines;
	}

	private static String text(byte[] ascii) {
		return new String(ascii, StandardCharsets.US_ASCII);
	}

	/**
	 * Adds fields to Tomcat's own responses as bytes. Of texts, Tomcat encodes each name
	 * and each value with an encoder made for it alone, which for our fields takes twice
	 * as long as everything else that we do to a request.
	 */
	private static final class TomcatFields {

		private static final @Nullable VarHandle RESPONSE = response();

		private static final String[] TEXTS = Arrays.stream(NAMES).map(HeaderName::text).toArray(String[]::new);

		private static final byte[][] ASCII = Arrays.stream(TEXTS)
			.map((text) -> text.getBytes(StandardCharsets.US_ASCII))
			.toArray(byte[][]::new);

		private final MimeHeaders fields;

		/* Whether there may be fields that have to be looked for. */
		private boolean mayHaveFields;

		private TomcatFields(MimeHeaders fields) {
			this.fields = fields;
			this.mayHaveFields = fields.size() > 0;
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
		static @Nullable TomcatFields find(HttpServletResponse response) {
			if (RESPONSE == null || response.getClass() != ResponseFacade.class) {
				return null;
			}
			Response own = (Response) RESPONSE.get((ResponseFacade) response);
			if (own == null) {
				return null;
			}
			return new TomcatFields(own.getCoyoteResponse().getMimeHeaders());
		}

		void set(byte[] @Nullable [] values, ServletResponseFields outer) {
			for (int i = 0; i < values.length; i++) {
				byte[] value = values[i];
				if (value != null) {
					set(i, value, outer);
				}
			}
			this.mayHaveFields = true;
		}

		private void set(int index, byte[] value, ServletResponseFields outer) {
			MessageBytes present = this.mayHaveFields ? this.fields.getValue(TEXTS[index]) : null;
			if (present == null) {
				add(ASCII[index], value);
			}
			else if (isOurs(present, outer.own[index])) {
				present.setBytes(value, 0, value.length);
			}
			else {
				outer.set(NAMES[index], value);
			}
		}

		/*
		 * The name is copied, because Tomcat may write its next response into the array.
		 */
		private void add(byte[] name, byte[] value) {
			this.fields.addValue(name.clone(), 0, name.length).setBytes(value, 0, value.length);
		}

		/*
		 * Whether a field still has the value that we have set before.
		 */
		private static boolean isOurs(MessageBytes present, byte @Nullable [] own) {
			return present.getType() == MessageBytes.T_BYTES && present.getByteChunk().getBuffer() == own;
		}

	}

}
