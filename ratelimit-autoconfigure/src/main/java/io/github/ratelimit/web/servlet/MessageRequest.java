package io.github.ratelimit.web.servlet;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Objects;

import io.github.ratelimit.web.mcp.McpMessages;
import io.github.ratelimit.web.mcp.SentMessage;
import io.github.ratelimit.web.mcp.SentMessage.Refusal;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.jspecify.annotations.Nullable;

import org.springframework.web.util.WebUtils;

/**
 * A request whose body may be a message. Once somebody asks for the message, the body is
 * read, and whoever serves the request gets the same bytes.
 */
final class MessageRequest extends HttpServletRequestWrapper {

	private final McpMessages messages;

	private @Nullable SentMessage message;

	private @Nullable Body body;

	private @Nullable BufferedReader reader;

	/**
	 * Creates a request of which nothing was read.
	 * @param request the request as the filter has it
	 * @param messages reads messages
	 */
	MessageRequest(HttpServletRequest request, McpMessages messages) {
		super(request);
		this.messages = messages;
	}

	/**
	 * Finds the one that is within a request.
	 */
	static @Nullable MessageRequest find(HttpServletRequest request) {
		return WebUtils.getNativeRequest(request, MessageRequest.class);
	}

	/**
	 * Returns the message. Waits for the body when it is first asked for.
	 */
	SentMessage message() {
		SentMessage message = this.message;
		if (message == null) {
			message = read();
			this.message = message;
		}
		return message;
	}

	/*
	 * A server that has failed to read a body, or whose body somebody has read before,
	 * may fail in its own way.
	 */
	private SentMessage read() {
		if (getContentLengthLong() > this.messages.maxSize()) {
			return SentMessage.unread(Refusal.TOO_LARGE);
		}
		try {
			byte[] bytes = super.getInputStream().readNBytes(this.messages.maxSize() + 1);
			this.body = new Body(bytes);
			return this.messages.read(bytes, (field) -> Collections.list(getHeaders(field)));
		}
		catch (IOException | RuntimeException ex) {
			return SentMessage.unread(Refusal.UNREAD);
		}
	}

	@Override
	public ServletInputStream getInputStream() throws IOException {
		if (this.body == null) {
			return super.getInputStream();
		}
		return this.body;
	}

	@Override
	public BufferedReader getReader() throws IOException {
		Body body = this.body;
		if (body == null) {
			return super.getReader();
		}
		BufferedReader reader = this.reader;
		if (reader == null) {
			String encoding = Objects.requireNonNullElse(getCharacterEncoding(), StandardCharsets.ISO_8859_1.name());
			reader = new BufferedReader(new InputStreamReader(body, encoding));
			this.reader = reader;
		}
		return reader;
	}

	/**
	 * The body that was read.
	 */
	private static final class Body extends ServletInputStream {

		private final ByteArrayInputStream bytes;

		Body(byte[] bytes) {
			this.bytes = new ByteArrayInputStream(bytes);
		}

		@Override
		public int read() {
			return this.bytes.read();
		}

		@Override
		public int read(byte[] target, int offset, int length) {
			return this.bytes.read(target, offset, length);
		}

		@Override
		public int available() {
			return this.bytes.available();
		}

		@Override
		public boolean isFinished() {
			return available() == 0;
		}

		@Override
		public boolean isReady() {
			return true;
		}

		@Override
		public void setReadListener(ReadListener listener) {
			try {
				listener.onDataAvailable();
				listener.onAllDataRead();
			}
			catch (IOException ex) {
				listener.onError(ex);
			}
		}

	}

}
