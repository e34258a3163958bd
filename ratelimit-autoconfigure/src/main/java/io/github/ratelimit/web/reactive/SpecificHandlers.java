package io.github.ratelimit.web.reactive;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.github.ratelimit.web.RejectionHandlers;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.http.MediaType;
import org.springframework.util.InvalidMimeTypeException;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.annotation.ExceptionHandlerMappingInfo;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;
import org.springframework.web.reactive.BindingContext;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.reactive.HandlerResultHandler;
import org.springframework.web.reactive.accept.RequestedContentTypeResolver;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.result.method.HandlerMethodArgumentResolver;
import org.springframework.web.reactive.result.method.InvocableHandlerMethod;
import org.springframework.web.reactive.result.method.annotation.ArgumentResolverConfigurer;
import org.springframework.web.reactive.result.method.annotation.ContinuationHandlerMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.CookieValueMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.ExpressionValueMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.MatrixVariableMapMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.MatrixVariableMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.ModelMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.PathVariableMapMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.PathVariableMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.PrincipalMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.RequestAttributeMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.RequestHeaderMapMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.RequestHeaderMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.reactive.result.method.annotation.RequestParamMapMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.RequestParamMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.ServerWebExchangeMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.SessionAttributeMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.WebSessionMethodArgumentResolver;
import org.springframework.web.server.NotAcceptableStatusException;
import org.springframework.web.server.ServerWebExchange;

/**
 * Calls the application's exception handlers for rejections. Spring WebFlux only does so
 * for the failure of a handler that it has called, so that they are called here, with the
 * arguments that it would have given them.
 */
final class SpecificHandlers {

	private static final Log logger = LogFactory.getLog(SpecificHandlers.class);

	private final Map<ControllerAdviceBean, ExceptionHandlerMethodResolver> advice = new LinkedHashMap<>();

	private final RejectionHandlers methods = new RejectionHandlers(this.advice);

	private final RequestedContentTypeResolver contentTypes;

	private final ReactiveAdapterRegistry reactiveTypes;

	private final List<HandlerMethodArgumentResolver> arguments;

	private final List<HandlerResultHandler> results;

	SpecificHandlers(ApplicationContext context) {
		for (ControllerAdviceBean bean : ControllerAdviceBean.findAnnotatedBeans(context)) {
			Class<?> type = bean.getBeanType();
			if (type != null && type != RateLimitHandlerAdapter.class) {
				this.advice.put(bean, new ExceptionHandlerMethodResolver(type));
			}
		}
		RequestMappingHandlerAdapter application = context.getBeanProvider(RequestMappingHandlerAdapter.class)
			.orderedStream()
			.findFirst()
			.orElseGet(RequestMappingHandlerAdapter::new);
		this.contentTypes = application.getContentTypeResolver();
		this.reactiveTypes = Objects.requireNonNullElseGet(application.getReactiveAdapterRegistry(),
				ReactiveAdapterRegistry::getSharedInstance);
		this.arguments = arguments(context, this.reactiveTypes);
		this.results = context.getBeanProvider(HandlerResultHandler.class).orderedStream().toList();
	}

	/*
	 * Those that Spring WebFlux resolves the arguments of exception handlers with.
	 */
	private static List<HandlerMethodArgumentResolver> arguments(ApplicationContext context,
			ReactiveAdapterRegistry types) {
		ConfigurableBeanFactory beans = (ConfigurableBeanFactory) context.getAutowireCapableBeanFactory();
		List<HandlerMethodArgumentResolver> resolvers = new ArrayList<>(List.of(
				new RequestParamMethodArgumentResolver(beans, types, false),
				new RequestParamMapMethodArgumentResolver(types), new PathVariableMethodArgumentResolver(beans, types),
				new PathVariableMapMethodArgumentResolver(types),
				new MatrixVariableMethodArgumentResolver(beans, types),
				new MatrixVariableMapMethodArgumentResolver(types),
				new RequestHeaderMethodArgumentResolver(beans, types),
				new RequestHeaderMapMethodArgumentResolver(types), new CookieValueMethodArgumentResolver(beans, types),
				new ExpressionValueMethodArgumentResolver(beans, types),
				new SessionAttributeMethodArgumentResolver(beans, types),
				new RequestAttributeMethodArgumentResolver(beans, types), new ModelMethodArgumentResolver(types),
				new ServerWebExchangeMethodArgumentResolver(types), new PrincipalMethodArgumentResolver(types),
				new WebSessionMethodArgumentResolver(types)));
		if (KotlinDetector.isKotlinPresent()) {
			resolvers.add(new ContinuationHandlerMethodArgumentResolver());
		}
		ArgumentResolverConfigurer custom = new ArgumentResolverConfigurer() {

			@Override
			public void addCustomResolver(HandlerMethodArgumentResolver... resolver) {
				resolvers.addAll(Arrays.asList(resolver));
			}

		};
		context.getBeanProvider(WebFluxConfigurer.class)
			.orderedStream()
			.forEach((configurer) -> configurer.configureArgumentResolvers(custom));
		resolvers.add(new RequestParamMethodArgumentResolver(beans, types, true));
		return resolvers;
	}

	/**
	 * Whether a client would rather have a page, as Spring Boot chooses for every other
	 * error.
	 */
	boolean prefersPage(ServerWebExchange exchange) {
		for (MediaType accepted : accepted(exchange)) {
			if (accepted.includes(MediaType.TEXT_HTML)) {
				return !accepted.isWildcardType();
			}
		}
		return false;
	}

	/*
	 * Who accepts nothing that can be understood, or too much, is answered by any
	 * handler.
	 */
	private List<MediaType> accepted(ServerWebExchange exchange) {
		try {
			return this.contentTypes.resolveMediaTypes(exchange);
		}
		catch (NotAcceptableStatusException | InvalidMimeTypeException ex) {
			return List.of(MediaType.ALL);
		}
	}

	/**
	 * Has the application answer a rejection.
	 * @param rejection the rejection
	 * @param exchange the request, whose response is not committed
	 * @param handler the request's handler, if it has one yet
	 * @return {@code false} if no exception handler names the exception, or it has failed
	 */
	Mono<Boolean> handle(Throwable rejection, ServerWebExchange exchange, @Nullable HandlerMethod handler) {
		RejectionHandlers.Found found = this.methods.existFor(handler) ? this.methods.find(handler, accepted(exchange))
				: null;
		return (found != null) ? call(found, rejection, exchange, handler) : Mono.just(false);
	}

	/**
	 * Has the application's advice handle a failure that a rejection has caused. For
	 * Spring WebFlux, the adapter's own advice for rejections comes before it.
	 * @param failure what a handler has failed with
	 * @param exchange the request, whose response is not committed
	 * @param handler the request's handler, if it is a method
	 * @return {@code false} if there is no exception handler, or it has failed
	 */
	Mono<Boolean> handleFailure(Throwable failure, ServerWebExchange exchange, @Nullable HandlerMethod handler) {
		for (MediaType accepted : accepted(exchange)) {
			for (Map.Entry<ControllerAdviceBean, ExceptionHandlerMethodResolver> each : this.advice.entrySet()) {
				ExceptionHandlerMappingInfo found = each.getKey()
					.isApplicableToBeanType((handler != null) ? handler.getBeanType() : null)
							? each.getValue().resolveExceptionMapping(failure, accepted) : null;
				if (found != null) {
					return call(new RejectionHandlers.Found(each.getKey().resolveBean(), found.getHandlerMethod(),
							found.getProducibleTypes()), failure, exchange, handler);
				}
			}
		}
		return Mono.just(false);
	}

	private Mono<Boolean> call(RejectionHandlers.Found found, Throwable thrown, ServerWebExchange exchange,
			@Nullable HandlerMethod handler) {
		exchange.getAttributes().remove(HandlerMapping.PRODUCIBLE_MEDIA_TYPES_ATTRIBUTE);
		if (!found.produces().isEmpty()) {
			exchange.getAttributes().put(HandlerMapping.PRODUCIBLE_MEDIA_TYPES_ATTRIBUTE, found.produces());
		}
		exchange.getResponse().getHeaders().clearContentHeaders();
		InvocableHandlerMethod method = new InvocableHandlerMethod(found.bean(), found.method());
		method.setArgumentResolvers(this.arguments);
		method.setReactiveAdapterRegistry(this.reactiveTypes);
		List<@Nullable Object> given = new ArrayList<>();
		for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
			given.add(cause);
		}
		given.add(handler);
		return method.invoke(exchange, new BindingContext(), given.toArray())
			.flatMap((result) -> handleResult(exchange, result))
			.thenReturn(true)
			.onErrorResume((ex) -> {
				if (exchange.getResponse().isCommitted()) {
					return Mono.error(ex);
				}
				if (ex != thrown) {
					logger.warn("Failure in @ExceptionHandler " + method, ex);
				}
				return Mono.just(false);
			});
	}

	private Mono<Void> handleResult(ServerWebExchange exchange, HandlerResult result) {
		for (HandlerResultHandler handler : this.results) {
			if (handler.supports(result)) {
				return handler.handleResult(exchange, result);
			}
		}
		return Mono.error(new IllegalStateException("No HandlerResultHandler for " + result.getReturnValue()));
	}

}
