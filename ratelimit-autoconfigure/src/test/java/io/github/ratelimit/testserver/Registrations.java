package io.github.ratelimit.testserver;

import java.io.IOException;
import java.util.Map;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.view.AbstractView;

/**
 * Filters, servlets and views of an application, each as what it does.
 */
public final class Registrations {

	private Registrations() {
	}

	public static FilterRegistrationBean<Filter> filter(int order, Filtering filtering) {
		FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>((request, response,
				chain) -> filtering.filter((HttpServletRequest) request, (HttpServletResponse) response, chain));
		registration.setOrder(order);
		return registration;
	}

	public static ServletRegistrationBean<HttpServlet> servlet(String path, Answering answering) {
		return new ServletRegistrationBean<>(new HttpServlet() {

			@Override
			protected void doGet(HttpServletRequest request, HttpServletResponse response)
					throws IOException, ServletException {
				answering.answer(request, response);
			}

		}, path);
	}

	public static ServletRegistrationBean<?> dispatching(String path, String target) {
		ServletRegistrationBean<?> registration = new ServletRegistrationBean<>(new HttpServlet() {

			@Override
			protected void service(HttpServletRequest request, HttpServletResponse response) {
				request.startAsync().dispatch(target);
			}

		}, path);
		registration.setAsyncSupported(true);
		return registration;
	}

	public static View view(Rendering rendering) {
		return new AbstractView() {

			@Override
			protected void renderMergedOutputModel(Map<String, Object> model, HttpServletRequest request,
					HttpServletResponse response) throws Exception {
				rendering.render(model, response);
			}

		};
	}

	public interface Filtering {

		void filter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws IOException, ServletException;

	}

	public interface Answering {

		void answer(HttpServletRequest request, HttpServletResponse response) throws IOException, ServletException;

	}

	public interface Rendering {

		void render(Map<String, Object> model, HttpServletResponse response) throws Exception;

	}

}
