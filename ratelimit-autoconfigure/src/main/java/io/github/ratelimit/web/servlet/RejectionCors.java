package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.cors.DefaultCorsProcessor;

/**
 * Lets scripts of other origins read that they were rejected, if the application lets
 * them read its answers: what rejects early must do what the application would have done
 * later.
 */
final class RejectionCors extends DefaultCorsProcessor {

	private final Supplier<List<CorsConfigurationSource>> sources;

	/**
	 * Creates the headers.
	 * @param configured the application's configurations, looked up when they are first
	 * needed: they may need what this is part of
	 * @param last what applies where they say nothing, if there is such a thing
	 */
	RejectionCors(ObjectProvider<CorsConfigurationSource> configured, @Nullable CorsConfigurationSource last) {
		this.sources = SingletonSupplier
			.of(() -> Stream.concat(configured.orderedStream(), Stream.ofNullable(last)).toList());
	}

	void apply(HttpServletRequest request, HttpServletResponse response) throws IOException {
		if (request.getHeader(HttpHeaders.ORIGIN) == null) {
			return;
		}
		for (CorsConfigurationSource source : this.sources.get()) {
			CorsConfiguration configuration = source.getCorsConfiguration(request);
			if (configuration != null) {
				processRequest(configuration, request, response);
				return;
			}
		}
	}

	/* What is not allowed is no 403 of its own. */
	@Override
	protected void rejectRequest(ServerHttpResponse response) {
	}

}
