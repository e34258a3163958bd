package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Collection;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

/**
 * The response of a request that may meet more policies on its way: sets the header
 * fields of those that it has met before anything could commit the response, or read
 * them.
 */
final class ReportingResponse extends HttpServletResponseWrapper {

	private final LimitedServletRequest limited;

	ReportingResponse(HttpServletResponse response, LimitedServletRequest limited) {
		super(response);
		this.limited = limited;
	}

	HttpServletResponse original() {
		return (HttpServletResponse) getResponse();
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
	public boolean containsHeader(String name) {
		this.limited.reportPending();
		return super.containsHeader(name);
	}

	@Override
	public @Nullable String getHeader(String name) {
		this.limited.reportPending();
		return super.getHeader(name);
	}

	@Override
	public Collection<String> getHeaders(String name) {
		this.limited.reportPending();
		return super.getHeaders(name);
	}

	@Override
	public Collection<String> getHeaderNames() {
		this.limited.reportPending();
		return super.getHeaderNames();
	}

}
