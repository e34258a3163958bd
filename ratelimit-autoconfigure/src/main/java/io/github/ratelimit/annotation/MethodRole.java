package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ApplicationListener;
import org.springframework.context.Lifecycle;
import org.springframework.context.Phased;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.stereotype.Controller;

/**
 * The reasons for which Spring calls a method. Annotations are looked up by name, because
 * their libraries are optional.
 */
enum MethodRole {

	WEB_HANDLER(List.of("org.springframework.web.bind.annotation.RequestMapping",
			"org.springframework.web.service.annotation.HttpExchange")),

	MESSAGE_HANDLER(List.of("org.springframework.messaging.handler.annotation.MessageMapping",
			"org.springframework.messaging.simp.annotation.SubscribeMapping",
			"org.springframework.messaging.rsocket.annotation.ConnectMapping",
			"org.springframework.graphql.data.method.annotation.SchemaMapping",
			"org.springframework.graphql.data.method.annotation.BatchMapping",
			"org.springframework.graphql.data.federation.EntityMapping")),

	/** It is called for a handler that has failed. */
	ERROR_HANDLER(List.of("org.springframework.web.bind.annotation.ExceptionHandler",
			"org.springframework.messaging.handler.annotation.MessageExceptionHandler",
			"org.springframework.graphql.data.method.annotation.GraphQlExceptionHandler")),

	/** It is called on the same object before a handler. */
	BEFORE_HANDLERS(List.of("org.springframework.web.bind.annotation.ModelAttribute",
			"org.springframework.web.bind.annotation.InitBinder")),

	/** It is called on the bean itself, before or behind its proxy. */
	LIFECYCLE(
			List.of("jakarta.annotation.PostConstruct", "jakarta.annotation.PreDestroy",
					"org.springframework.beans.factory.annotation.Autowired", "jakarta.inject.Inject"),
			InitializingBean.class, DisposableBean.class, Aware.class),

	/** It is called once to create the bean. */
	BEAN_FACTORY_METHOD(List.of("org.springframework.context.annotation.Bean")),

	OTHER_CALLBACK(List.of("org.springframework.context.event.EventListener"), SmartInitializingSingleton.class,
			ApplicationListener.class, Lifecycle.class, Phased.class, Ordered.class, FactoryBean.class,
			AutoCloseable.class);

	private static final Set<MethodRole> CALLBACKS = EnumSet.complementOf(EnumSet.of(WEB_HANDLER, MESSAGE_HANDLER));

	private final List<String> annotations;

	private final List<Class<?>> types;

	MethodRole(List<String> annotations, Class<?>... types) {
		this.annotations = annotations;
		this.types = List.of(types);
	}

	static boolean isController(Class<?> type) {
		return AnnotatedElementUtils.hasAnnotation(type, Controller.class);
	}

	/*
	 * Whether the method handles requests. HTTP clients have mappings too, but are no
	 * controllers.
	 */
	static boolean isWebHandler(Method method, Class<?> type) {
		return WEB_HANDLER.isOf(method) && isController(type);
	}

	static boolean isHandler(Method method) {
		return WEB_HANDLER.isOf(method) || MESSAGE_HANDLER.isOf(method);
	}

	/*
	 * Whether an annotation on its type does not apply to the method.
	 */
	static boolean isCallback(Method method, Class<?> type) {
		return CALLBACKS.stream().anyMatch((role) -> role.isOf(method, type));
	}

	boolean isOf(Method method) {
		return isOf(method, method.getDeclaringClass());
	}

	private boolean isOf(Method method, Class<?> bean) {
		MergedAnnotations present = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
		for (String annotation : this.annotations) {
			if (present.isPresent(annotation)) {
				return true;
			}
		}

		return !this.types.isEmpty()
				&& Interfaces.of(bean).stream().anyMatch((type) -> isOneOf(type) && declares(type, method));
	}

	private boolean isOneOf(Class<?> type) {
		boolean ofSpring = type.getName().startsWith("org.springframework.");
		return this.types.stream().anyMatch((each) -> each == type || (ofSpring && each.isAssignableFrom(type)));
	}

	private static boolean declares(Class<?> type, Method method) {
		return Arrays.stream(type.getMethods())
			.anyMatch((candidate) -> candidate.getName().equals(method.getName())
					&& candidate.getParameterCount() == method.getParameterCount());
	}

}
