package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.ViewResolver;

/**
 * Renders views where no {@code DispatcherServlet} does.
 */
final class ViewRenderer {

	private final Supplier<List<ViewResolver>> resolvers;

	/**
	 * Creates the renderer.
	 * @param resolvers gives the application's view resolvers, in order, when they are
	 * first needed
	 */
	ViewRenderer(Supplier<List<ViewResolver>> resolvers) {
		this.resolvers = SingletonSupplier.of(resolvers);
	}

	void render(ModelAndView answer, HttpServletRequest request, HttpServletResponse response)
			throws IOException, ServletException {
		if (answer.getStatus() != null) {
			response.setStatus(answer.getStatus().value());
		}
		try {
			View view = view(answer, request.getLocale());
			if (view == null) {
				throw new ServletException("Could not resolve view with name '" + answer.getViewName() + "'");
			}
			view.render(answer.getModel(), request, response);
		}
		catch (IOException | ServletException | RuntimeException ex) {
			throw ex;
		}
		catch (Exception ex) {
			throw new ServletException(ex);
		}
	}

	private @Nullable View view(ModelAndView answer, Locale locale) throws Exception {
		String name = answer.getViewName();
		if (name == null) {
			return answer.getView();
		}
		for (ViewResolver resolver : this.resolvers.get()) {
			View view = resolver.resolveViewName(name, locale);
			if (view != null) {
				return view;
			}
		}
		return null;
	}

}
