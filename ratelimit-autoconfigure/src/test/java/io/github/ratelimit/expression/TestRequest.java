package io.github.ratelimit.expression;

import java.security.Principal;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.request.RequestView;
import org.jspecify.annotations.Nullable;

/**
 * A request of which every word means something else.
 *
 * @param user the authenticated user's name, if there is one
 * @param headers the headers, which are also the parameters and cookies
 */
public record TestRequest(@Nullable String user, Map<String, String> headers) implements RequestView {

	/** The address of the client of every request. */
	public static final String ADDRESS = "192.0.2.7";

	/**
	 * A request without user and headers.
	 * @return the request
	 */
	public static TestRequest anonymous() {
		return new TestRequest(null, Map.of());
	}

	@Override
	public String clientAddress() {
		return ADDRESS;
	}

	@Override
	public @Nullable Principal principal() {
		String name = this.user;
		return (name != null) ? () -> name : null;
	}

	@Override
	public @Nullable String header(String name) {
		return this.headers.get(name);
	}

	@Override
	public List<String> parameters(String name) {
		String value = this.headers.get(name);
		return (value != null) ? List.of(value) : List.of();
	}

	@Override
	public @Nullable String cookie(String name) {
		return this.headers.get(name);
	}

	@Override
	public String path() {
		return "/users/{id}";
	}

	@Override
	public @Nullable String pathVariable(String name) {
		return name.equals("id") ? "42" : null;
	}

	@Override
	public String method() {
		return "POST";
	}

	@Override
	public @Nullable String session() {
		return "session-1";
	}

	@Override
	public Object request() {
		return this;
	}

}
