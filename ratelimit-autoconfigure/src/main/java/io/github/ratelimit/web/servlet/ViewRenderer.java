package io.github.ratelimit.web.servlet;

import java.io.IOException;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.ViewResolver;
import org.springframework.web.servlet.view.ViewResolverComposite;

/**
 * Renders views where no {@code DispatcherServlet} does.
 */
final class ViewRenderer {

	private final ViewResolverComposite resolver = new ViewResolverComposite();

	/**
	 * Creates the renderer.
	 * @param resolvers the application's view resolvers
	 */
	ViewRenderer(ObjectProvider<ViewResolver> resolvers) {
		this.resolver.setViewResolvers(resolvers.orderedStream().toList());
	}

	void render(ModelAndView answer, HttpServletRequest request, HttpServletResponse response)
			throws IOException, ServletException {
		if (answer.getStatus() != null) {
			response.setStatus(answer.getStatus().value());
		}

		try {
			View view = resolve(answer, request);
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

	private @Nullable View resolve(ModelAndView answer, HttpServletRequest request) throws Exception {
		String name = answer.getViewName();
		if (name == null) {
			return answer.getView();
		}
		return this.resolver.resolveViewName(name, request.getLocale());
	}

}
