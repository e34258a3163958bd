package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.List;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.http.HttpHeaders;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.cors.DefaultCorsProcessor;

/**
 * Lets scripts of other origins read that they were rejected, if the application lets
 * them read its answers: what rejects early must do what the application would have done
 * later.
 */
final class RejectionCors extends DefaultCorsProcessor {

	private final List<CorsConfigurationSource> sources;

	/**
	 * Creates the headers.
	 * @param sources what the application allows, of which the first that says something
	 * holds
	 */
	RejectionCors(List<CorsConfigurationSource> sources) {
		this.sources = sources;
	}

	void apply(HttpServletRequest request, HttpServletResponse response) throws IOException {
		if (request.getHeader(HttpHeaders.ORIGIN) == null) {
			return;
		}
		for (CorsConfigurationSource source : this.sources) {
			CorsConfiguration configuration = source.getCorsConfiguration(request);
			if (configuration != null) {
				processRequest(configuration, request, response);
				return;
			}
		}
	}

	/*
	 * What is not allowed is no 403 of its own.
	 */
	@Override
	protected void rejectRequest(ServerHttpResponse response) {
	}

}
