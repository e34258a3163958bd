package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.http.HttpHeaders;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.cors.CorsProcessor;
import org.springframework.web.cors.DefaultCorsProcessor;

/**
 * Lets scripts of other origins read that they were rejected, if the application lets
 * them read its answers: what rejects early must do what the application would have done
 * later.
 *
 * @since 0.1.0
 */
public final class RejectionCors {

	/* What is not allowed is no 403 of its own. */
	private final CorsProcessor processor = new DefaultCorsProcessor() {

		@Override
		protected void rejectRequest(ServerHttpResponse response) {
		}

	};

	private final Supplier<List<CorsConfigurationSource>> sources;

	/**
	 * Creates the headers.
	 * @param sources gives the application's configurations, in the order in which they
	 * apply, when they are first needed: Spring MVC's needs what this is part of
	 */
	public RejectionCors(Supplier<List<CorsConfigurationSource>> sources) {
		this.sources = SingletonSupplier.of(sources);
	}

	void apply(HttpServletRequest request, HttpServletResponse response) throws IOException {
		if (request.getHeader(HttpHeaders.ORIGIN) == null) {
			return;
		}
		for (CorsConfigurationSource source : this.sources.get()) {
			CorsConfiguration configuration = source.getCorsConfiguration(request);
			if (configuration != null) {
				this.processor.processRequest(configuration, request, response);
				return;
			}
		}
	}

}
