package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Collection;

import io.github.ratelimit.web.HeaderName;
import jakarta.servlet.ServletOutputStream;
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
	 * The response without this wrapper around it, which must not be pending then.
	 */
	static HttpServletResponse original(HttpServletResponse response) {
		return (response instanceof ReportingResponse reporting) ? (HttpServletResponse) reporting.getResponse()
				: response;
	}

	@Override
	public ServletOutputStream getOutputStream() throws IOException {
		this.limited.reportPending();
		return super.getOutputStream();
	}

	@Override
	public PrintWriter getWriter() throws IOException {
		this.limited.reportPending();
		return super.getWriter();
	}

	@Override
	public void flushBuffer() throws IOException {
		this.limited.reportPending();
		super.flushBuffer();
	}

	@Override
	public void sendError(int status) throws IOException {
		this.limited.reportPending();
		super.sendError(status);
	}

	@Override
	public void sendError(int status, String message) throws IOException {
		this.limited.reportPending();
		super.sendError(status, message);
	}

	@Override
	public void sendRedirect(String location) throws IOException {
		this.limited.reportPending();
		super.sendRedirect(location);
	}

	@Override
	public void sendRedirect(String location, int status) throws IOException {
		this.limited.reportPending();
		super.sendRedirect(location, status);
	}

	@Override
	public void sendRedirect(String location, boolean clearBuffer) throws IOException {
		this.limited.reportPending();
		super.sendRedirect(location, clearBuffer);
	}

	@Override
	public void sendRedirect(String location, int status, boolean clearBuffer) throws IOException {
		this.limited.reportPending();
		super.sendRedirect(location, status, clearBuffer);
	}

	@Override
	public void setHeader(String name, @Nullable String value) {
		reportBefore(name);
		super.setHeader(name, value);
	}

	@Override
	public void addHeader(String name, @Nullable String value) {
		reportBefore(name);
		super.addHeader(name, value);
	}

	@Override
	public void setIntHeader(String name, int value) {
		reportBefore(name);
		super.setIntHeader(name, value);
	}

	@Override
	public void addIntHeader(String name, int value) {
		reportBefore(name);
		super.addIntHeader(name, value);
	}

	/* The application has the last word on its fields. */
	private void reportBefore(String name) {
		if (this.limited.isReportPending() && HeaderName.contains(name)) {
			this.limited.reportPending();
		}
	}

	@Override
	public boolean containsHeader(String name) {
		reportBefore(name);
		return super.containsHeader(name);
	}

	@Override
	public @Nullable String getHeader(String name) {
		reportBefore(name);
		return super.getHeader(name);
	}

	@Override
	public Collection<String> getHeaders(String name) {
		reportBefore(name);
		return super.getHeaders(name);
	}

	@Override
	public Collection<String> getHeaderNames() {
		this.limited.reportPending();
		return super.getHeaderNames();
	}

}
