package io.github.ratelimit.web.servlet;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.annotation.RateLimitedMethods;
import io.github.ratelimit.web.RateLimitHeaders;
import io.github.ratelimit.web.RateLimitProblem;
import io.github.ratelimit.web.RejectionHandlers;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.RequestPath;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.context.support.WebApplicationContextUtils;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerAdapter;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.ViewResolver;
import org.springframework.web.servlet.handler.HandlerExceptionResolverComposite;
import org.springframework.web.servlet.mvc.method.annotation.ExceptionHandlerExceptionResolver;
import org.springframework.web.servlet.mvc.method.annotation.ServletInvocableHandlerMethod;
import org.springframework.web.servlet.view.ViewResolverComposite;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * The entry to what this package adds to Spring MVC, and the exception handlers and error
 * pages of its application, for rejections. Apart from {@link ServletRateLimits}, which
 * works without it.
 *
 * @since 0.1.0
 */
public final class MvcRateLimits {

	private static final Log logger = LogFactory.getLog(MvcRateLimits.class);

	private final Supplier<SpecificHandlers> handlers;

	private final Supplier<ViewResolver> viewResolver;

	private final ApplicationContext context;

	/* By the context that they are of: the application's, or that of its actuator. */
	private final Map<ApplicationContext, List<HandlerMapping>> mappings = new ConcurrentHashMap<>();

	private final Supplier<BiFunction<HttpServletRequest, HttpServletResponse, @Nullable ModelAndView>> errorPage;

	/* Whether it was logged that the error page has failed. */
	private final AtomicBoolean warned = new AtomicBoolean();

	/**
	 * Creates the entry. Everything is looked up when it is first needed.
	 * @param resolver the application's own resolver
	 * @param viewResolvers the application's view resolvers
	 * @param context the application, which has the handler mappings
	 * @param errorPage gives what finds the page for the error that a request's
	 * attributes tell of, or {@code null} if there is none
	 */
	public MvcRateLimits(ObjectProvider<HandlerExceptionResolver> resolver, ObjectProvider<ViewResolver> viewResolvers,
			ApplicationContext context,
			Supplier<BiFunction<HttpServletRequest, HttpServletResponse, @Nullable ModelAndView>> errorPage) {
		this.handlers = SingletonSupplier.of(() -> new SpecificHandlers(application(resolver.getIfAvailable())));
		this.viewResolver = SingletonSupplier.of(() -> {
			ViewResolverComposite composite = new ViewResolverComposite();
			composite.setViewResolvers(viewResolvers.orderedStream().toList());
			return composite;
		});
		this.context = context;
		this.errorPage = SingletonSupplier.of(errorPage);
	}

	private static ExceptionHandlerExceptionResolver application(@Nullable HandlerExceptionResolver resolver) {
		if (resolver instanceof HandlerExceptionResolverComposite composite) {
			for (HandlerExceptionResolver each : composite.getExceptionResolvers()) {
				if (each instanceof ExceptionHandlerExceptionResolver handlers) {
					return handlers;
				}
			}
		}
		ExceptionHandlerExceptionResolver handlers = new ExceptionHandlerExceptionResolver();
		handlers.afterPropertiesSet();
		return handlers;
	}

	/**
	 * Creates the interceptor that enforces the limits of handlers before their arguments
	 * are resolved.
	 * @param methods the limits of methods
	 * @param rejections answers those that are rejected
	 * @return the interceptor, for all paths
	 */
	public static HandlerInterceptor interceptor(RateLimitedMethods methods, RateLimitRejections rejections) {
		return new RateLimitHandlerInterceptor(methods, rejections);
	}

	/**
	 * Creates the adapter that lets requests wait right before their handler is called.
	 * @param adapters gives all adapters of the dispatcher, in their order
	 * @param limits what all requests share
	 * @return the adapter, which calls handlers through the others
	 */
	public static HandlerAdapter handlerAdapter(Supplier<Stream<HandlerAdapter>> adapters, ServletRateLimits limits) {
		return new DelayedHandlerAdapter(adapters, limits);
	}

	/**
	 * Creates the resolver that answers rejected calls which the application does not
	 * handle itself.
	 * @param rejections answers those that are rejected
	 * @return the resolver
	 */
	public HandlerExceptionResolver exceptionResolver(RateLimitRejections rejections) {
		return new ExceptionResolver(rejections);
	}

	/**
	 * What Spring MVC would allow other origins for a request, once its handler is found:
	 * the global configuration, and {@code @CrossOrigin}.
	 */
	@Nullable CorsConfiguration corsConfiguration(HttpServletRequest request) {
		RequestPath previous = (RequestPath) request.getAttribute(ServletRequestPathUtils.PATH_ATTRIBUTE);
		ServletRequestPathUtils.parseAndCache(request);
		try {
			for (HandlerMapping mapping : mappings(request.getServletContext())) {
				HandlerExecutionChain chain = mapping.getHandler(request);
				if (chain != null) {
					return chain.getInterceptorList()
						.stream()
						.filter(CorsConfigurationSource.class::isInstance)
						.findFirst()
						.map((source) -> ((CorsConfigurationSource) source).getCorsConfiguration(request))
						.orElse(null);
				}
			}
		}
		catch (Exception ex) {
			// no handler for such a request, so that nobody would have allowed anything
		}
		finally {
			ServletRequestPathUtils.setParsedRequestPath(previous, request);
		}
		return null;
	}

	/*
	 * The actuator's own port is served by a context below the application's.
	 */
	private List<HandlerMapping> mappings(ServletContext server) {
		WebApplicationContext serving = WebApplicationContextUtils.getWebApplicationContext(server);
		boolean below = serving != null && serving.getParent() == this.context;
		return this.mappings.computeIfAbsent(below ? serving : this.context,
				(context) -> context.getBeanProvider(HandlerMapping.class).orderedStream().toList());
	}

	/**
	 * Whether the application handles rejections of a handler itself.
	 */
	boolean handles(HandlerMethod handler) {
		return this.handlers.get().methods.existFor(handler);
	}

	/**
	 * Has the application handle the rejection of a request that has no handler yet.
	 * @return {@code false} if it has no exception handler that names the exception
	 */
	boolean handle(HttpServletRequest request, HttpServletResponse response, RateLimitExceededException rejection)
			throws IOException, ServletException {
		SpecificHandlers handlers = this.handlers.get();
		ModelAndView answer = handlers.methods.existFor(null)
				? handlers.resolveException(request, response, null, rejection) : null;
		if (answer == null) {
			return false;
		}
		if (!answer.isEmpty()) {
			render(answer, request, response);
		}
		return true;
	}

	/**
	 * Answers with the application's error page, if the request prefers HTML. As Spring
	 * MVC chooses between two handler methods, of which one produces HTML and the other
	 * says nothing: those of Spring Boot's error controller.
	 * @return {@code false} if there is no page, or it has failed
	 */
	boolean showPage(HttpServletRequest request, HttpServletResponse response, RateLimitPolicy policy,
			RateLimitDecision decision, HttpStatus status) throws IOException, ServletException {
		for (MediaType accepted : this.handlers.get().accepted(new ServletWebRequest(request))) {
			if (accepted.includes(MediaType.TEXT_HTML)) {
				return !accepted.isWildcardType() && show(request, response, policy, decision, status.value());
			}
		}
		return false;
	}

	/*
	 * Renders the page itself: an error dispatch would run the filters again, and Spring
	 * Security might reject that with another status. A page that fails must not make a
	 * failure of a rejection. Anybody can cause another one, so that only the first is
	 * worth a warning.
	 */
	private boolean show(HttpServletRequest request, HttpServletResponse response, RateLimitPolicy policy,
			RateLimitDecision decision, int status) throws IOException, ServletException {
		// those that a container sets before it asks for an error page
		request.setAttribute(RequestDispatcher.ERROR_STATUS_CODE, status);
		request.setAttribute(RequestDispatcher.ERROR_MESSAGE, RateLimitProblem.title(decision));
		request.setAttribute(RequestDispatcher.ERROR_REQUEST_URI, request.getRequestURI());
		try {
			ModelAndView page = this.errorPage.get().apply(request, response);
			if (page == null || page.isEmpty()) {
				return false;
			}
			page.addObject("policy", policy.name());
			long retryAfter = RateLimitHeaders.retryAfterSeconds(decision);
			if (retryAfter > 0) {
				page.addObject("retryAfter", retryAfter);
			}
			RateLimitRejections.clear(response);
			response.setStatus(status);
			render(page, request, response);
			return true;
		}
		catch (IOException | ServletException | RuntimeException ex) {
			if (response.isCommitted()) {
				throw ex;
			}
			if (!(ex instanceof IOException) && this.warned.compareAndSet(false, true)) {
				logger.warn("The error page for rejected requests failed, so that they are answered with a problem",
						ex);
			}
			return false;
		}
	}

	/*
	 * Renders a view where no DispatcherServlet does.
	 */
	private void render(ModelAndView answer, HttpServletRequest request, HttpServletResponse response)
			throws IOException, ServletException {
		if (answer.getStatus() != null) {
			response.setStatus(answer.getStatus().value());
		}
		try {
			String name = answer.getViewName();
			View view = (name != null) ? this.viewResolver.get().resolveViewName(name, request.getLocale())
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

	/**
	 * Answers requests whose handler, or a bean that it called, was rejected: like any
	 * other rejection, unless the application has an exception handler of its own for it.
	 */
	@Order(Ordered.HIGHEST_PRECEDENCE)
	private final class ExceptionResolver implements HandlerExceptionResolver {

		private final RateLimitRejections rejections;

		ExceptionResolver(RateLimitRejections rejections) {
			this.rejections = rejections;
		}

		@Override
		public @Nullable ModelAndView resolveException(HttpServletRequest request, HttpServletResponse response,
				@Nullable Object handler, Exception ex) {
			LimitedServletRequest known = LimitedServletRequest.find(request);
			if (known != null) {
				known.noteException(ex);
			}
			RateLimitExceededException rejection = RateLimitRejections.find(ex);
			if (rejection == null || response.isCommitted() || request.getDispatcherType() == DispatcherType.INCLUDE) {
				return null;
			}
			LimitedServletRequest limited = LimitedServletRequest.of(request, response, this.rejections.limits);
			this.rejections.refund(rejection, limited);
			HttpServletResponse rejected = RateLimitRejections.tell(rejection, limited, response);
			ModelAndView answer = MvcRateLimits.this.handlers.get()
				.resolveException(request, rejected, handler, rejection);
			if (answer != null) {
				return answer;
			}
			try {
				this.rejections.write(rejection, request, rejected);
				return new ModelAndView();
			}
			catch (IOException failure) {
				logger.debug("Failed to answer a request that a rate limit rejected; its client may be gone", failure);
				return null;
			}
			catch (ServletException failure) {
				throw new IllegalStateException("Failed to answer a request that a rate limit rejected", failure);
			}
		}

	}

	/**
	 * Lets a request to Spring MVC wait at the last moment before its handler is called:
	 * after all filters and interceptors, whichever dispatches they are for. Calls
	 * handlers through the adapter that would have called them otherwise.
	 */
	@Order(Ordered.HIGHEST_PRECEDENCE)
	private static final class DelayedHandlerAdapter implements HandlerAdapter {

		private final Supplier<List<HandlerAdapter>> adapters;

		private final ServletRateLimits limits;

		DelayedHandlerAdapter(Supplier<Stream<HandlerAdapter>> adapters, ServletRateLimits limits) {
			this.adapters = SingletonSupplier.of(() -> adapters.get().filter((adapter) -> adapter != this).toList());
			this.limits = limits;
		}

		@Override
		public boolean supports(Object handler) {
			return this.limits.delaying;
		}

		@Override
		public @Nullable ModelAndView handle(HttpServletRequest request, HttpServletResponse response, Object handler)
				throws Exception {
			LimitedServletRequest limited = LimitedServletRequest.find(request);
			if (limited != null && limited.waits() && !this.limits.dispatch.mayProceed(limited, request, response)) {
				return null;
			}
			for (HandlerAdapter adapter : this.adapters.get()) {
				if (adapter.supports(handler)) {
					return adapter.handle(request, response, handler);
				}
			}
			throw new ServletException("No adapter for handler [" + handler + "]");
		}

	}

	/**
	 * Finds and calls the application's {@link ExceptionHandler @ExceptionHandler}
	 * methods that name {@link RateLimitExceededException}. One for all exceptions was
	 * written for failures, and does not swallow a rejection.
	 */
	private static class SpecificHandlers extends ExceptionHandlerExceptionResolver {

		private final RejectionHandlers methods;

		/**
		 * Creates the handlers.
		 * @param application the application's resolver, which everything but the choice
		 * of the method is left to
		 */
		SpecificHandlers(ExceptionHandlerExceptionResolver application) {
			setMessageConverters(application.getMessageConverters());
			setContentNegotiationManager(application.getContentNegotiationManager());
			if (application.getArgumentResolvers() != null) {
				setArgumentResolvers(application.getArgumentResolvers().getResolvers());
			}
			if (application.getReturnValueHandlers() != null) {
				setReturnValueHandlers(application.getReturnValueHandlers().getHandlers());
			}
			setApplicationContext(application.getApplicationContext());
			afterPropertiesSet();
			this.methods = new RejectionHandlers(getExceptionHandlerAdviceCache());
		}

		@Override
		protected @Nullable ServletInvocableHandlerMethod getExceptionHandlerMethod(@Nullable HandlerMethod method,
				Exception exception, ServletWebRequest webRequest) {
			RejectionHandlers.Found found = this.methods.find(exception.getClass(), method, () -> accepted(webRequest));
			if (found == null) {
				return null;
			}
			if (!found.produces().isEmpty()) {
				webRequest.getRequest().setAttribute(HandlerMapping.PRODUCIBLE_MEDIA_TYPES_ATTRIBUTE, found.produces());
			}
			return new ServletInvocableHandlerMethod(found.bean(), found.method(), getApplicationContext());
		}

		/*
		 * Who accepts nothing that can be understood is answered by any handler.
		 */
		List<MediaType> accepted(ServletWebRequest request) {
			try {
				return getContentNegotiationManager().resolveMediaTypes(request);
			}
			catch (HttpMediaTypeNotAcceptableException ex) {
				return List.of(MediaType.ALL);
			}
		}

	}

}
