package io.github.ratelimit.autoconfigure;

import java.util.function.BiFunction;
import java.util.function.Supplier;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.template.TemplateAvailabilityProviders;
import org.springframework.boot.autoconfigure.web.WebProperties;
import org.springframework.boot.webmvc.autoconfigure.error.BasicErrorController;
import org.springframework.boot.webmvc.autoconfigure.error.ErrorViewResolver;
import org.springframework.boot.webmvc.error.ErrorAttributes;
import org.springframework.context.ApplicationContext;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;

/**
 * The pages of Spring Boot's error controller. An application whose own controller has
 * replaced it has the pages that Boot would find: what such a controller is called with
 * is its own affair.
 */
final class ErrorPages implements BiFunction<HttpServletRequest, HttpServletResponse, @Nullable ModelAndView> {

	private static final String DEFAULT_VIEW = "error";

	private final Supplier<@Nullable BasicErrorController> controller;

	private final Supplier<Boolean> defaultView;

	ErrorPages(ApplicationContext context) {
		this.controller = SingletonSupplier.ofNullable(() -> controller(context));
		this.defaultView = SingletonSupplier.of(() -> hasDefaultView(context));
	}

	/*
	 * Without it, a resolver for JSPs would take the name for a path, and forward there.
	 */
	@Override
	public @Nullable ModelAndView apply(HttpServletRequest request, HttpServletResponse response) {
		BasicErrorController controller = this.controller.get();
		ModelAndView page = (controller != null) ? controller.errorHtml(request, response) : null;
		return (page != null && DEFAULT_VIEW.equals(page.getViewName()) && !this.defaultView.get()) ? null : page;
	}

	private static @Nullable BasicErrorController controller(ApplicationContext context) {
		ObjectProvider<ErrorAttributes> attributes = context.getBeanProvider(ErrorAttributes.class);
		return context.getBeanProvider(BasicErrorController.class).getIfUnique(() -> {
			ErrorAttributes unique = attributes.getIfUnique();
			return (unique != null) ? new BasicErrorController(unique,
					context.getBeanProvider(WebProperties.class).getIfAvailable(WebProperties::new).getError(),
					context.getBeanProvider(ErrorViewResolver.class).orderedStream().toList()) : null;
		});
	}

	private static boolean hasDefaultView(ApplicationContext context) {
		return context.containsBean(DEFAULT_VIEW) && context.isTypeMatch(DEFAULT_VIEW, View.class)
				|| new TemplateAvailabilityProviders(context).getProvider(DEFAULT_VIEW, context) != null;
	}

}
