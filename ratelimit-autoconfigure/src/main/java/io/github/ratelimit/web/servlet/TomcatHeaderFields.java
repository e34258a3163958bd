package io.github.ratelimit.web.servlet;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

import io.github.ratelimit.web.HeaderName;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.catalina.connector.Response;
import org.apache.catalina.connector.ResponseFacade;
import org.apache.tomcat.util.http.MimeHeaders;
import org.jspecify.annotations.Nullable;

/**
 * Sets the header fields of Tomcat's own responses as bytes. Of texts, Tomcat encodes
 * each name and each value with an encoder made for it alone, which for our fields takes
 * twice as long as everything else that we do to a request.
 */
final class TomcatHeaderFields implements HeaderFields {

	private static final @Nullable VarHandle RESPONSE = response();

	private static final byte[][] NAMES = Arrays.stream(HeaderName.values())
		.map(HeaderName::bytes)
		.toArray(byte[][]::new);

	private final org.apache.coyote.Response response;

	private final MimeHeaders fields;

	/* If so at the start, no field can be there, because each is set once. */
	private final boolean empty;

	private TomcatHeaderFields(org.apache.coyote.Response response) {
		this.response = response;
		this.fields = response.getMimeHeaders();
		this.empty = this.fields.size() == 0;
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
	 * @param response the response
	 * @return what sets them, or {@code null} if the response is not Tomcat's own, such
	 * as one that a filter has wrapped
	 */
	static @Nullable TomcatHeaderFields find(HttpServletResponse response) {
		Response own = (RESPONSE != null && response.getClass() == ResponseFacade.class)
				? (Response) RESPONSE.get((ResponseFacade) response) : null;
		return (own != null) ? new TomcatHeaderFields(own.getCoyoteResponse()) : null;
	}

	@Override
	public boolean areSent() {
		return this.response.isCommitted();
	}

	/*
	 * Tomcat may write its next response into the arrays.
	 */
	@Override
	public void set(HeaderName name, byte[] value) {
		if (!this.empty && this.fields.getValue(name.text()) != null) {
			replace(name, value);
		}
		else {
			byte[] bytes = NAMES[name.ordinal()];
			this.fields.addValue(bytes.clone(), 0, bytes.length).setBytes(value, 0, value.length);
		}
	}

	private void replace(HeaderName name, byte[] value) {
		byte[] all = name.isList() ? ascii(NamedItems.merged(text(value), present(name))) : value;
		this.fields.setValue(name.text()).setBytes(all, 0, all.length);
	}

	@Override
	public void remove(HeaderName name, byte[] value) {
		if (name.isRetry() && !text(value).equals(this.fields.getHeader(name.text()))) {
			return;
		}
		String others = name.isList() ? NamedItems.without(text(value), present(name)) : null;
		this.fields.removeHeader(name.text());
		if (others != null) {
			byte[] bytes = ascii(others);
			this.fields.setValue(name.text()).setBytes(bytes, 0, bytes.length);
		}
	}

	private List<String> present(HeaderName name) {
		return Collections.list(this.fields.values(name.text()));
	}

	private static String text(byte[] value) {
		return new String(value, StandardCharsets.US_ASCII);
	}

	private static byte[] ascii(String text) {
		return text.getBytes(StandardCharsets.US_ASCII);
	}

}
