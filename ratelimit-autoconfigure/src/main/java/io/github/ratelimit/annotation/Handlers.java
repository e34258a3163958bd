package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.Stream;

import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.stereotype.Controller;

/**
 * Recognizes the methods of controllers that handle requests or messages. Their
 * annotations are looked up by name, because these libraries are optional.
 */
final class Handlers {

	private static final List<String> WEB = List.of("org.springframework.web.bind.annotation.RequestMapping",
			"org.springframework.web.service.annotation.HttpExchange");

	private static final List<String> MESSAGES = List.of(
			"org.springframework.messaging.handler.annotation.MessageMapping",
			"org.springframework.messaging.simp.annotation.SubscribeMapping",
			"org.springframework.messaging.rsocket.annotation.ConnectMapping",
			"org.springframework.graphql.data.method.annotation.SchemaMapping",
			"org.springframework.graphql.data.method.annotation.BatchMapping",
			"org.springframework.graphql.data.federation.EntityMapping");

	private Handlers() {
	}

	static boolean isController(Class<?> type) {
		return AnnotatedElementUtils.hasAnnotation(type, Controller.class);
	}

	/*
	 * HTTP clients have mappings too, but are no controllers.
	 */
	static boolean isWebHandler(Method method, Class<?> type) {
		return isAnnotated(method, WEB.stream()) && isController(type);
	}

	static boolean isMessageHandler(Method method, Class<?> type) {
		return isAnnotated(method, MESSAGES.stream()) && isController(type);
	}

	static boolean isMapped(Method method) {
		return isAnnotated(method, Stream.concat(WEB.stream(), MESSAGES.stream()));
	}

	static boolean isAnnotated(Method method, Stream<String> names) {
		MergedAnnotations annotations = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
		return names.anyMatch(annotations::isPresent);
	}

}
