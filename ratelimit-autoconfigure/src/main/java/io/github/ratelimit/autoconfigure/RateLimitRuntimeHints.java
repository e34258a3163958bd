package io.github.ratelimit.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Runtime hints for resources and types that every application may need.
 */
class RateLimitRuntimeHints implements RuntimeHintsRegistrar {

	/* Types of optional libraries, which are detected by name. */
	private static final String[] NEIGHBOURS = { "reactor.core.publisher.Flux", "io.lettuce.core.RedisClient",
			"io.github.ratelimit.redis.RedisRateLimitStore", "redis.clients.jedis.Jedis", "reactor.netty.Connection",
			"kotlinx.coroutines.reactor.MonoKt", "org.apache.catalina.connector.ClientAbortException",
			"org.springframework.boot.tomcat.TomcatWebServer", "org.springframework.web.servlet.DispatcherServlet",
			"org.springframework.security.web.csrf.CsrfToken",
			"org.springframework.security.core.context.SecurityContextHolder",
			"org.springframework.security.core.AuthenticatedPrincipal",
			"org.springframework.security.oauth2.core.ClaimAccessor",
			"org.springframework.cloud.context.environment.EnvironmentChangeEvent",
			"org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType",
			"org.springframework.boot.actuate.endpoint.Show",
			"org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints",
			"org.springframework.cloud.gateway.route.Route",
			"org.springframework.cloud.gateway.server.mvc.GatewayServerMvcAutoConfiguration" };

	/* Types whose fields are read. */
	private static final String[] READ = { "org.apache.catalina.connector.ResponseFacade",
			"org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory",
			"org.springframework.security.web.server.WebFilterChainProxy",
			"org.springframework.security.web.server.authentication.AuthenticationWebFilter" };

	/* Known types of words, and what converters make of a collection. */
	private static final String[] READ_BY_EXPRESSIONS = { "java.lang.String", "java.util.ArrayList",
			"java.util.HashSet", "java.util.LinkedHashSet", "java.util.HashMap", "java.util.LinkedHashMap",
			"java.util.ImmutableCollections$ListN", "java.util.ImmutableCollections$List12",
			"java.util.ImmutableCollections$SetN", "java.util.ImmutableCollections$Set12",
			"java.util.ImmutableCollections$MapN", "java.util.ImmutableCollections$Map1", "java.util.Arrays$ArrayList",
			"java.util.Collections$EmptyList", "java.security.Principal", "io.github.ratelimit.request.McpMessage",
			"jakarta.servlet.http.HttpServletRequest", "jakarta.servlet.http.HttpServletRequestWrapper",
			"jakarta.servlet.ServletRequestWrapper", "org.springframework.http.HttpRequest",
			"org.springframework.http.server.reactive.ServerHttpRequest",
			"org.springframework.http.server.reactive.AbstractServerHttpRequest",
			"org.springframework.http.server.reactive.ServerHttpRequestDecorator",
			"org.apache.catalina.connector.RequestFacade", "org.eclipse.jetty.ee11.servlet.ServletApiRequest",
			"org.springframework.security.core.Authentication",
			"org.springframework.security.authentication.AbstractAuthenticationToken",
			"org.springframework.security.authentication.UsernamePasswordAuthenticationToken",
			"org.springframework.security.authentication.AnonymousAuthenticationToken",
			"org.springframework.security.core.userdetails.User",
			"org.springframework.security.oauth2.client.authentication.OAuth2AuthenticationToken",
			"org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationToken",
			"org.springframework.security.oauth2.jwt.Jwt" };

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources().registerPattern("io/github/ratelimit/redis/*.lua");
		hints.resources().registerPattern("io/github/ratelimit/findings/*.txt");
		ReflectionHints reflection = hints.reflection();
		for (String type : NEIGHBOURS) {
			reflection.registerTypeIfPresent(classLoader, type);
		}
		for (String type : READ) {
			reflection.registerTypeIfPresent(classLoader, type, MemberCategory.ACCESS_DECLARED_FIELDS);
		}

		for (String type : READ_BY_EXPRESSIONS) {
			reflection.registerTypeIfPresent(classLoader, type, MemberCategory.INVOKE_PUBLIC_METHODS);
		}
	}

}
