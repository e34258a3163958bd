package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.ViewResolver;
import org.springframework.web.servlet.view.ViewResolverComposite;

/**
 * Renders views where no {@code DispatcherServlet} does.
 */
final class ViewRenderer {

	private final Supplier<ViewResolver> resolver;

	/**
	 * Creates the renderer.
	 * @param resolvers gives the application's view resolvers, in order, when they are
	 * first needed
	 */
	ViewRenderer(Supplier<List<ViewResolver>> resolvers) {
		this.resolver = SingletonSupplier.of(() -> {
			ViewResolverComposite resolver = new ViewResolverComposite();
			resolver.setViewResolvers(resolvers.get());
			return resolver;
		});
	}

	void render(ModelAndView answer, HttpServletRequest request, HttpServletResponse response)
			throws IOException, ServletException {
		if (answer.getStatus() != null) {
			response.setStatus(answer.getStatus().value());
		}
		try {
			String name = answer.getViewName();
			View view = (name != null) ? this.resolver.get().resolveViewName(name, request.getLocale())
					: answer.getView();
			if (view == null) {
				throw new ServletException("Could not resolve view with name '" + name + "'");
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

}
