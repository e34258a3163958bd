package io.github.ratelimit.web.servlet;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.github.ratelimit.web.RequestedPath;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.MappingMatch;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;

/**
 * The path of a servlet request, parsed once at most, and read in other ways only if it
 * is not clean.
 */
final class ServletRequestedPath implements RequestedPath {

	private final ServletPaths paths;

	private final HttpServletRequest request;

	private final @Nullable String text;

	private final boolean unambiguous;

	private @Nullable PathContainer parsed;

	private boolean unparsable;

	private @Nullable List<PathContainer> readings;

	ServletRequestedPath(ServletPaths paths, HttpServletRequest request) {
		this.paths = paths;
		this.request = request;
		String sent = request.getRequestURI();
		boolean clean = isClean(sent);
		// unless something of the path is the application's own, or the servlet's
		this.text = (clean && request.getContextPath().isEmpty()
				&& request.getHttpServletMapping().getMappingMatch() == MappingMatch.DEFAULT) ? sent : null;
		this.unambiguous = clean && sent.startsWith("/") && !sent.endsWith("/");
	}

	/*
	 * Whether a path says parsed and cleaned what it says literally.
	 */
	private static boolean isClean(String path) {
		char previous = 0;
		for (int i = 0; i < path.length(); i++) {
			char c = path.charAt(i);
			if (c <= ' ' || c >= 0x7F || c == '%' || c == ';' || c == '\\') {
				return false;
			}
			if (previous == '/' && (c == '/' || c == '.')) {
				return false;
			}
			previous = c;
		}
		return true;
	}

	@Override
	public @Nullable String text() {
		return this.text;
	}

	@Override
	public @Nullable PathContainer parsed() {
		if (this.parsed == null && !this.unparsable) {
			this.parsed = this.paths.parsed(this.request);
			this.unparsable = (this.parsed == null);
		}
		return this.parsed;
	}

	@Override
	public List<PathContainer> readings() {
		List<PathContainer> readings = this.readings;
		if (readings == null) {
			PathContainer parsed = parsed();
			// of a servlet's own path nothing may be left
			boolean oneWay = this.unambiguous && parsed != null && !parsed.value().isEmpty();
			readings = oneWay ? List.of() : read(parsed);
			this.readings = readings;
		}
		return readings;
	}

	private List<PathContainer> read(@Nullable PathContainer parsed) {
		Set<String> readings = new LinkedHashSet<>();
		String decoded = this.paths.decoded(this.request);
		readings.add(decoded);
		if (parsed != null && this.paths.isForDispatcher(this.request)) {
			CleanedPath.addSent(parsed.value(), readings);
		}
		else {
			CleanedPath.addDecoded(decoded, readings);
		}
		return readings.stream().map(ServletPaths::literal).toList();
	}

}
