package io.github.ratelimit.web.servlet;

import java.util.Enumeration;
import java.util.Locale;
import java.util.function.Supplier;

import jakarta.servlet.http.HttpServletRequest;

import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.accept.ContentNegotiationManager;
import org.springframework.web.accept.HeaderContentNegotiationStrategy;
import org.springframework.web.servlet.mvc.condition.ProducesRequestCondition;

/**
 * Whether a request prefers HTML, decided as Spring MVC decides between two handler
 * methods, of which one produces {@code text/html} and the other says nothing: those of
 * Spring Boot's error controller.
 */
final class HtmlPreference {

	private static final ProducesRequestCondition ANYTHING = new ProducesRequestCondition();

	private final Supplier<Negotiation> negotiation;

	/**
	 * Creates the preference.
	 * @param manager gives what the application negotiates content with, when it is first
	 * needed
	 */
	HtmlPreference(Supplier<ContentNegotiationManager> manager) {
		this.negotiation = SingletonSupplier.of(() -> Negotiation.of(manager.get()));
	}

	boolean holds(HttpServletRequest request) {
		Negotiation negotiation = this.negotiation.get();
		if (negotiation.byHeader() && !acceptsText(request)) {
			return false;
		}
		try {
			ProducesRequestCondition html = negotiation.html().getMatchingCondition(request);
			return html != null && html.compareTo(ANYTHING, request) < 0;
		}
		finally {
			ProducesRequestCondition.clearMediaTypesAttribute(request);
		}
	}

	/* Spares most rejections the parsing of the header field. */
	private static boolean acceptsText(HttpServletRequest request) {
		Enumeration<String> fields = request.getHeaders(HttpHeaders.ACCEPT);
		while (fields.hasMoreElements()) {
			if (fields.nextElement().toLowerCase(Locale.ROOT).contains("text/")) {
				return true;
			}
		}
		return false;
	}

	/**
	 * How the application negotiates.
	 *
	 * @param html whether HTML is accepted at all
	 * @param byHeader whether nothing but the header field {@code Accept} matters
	 */
	private record Negotiation(ProducesRequestCondition html, boolean byHeader) {

		static Negotiation of(ContentNegotiationManager manager) {
			return new Negotiation(
					new ProducesRequestCondition(new String[] { MediaType.TEXT_HTML_VALUE }, null, manager),
					manager.getStrategies().stream().allMatch(HeaderContentNegotiationStrategy.class::isInstance));
		}

	}

}
