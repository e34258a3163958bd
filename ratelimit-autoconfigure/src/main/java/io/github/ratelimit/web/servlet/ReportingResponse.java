package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Collection;

import io.github.ratelimit.web.HeaderName;
import io.github.ratelimit.web.RateLimitHeaders;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.ServletResponseWrapper;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

import org.springframework.lang.Contract;

/**
 * The response of a request that may meet more policies on its way: sets the header
 * fields of those that it has met before anything could commit the response or read them,
 * and again where the application sets them itself. A redirection has none.
 */
final class ReportingResponse extends HttpServletResponseWrapper {

	private final ReportedServletRequest limited;

	ReportingResponse(HttpServletResponse response, ReportedServletRequest limited) {
		super(response);
		this.limited = limited;
	}

	/**
	 * The response without this wrapper around it, for when nothing is pending.
	 */
	@Contract("null -> null; !null -> !null")
	static @Nullable HttpServletResponse original(@Nullable HttpServletResponse response) {
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

	private void reportPending() {
		if (this.limited.reportPending) {
			this.limited.report();
		}
	}

	private void reportBeforeReading(String name) {
		if (HeaderName.find(name) != null) {
			this.limited.report();
		}
	}

	@Override
	public ServletOutputStream getOutputStream() throws IOException {
		reportPending();
		return super.getOutputStream();
	}

	@Override
	public PrintWriter getWriter() throws IOException {
		reportPending();
		return super.getWriter();
	}

	@Override
	public void flushBuffer() throws IOException {
		reportPending();
		super.flushBuffer();
	}

	@Override
	public void sendError(int status) throws IOException {
		reportFor(status);
		super.sendError(status);
	}

	@Override
	public void sendError(int status, String message) throws IOException {
		reportFor(status);
		super.sendError(status, message);
	}

	@Override
	public void sendRedirect(String location) throws IOException {
		reportFor(HttpServletResponse.SC_FOUND);
		super.sendRedirect(location);
	}

	@Override
	public void sendRedirect(String location, int status) throws IOException {
		reportFor(status);
		super.sendRedirect(location, status);
	}

	@Override
	public void sendRedirect(String location, boolean clearBuffer) throws IOException {
		reportFor(HttpServletResponse.SC_FOUND);
		super.sendRedirect(location, clearBuffer);
	}

	@Override
	public void sendRedirect(String location, int status, boolean clearBuffer) throws IOException {
		reportFor(status);
		super.sendRedirect(location, status, clearBuffer);
	}

	/* The status is set, and all is sent, before there is another chance. */
	private void reportFor(int status) {
		if (RateLimitHeaders.isSentWith(status)) {
			reportPending();
		}
		else {
			this.limited.withdraw();
		}
	}

	@Override
	public void setStatus(int status) {
		boolean sent = RateLimitHeaders.isSentWith(getStatus());
		super.setStatus(status);
		if (sent != RateLimitHeaders.isSentWith(status)) {
			this.limited.reportStatus();
		}
	}

	@Override
	public void reset() {
		super.reset();
		this.limited.restore();
	}

	@Override
	public void setHeader(String name, @Nullable String value) {
		super.setHeader(name, value);
		reportAfter(HeaderName.find(name));
	}

	@Override
	public void addHeader(String name, @Nullable String value) {
		HeaderName ours = HeaderName.find(name);
		if (ours != null && ours.isRetry()) {
			super.setHeader(name, value);
		}
		else {
			super.addHeader(name, value);
			reportAfter(ours);
		}
	}

	@Override
	public void setIntHeader(String name, int value) {
		super.setIntHeader(name, value);
		reportAfter(HeaderName.find(name));
	}

	@Override
	public void addIntHeader(String name, int value) {
		HeaderName ours = HeaderName.find(name);
		if (ours != null && ours.isRetry()) {
			super.setIntHeader(name, value);
		}
		else {
			super.addIntHeader(name, value);
			reportAfter(ours);
		}
	}

	@Override
	public void setDateHeader(String name, long date) {
		super.setDateHeader(name, date);
		reportAfter(HeaderName.find(name));
	}

	@Override
	public void addDateHeader(String name, long date) {
		HeaderName ours = HeaderName.find(name);
		if (ours != null && ours.isRetry()) {
			super.setDateHeader(name, date);
		}
		else {
			super.addDateHeader(name, date);
			reportAfter(ours);
		}
	}

	/*
	 * Whoever copies the fields of another server copies those of its limits too. When to
	 * come back is one value, and the application's last word.
	 */
	private void reportAfter(@Nullable HeaderName ours) {
		if (ours != null && !ours.isRetry()) {
			this.limited.reportAgain();
		}
	}

	@Override
	public boolean containsHeader(String name) {
		if (this.limited.reportPending) {
			reportBeforeReading(name);
		}
		return super.containsHeader(name);
	}

	@Override
	public @Nullable String getHeader(String name) {
		if (this.limited.reportPending) {
			reportBeforeReading(name);
		}
		return super.getHeader(name);
	}

	@Override
	public Collection<String> getHeaders(String name) {
		if (this.limited.reportPending) {
			reportBeforeReading(name);
		}
		return super.getHeaders(name);
	}

	@Override
	public Collection<String> getHeaderNames() {
		reportPending();
		return super.getHeaderNames();
	}

}
