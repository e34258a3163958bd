package io.github.ratelimit.web.reactive;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.github.ratelimit.web.RejectionHandlers;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.context.ApplicationContext;
import org.springframework.http.MediaType;
import org.springframework.util.InvalidMimeTypeException;
import org.springframework.web.cors.reactive.CorsConfigurationSource;
import org.springframework.web.cors.reactive.DefaultCorsProcessor;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;
import org.springframework.web.reactive.BindingContext;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.reactive.HandlerResultHandler;
import org.springframework.web.reactive.result.method.InvocableHandlerMethod;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.server.NotAcceptableStatusException;
import org.springframework.web.server.ServerWebExchange;

/**
 * Answers rejections as the application itself would. Spring WebFlux only calls exception
 * handlers for the failure of a handler that it has called, so that they are called here,
 * as it calls one of our own, which it is asked for as an example.
 */
final class ApplicationAnswers {

	private static final Log logger = LogFactory.getLog(ApplicationAnswers.class);

	private final RejectionHandlers methods;

	private final RequestMappingHandlerAdapter adapter;

	private final List<HandlerResultHandler> results;

	private final List<CorsConfigurationSource> origins;

	private final ApplicationContext context;

	/* The mappings by their context: the application's, or that of its actuator. */
	private final Map<ApplicationContext, List<HandlerMapping>> mappings = new ConcurrentHashMap<>();

	/* The failures that were logged. */
	private final Set<String> warned = ConcurrentHashMap.newKeySet();

	ApplicationAnswers(ApplicationContext context) {
		Map<ControllerAdviceBean, ExceptionHandlerMethodResolver> advice = new LinkedHashMap<>();
		for (ControllerAdviceBean bean : ControllerAdviceBean.findAnnotatedBeans(context)) {
			Class<?> type = bean.getBeanType();
			if (type != null && type != RateLimitHandlerAdapter.class) {
				advice.put(bean, new ExceptionHandlerMethodResolver(type));
			}
		}

		this.methods = new RejectionHandlers(advice);
		this.adapter = context.getBeanProvider(RequestMappingHandlerAdapter.class)
			.orderedStream()
			.findFirst()
			.orElseGet(RequestMappingHandlerAdapter::new);
		this.results = context.getBeanProvider(HandlerResultHandler.class).orderedStream().toList();
		this.origins = context.getBeanProvider(CorsConfigurationSource.class).orderedStream().toList();
		this.context = context;
	}

	/**
	 * Lets scripts of other origins read that they were rejected, if the application lets
	 * them read its answers: by the first of its sources that says something, or else as
	 * its handler mappings do it themselves. What is not allowed is no 403 of its own.
	 * @param exchange the request
	 * @param answer answers it then; at once if it has no origin
	 */
	Mono<Void> allowOrigin(ServerWebExchange exchange, Supplier<Mono<Void>> answer) {
		if (exchange.getRequest().getHeaders().getOrigin() == null
				|| exchange.getResponse().getHeaders().getAccessControlAllowOrigin() != null) {
			return answer.get();
		}

		return Flux.fromIterable(this.origins)
			.mapNotNull((source) -> source.getCorsConfiguration(exchange))
			.next()
			.<Object>map((configuration) -> new DefaultCorsProcessor().process(configuration, exchange))
			.switchIfEmpty(
					Flux.fromIterable(mappings(exchange)).concatMap((mapping) -> mapping.getHandler(exchange)).next())
			.onErrorComplete()
			.then(Mono.fromRunnable(() -> exchange.getResponse().setStatusCode(null)))
			.then(Mono.defer(answer));
	}

	/*
	 * Our own mapping is not asked. It would enforce the rules once more on a request
	 * that is being rejected, if a filter has rewritten it, and begin to answer it again.
	 */
	private List<HandlerMapping> mappings(ServerWebExchange exchange) {
		return this.mappings.computeIfAbsent(Objects.requireNonNullElse(exchange.getApplicationContext(), this.context),
				(context) -> context.getBeanProvider(HandlerMapping.class)
					.orderedStream()
					.filter((mapping) -> !(mapping instanceof RateLimitWebFilter.Innermost))
					.toList());
	}

	/**
	 * Whether a client would rather have a page, as Spring Boot chooses for every other
	 * error.
	 */
	boolean prefersPage(ServerWebExchange exchange) {
		return accepted(exchange).stream()
			.anyMatch((accepted) -> !accepted.isWildcardType() && accepted.isCompatibleWith(MediaType.TEXT_HTML));
	}

	/*
	 * A client that accepts nothing that can be understood, or too much, is answered by
	 * any handler.
	 */
	private List<MediaType> accepted(ServerWebExchange exchange) {
		try {
			return this.adapter.getContentTypeResolver().resolveMediaTypes(exchange);
		}
		catch (NotAcceptableStatusException | InvalidMimeTypeException ex) {
			return List.of(MediaType.ALL);
		}
	}

	/**
	 * Has the application answer a rejection, or what a rejection has caused.
	 * @param thrown what was thrown
	 * @param exchange the request, whose response is not committed
	 * @param handler the request's handler, if it has one yet
	 * @param otherwise answers if there is no exception handler, or it has failed; that
	 * for a rejection names it
	 */
	<T> Mono<T> handle(Throwable thrown, ServerWebExchange exchange, @Nullable HandlerMethod handler,
			Supplier<Mono<T>> otherwise) {
		RejectionHandlers.Found found = this.methods.find(thrown, handler, () -> accepted(exchange));
		if (found == null) {
			return otherwise.get();
		}

		InvocableHandlerMethod method = new InvocableHandlerMethod(found.bean(), found.method());
		Mono<T> handled = this.adapter.handleError(exchange, new RateLimitHandlerAdapter.Example())
			.flatMap((example) -> {
				if (!found.produces().isEmpty()) {
					exchange.getAttributes().put(HandlerMapping.PRODUCIBLE_MEDIA_TYPES_ATTRIBUTE, found.produces());
				}
				method.setArgumentResolvers(((InvocableHandlerMethod) example.getHandler()).getResolvers());
				return method.invoke(exchange, new BindingContext(), arguments(thrown, handler));
			})
			.flatMap((result) -> resultHandler(result).handleResult(exchange, result))
			.then(Mono.empty());
		return orElse(handled, thrown, exchange, "Failure in @ExceptionHandler " + method + ". This is logged once.",
				otherwise);
	}

	/* What an exception handler may take beside what its argument resolvers know. */
	private static @Nullable Object[] arguments(Throwable thrown, @Nullable HandlerMethod handler) {
		List<@Nullable Object> arguments = new ArrayList<>();
		Throwable cause = thrown;
		while (cause != null && !arguments.contains(cause)) {
			arguments.add(cause);
			cause = cause.getCause();
		}

		arguments.add(handler);
		return arguments.toArray();
	}

	private HandlerResultHandler resultHandler(HandlerResult result) {
		return this.results.stream().filter((each) -> each.supports(result)).findFirst().orElseThrow();
	}

	/**
	 * Answers otherwise if an answer of the application has failed. Anybody can cause
	 * another failure, so that only the first is worth a warning.
	 * @param answer the application's answer
	 * @param thrown what it answers, and may throw again
	 * @param exchange the request
	 * @param warning what to log
	 * @param otherwise answers otherwise
	 */
	<T> Mono<T> orElse(Mono<T> answer, Throwable thrown, ServerWebExchange exchange, String warning,
			Supplier<Mono<T>> otherwise) {
		return answer.onErrorResume((ex) -> {
			if (exchange.getResponse().isCommitted()) {
				return Mono.error(ex);
			}
			if (ex != thrown && this.warned.add(warning)) {
				logger.warn(warning, ex);
			}
			exchange.getResponse().getHeaders().clearContentHeaders();
			return otherwise.get();
		});
	}

}
