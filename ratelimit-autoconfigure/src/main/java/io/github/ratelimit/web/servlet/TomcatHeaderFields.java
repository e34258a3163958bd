package io.github.ratelimit.web.servlet;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

import io.github.ratelimit.web.HeaderFieldSetter;
import io.github.ratelimit.web.HeaderName;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.catalina.connector.Response;
import org.apache.catalina.connector.ResponseFacade;
import org.apache.tomcat.util.buf.MessageBytes;
import org.apache.tomcat.util.http.MimeHeaders;
import org.jspecify.annotations.Nullable;

/**
 * Sets the header fields of Tomcat's own responses as bytes. Of texts, Tomcat encodes
 * each name and each value with an encoder made for it alone, which for our fields takes
 * twice as long as everything else that we do to a request.
 */
final class TomcatHeaderFields implements HeaderFieldSetter {

	private static final @Nullable VarHandle RESPONSE = response();

	private static final byte[][] NAMES = Arrays.stream(HeaderName.values())
		.map(HeaderName::bytes)
		.toArray(byte[][]::new);

	private final MimeHeaders fields;

	/* Then none can be there already, since each is set once. */
	private final boolean empty;

	private TomcatHeaderFields(MimeHeaders fields) {
		this.fields = fields;
		this.empty = fields.size() == 0;
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
		if (RESPONSE == null || response.getClass() != ResponseFacade.class) {
			return null;
		}
		Response own = (Response) RESPONSE.get((ResponseFacade) response);
		return (own != null) ? new TomcatHeaderFields(own.getCoyoteResponse().getMimeHeaders()) : null;
	}

	/*
	 * Tomcat may write its next response into the arrays.
	 */
	@Override
	public void set(HeaderName name, byte[] value) {
		boolean present = !this.empty && this.fields.getValue(name.text()) != null;
		byte[] bytes = NAMES[name.ordinal()];
		MessageBytes field = present ? this.fields.setValue(name.text())
				: this.fields.addValue(bytes.clone(), 0, bytes.length);
		field.setBytes(value, 0, value.length);
	}

}
