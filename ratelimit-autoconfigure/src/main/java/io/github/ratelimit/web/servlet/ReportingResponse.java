package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Collection;

import io.github.ratelimit.web.HeaderName;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.ServletResponseWrapper;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

/**
 * The response of a request that may meet more policies on its way: sets the header
 * fields of those that it has met before anything could commit the response, read them,
 * or set them itself.
 */
final class ReportingResponse extends HttpServletResponseWrapper {

	private final LimitedServletRequest limited;

	ReportingResponse(HttpServletResponse response, LimitedServletRequest limited) {
		super(response);
		this.limited = limited;
	}

	/**
	 * The response without this wrapper around it, for when nothing is pending.
	 */
	static HttpServletResponse original(HttpServletResponse response) {
		return (response instanceof ReportingResponse reporting) ? (HttpServletResponse) reporting.getResponse()
				: response;
	}

	/**
	 * The response without any wrapper around it.
	 */
	static @Nullable HttpServletResponse innermost(@Nullable HttpServletResponse response) {
		ServletResponse inner = response;
		while (inner instanceof ServletResponseWrapper wrapper) {
			inner = wrapper.getResponse();
		}
		return (inner instanceof HttpServletResponse http) ? http : response;
	}

	@Override
	public ServletOutputStream getOutputStream() throws IOException {
		if (this.limited.reportPending) {
			this.limited.report();
		}
		return super.getOutputStream();
	}

	@Override
	public PrintWriter getWriter() throws IOException {
		if (this.limited.reportPending) {
			this.limited.report();
		}
		return super.getWriter();
	}

	@Override
	public void flushBuffer() throws IOException {
		if (this.limited.reportPending) {
			this.limited.report();
		}
		super.flushBuffer();
	}

	@Override
	public void sendError(int status) throws IOException {
		if (this.limited.reportPending) {
			this.limited.report();
		}
		super.sendError(status);
	}

	@Override
	public void sendError(int status, String message) throws IOException {
		if (this.limited.reportPending) {
			this.limited.report();
		}
		super.sendError(status, message);
	}

	@Override
	public void sendRedirect(String location) throws IOException {
		if (this.limited.reportPending) {
			this.limited.report();
		}
		super.sendRedirect(location);
	}

	@Override
	public void sendRedirect(String location, int status) throws IOException {
		if (this.limited.reportPending) {
			this.limited.report();
		}
		super.sendRedirect(location, status);
	}

	@Override
	public void sendRedirect(String location, boolean clearBuffer) throws IOException {
		if (this.limited.reportPending) {
			this.limited.report();
		}
		super.sendRedirect(location, clearBuffer);
	}

	@Override
	public void sendRedirect(String location, int status, boolean clearBuffer) throws IOException {
		if (this.limited.reportPending) {
			this.limited.report();
		}
		super.sendRedirect(location, status, clearBuffer);
	}

	/* The application has the last word on its fields. */
	@Override
	public void setHeader(String name, @Nullable String value) {
		if (this.limited.reportPending && HeaderName.contains(name)) {
			this.limited.report();
		}
		super.setHeader(name, value);
	}

	@Override
	public void addHeader(String name, @Nullable String value) {
		if (this.limited.reportPending && HeaderName.contains(name)) {
			this.limited.report();
		}
		super.addHeader(name, value);
	}

	@Override
	public void setIntHeader(String name, int value) {
		if (this.limited.reportPending && HeaderName.contains(name)) {
			this.limited.report();
		}
		super.setIntHeader(name, value);
	}

	@Override
	public void addIntHeader(String name, int value) {
		if (this.limited.reportPending && HeaderName.contains(name)) {
			this.limited.report();
		}
		super.addIntHeader(name, value);
	}

	@Override
	public boolean containsHeader(String name) {
		if (this.limited.reportPending && HeaderName.contains(name)) {
			this.limited.report();
		}
		return super.containsHeader(name);
	}

	@Override
	public @Nullable String getHeader(String name) {
		if (this.limited.reportPending && HeaderName.contains(name)) {
			this.limited.report();
		}
		return super.getHeader(name);
	}

	@Override
	public Collection<String> getHeaders(String name) {
		if (this.limited.reportPending && HeaderName.contains(name)) {
			this.limited.report();
		}
		return super.getHeaders(name);
	}

	@Override
	public Collection<String> getHeaderNames() {
		if (this.limited.reportPending) {
			this.limited.report();
		}
		return super.getHeaderNames();
	}

}
