package io.github.ratelimit.expression;

import java.security.Principal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.request.RequestView;
import org.jspecify.annotations.Nullable;

/**
 * A request as it was when it came, for a charge: when its outcome is known, the server's
 * object may tell of an error page, or of another client's request. So it may for a plan,
 * which another thread finds out.
 */
final class NotedRequest implements RequestView {

	/* Tells what was not noted, unless it may be gone. */
	private final @Nullable RequestView request;

	private final Map<RequestReads.Read, @Nullable Object> noted = new HashMap<>();

	/* Whether the user may have been authenticated since, as for a rule. */
	private final boolean early;

	NotedRequest(RequestView request, List<RequestReads.Read> reads, boolean early) {
		this.request = request;
		this.early = early;
		for (RequestReads.Read read : reads) {
			note(read, request);
		}
	}

	private NotedRequest() {
		this.request = null;
		this.early = false;
	}

	/**
	 * Notes all that may be read.
	 * @param request the request
	 * @param reads what may be read
	 * @return a view that does not know the request
	 * @throws RuntimeException if something cannot be read
	 */
	static NotedRequest detached(RequestView request, List<RequestReads.Read> reads) {
		NotedRequest noted = new NotedRequest();
		for (RequestReads.Read read : reads) {
			noted.noted.put(read, read.of(request));
		}
		return noted;
	}

	/* What cannot be read fails the charge, and not the request. */
	private void note(RequestReads.Read read, RequestView request) {
		try {
			this.noted.put(read, read.of(request));
		}
		catch (RuntimeException ex) {
			return;
		}
	}

	private @Nullable String read(String word, String name) {
		RequestReads.Read read = new RequestReads.Read(word, name);
		return (String) (this.noted.containsKey(read) ? this.noted.get(read) : read.of(live()));
	}

	private RequestView live() {
		if (this.request == null) {
			throw new IllegalStateException("The request is read when it may be over");
		}
		return this.request;
	}

	@Override
	public String clientAddress() {
		return String.valueOf(read("clientAddress", ""));
	}

	@Override
	public @Nullable Principal principal() {
		for (Object value : this.noted.values()) {
			if (value instanceof Principal principal) {
				return principal;
			}
		}
		return this.early ? live().principal() : null;
	}

	@Override
	public @Nullable String header(String name) {
		return read("header", name);
	}

	@Override
	public @Nullable String cookie(String name) {
		return read("cookie", name);
	}

	@Override
	public @Nullable String parameter(String name) {
		return read("parameter", name);
	}

	@Override
	public String path() {
		return String.valueOf(read("path", ""));
	}

	@Override
	public @Nullable String pathVariable(String name) {
		return read("pathVariable", name);
	}

	@Override
	public String method() {
		return String.valueOf(read("method", ""));
	}

	@Override
	public @Nullable String session() {
		return read("session", "");
	}

	@Override
	public Object request() {
		return live().request();
	}

}
