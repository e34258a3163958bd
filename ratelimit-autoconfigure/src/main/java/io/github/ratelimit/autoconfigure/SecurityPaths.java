package io.github.ratelimit.autoconfigure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import jakarta.servlet.Filter;

import org.springframework.context.ApplicationContext;
import org.springframework.core.NativeDetector;
import org.springframework.security.web.DefaultSecurityFilterChain;
import org.springframework.security.web.FilterChainProxy;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.www.BasicAuthenticationFilter;
import org.springframework.security.web.csrf.CsrfFilter;
import org.springframework.security.web.util.matcher.AnyRequestMatcher;
import org.springframework.security.web.util.matcher.RequestMatcher;
import org.springframework.util.ReflectionUtils;

/**
 * The paths that filters of Spring Security answer, such as that of a form's login. Where
 * that cannot be told, they answer all.
 */
final class SecurityPaths {

	private static final String CHAIN = "springSecurityFilterChain";

	/* What they answer unless configured otherwise. */
	private static final Set<String> USUAL = Set.of("login", "logout", "oauth2", "saml2", "webauthn", "ott", "connect");

	private static final List<String> SPRING = List.of("org.springframework.security.", "org.springframework.web.");

	private static final Pattern PATH = Pattern.compile("PathPattern \\[(?:[A-Z]+ )?(/[^\\]]*)\\]");

	private static final Pattern PATHS = Pattern.compile("(?:Or \\[)?(?:" + PATH + "(?:, )?)+\\]?");

	/* Of what a matcher is made elsewhere, such as those of other servers' logins. */
	private static final String RESOLVER = "RequestResolver";

	private final List<String> patterns = new ArrayList<>();

	private boolean all;

	private SecurityPaths(boolean all) {
		this.all = all;
	}

	static SecurityPaths find(ApplicationContext context) {
		try {
			return read(context);
		}
		catch (RuntimeException | LinkageError ex) {
			// an application's matchers have a text of their own, and a look must not end
			// a start
			return new SecurityPaths(true);
		}
	}

	private static SecurityPaths read(ApplicationContext context) {
		if (NativeDetector.inNativeImage() || !context.containsBean(CHAIN)
				|| !(context.getBean(CHAIN) instanceof FilterChainProxy proxy)) {
			return new SecurityPaths(true);
		}
		List<Filter> filters = proxy.getFilterChains()
			.stream()
			.flatMap((chain) -> chain.getFilters().stream())
			.toList();
		SecurityPaths paths = new SecurityPaths(!filters.stream().allMatch(SecurityPaths::isOfSpring));
		filters.forEach(paths::add);
		return paths;
	}

	private static boolean isOfSpring(Filter filter) {
		return SPRING.stream().anyMatch(filter.getClass().getName()::startsWith);
	}

	/*
	 * Filters have no method that tells which requests they answer. That of CSRF answers
	 * none.
	 */
	private void add(Filter filter) {
		if (filter instanceof CsrfFilter) {
			return;
		}
		ReflectionUtils.doWithFields(filter.getClass(), (field) -> {
			if (field.getType().getSimpleName().endsWith(RESOLVER)) {
				this.all = true;
			}
			else if (RequestMatcher.class.isAssignableFrom(field.getType()) && field.trySetAccessible()) {
				PATH.matcher(String.valueOf(field.get(filter)))
					.results()
					.forEach((path) -> this.patterns.add(path.group(1)));
			}
		});
	}

	/**
	 * The patterns of the paths on which every request may have a password, by HTTP
	 * Basic. Those that cannot be told are left out.
	 */
	static List<String> ofBasic(ApplicationContext context) {
		return (context.containsBean(CHAIN) && context.getBean(CHAIN) instanceof FilterChainProxy proxy) ? proxy
			.getFilterChains()
			.stream()
			.filter((chain) -> chain.getFilters().stream().anyMatch(BasicAuthenticationFilter.class::isInstance))
			.flatMap(SecurityPaths::patterns)
			.toList() : List.of();
	}

	private static Stream<String> patterns(SecurityFilterChain chain) {
		if (!(chain instanceof DefaultSecurityFilterChain known)) {
			return Stream.empty();
		}
		if (known.getRequestMatcher() instanceof AnyRequestMatcher) {
			return Stream.of("/**");
		}
		String text = String.valueOf(known.getRequestMatcher());
		return PATHS.matcher(text).matches() ? PATH.matcher(text).results().map((path) -> path.group(1))
				: Stream.empty();
	}

	boolean mayContain(String path) {
		return this.all || Arrays.stream(path.split("/")).anyMatch(USUAL::contains)
				|| this.patterns.stream().anyMatch((pattern) -> PathOverlap.exists(path, pattern));
	}

}
