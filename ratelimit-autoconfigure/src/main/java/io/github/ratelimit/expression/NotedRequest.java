package io.github.ratelimit.expression;

import java.security.Principal;
import java.util.Map;

import io.github.ratelimit.request.RequestView;
import org.jspecify.annotations.Nullable;

/**
 * A request as it was when it came, for a charge: when its outcome is known, the server's
 * object may tell of an error page, or of another client's request. So it may for a plan,
 * which another thread finds out.
 *
 * @param live tells what was not noted, or {@code null} if it may be gone
 * @param noted what was noted
 * @param early whether the user may have been authenticated since, as for a rule
 */
record NotedRequest(@Nullable RequestView live, Map<RequestReads.Read, @Nullable Object> noted,
		boolean early) implements RequestView {

	private @Nullable String read(String word, String name) {
		RequestReads.Read read = new RequestReads.Read(word, name);
		return (String) (this.noted.containsKey(read) ? this.noted.get(read) : read.of(request(this.live)));
	}

	private static RequestView request(@Nullable RequestView live) {
		if (live == null) {
			throw new IllegalStateException("The request is read when it may be over");
		}
		return live;
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
		return this.early ? request(this.live).principal() : null;
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
		return request(this.live).request();
	}

}
