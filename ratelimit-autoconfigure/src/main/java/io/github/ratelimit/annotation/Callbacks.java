package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ApplicationListener;
import org.springframework.context.Lifecycle;
import org.springframework.context.Phased;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;

/**
 * Recognizes methods that Spring calls for its own purposes, to which an annotation on
 * their type does not apply.
 */
final class Callbacks {

	private static final List<String> ERROR_HANDLERS = List.of(
			"org.springframework.web.bind.annotation.ExceptionHandler",
			"org.springframework.messaging.handler.annotation.MessageExceptionHandler",
			"org.springframework.graphql.data.method.annotation.GraphQlExceptionHandler");

	private static final List<String> AROUND_HANDLERS = List.of(
			"org.springframework.web.bind.annotation.ModelAttribute",
			"org.springframework.web.bind.annotation.InitBinder");

	private static final List<String> INITIALIZERS = List.of("jakarta.annotation.PostConstruct",
			"jakarta.annotation.PreDestroy", "org.springframework.beans.factory.annotation.Autowired",
			"jakarta.inject.Inject");

	private static final String BEAN = "org.springframework.context.annotation.Bean";

	private static final List<String> OTHERS = List.of("org.springframework.context.event.EventListener", BEAN);

	private static final Set<Class<?>> INITIALIZING_TYPES = Set.of(InitializingBean.class, DisposableBean.class);

	private static final Set<Class<?>> OTHER_TYPES = Set.of(SmartInitializingSingleton.class, ApplicationListener.class,
			Lifecycle.class, Phased.class, Ordered.class, FactoryBean.class, AutoCloseable.class);

	private Callbacks() {
	}

	static boolean contain(Method method) {
		return Handlers.isAnnotated(method,
				Stream.of(ERROR_HANDLERS, AROUND_HANDLERS, INITIALIZERS, OTHERS).flatMap(List::stream))
				|| implementedFrom(method).anyMatch((type) -> isInitializing(type) || isOther(type));
	}

	/*
	 * Spring calls it once to create the bean.
	 */
	static boolean isBeanMethod(Method method) {
		return Handlers.isAnnotated(method, Stream.of(BEAN));
	}

	/*
	 * A rejection would replace the error that is being handled.
	 */
	static boolean isErrorHandler(Method method) {
		return Handlers.isAnnotated(method, ERROR_HANDLERS.stream());
	}

	/*
	 * Called on the same object as a handler.
	 */
	static boolean isAroundHandlers(Method method) {
		return Handlers.isAnnotated(method, Stream.concat(ERROR_HANDLERS.stream(), AROUND_HANDLERS.stream()));
	}

	/*
	 * Called on the bean itself, before or behind its proxy.
	 */
	static boolean isCalledOnTheBeanItself(Method method) {
		return Handlers.isAnnotated(method, INITIALIZERS.stream())
				|| implementedFrom(method).anyMatch(Callbacks::isInitializing);
	}

	private static boolean isInitializing(Class<?> type) {
		return INITIALIZING_TYPES.contains(type) || Aware.class.isAssignableFrom(type);
	}

	private static boolean isOther(Class<?> type) {
		return OTHER_TYPES.stream().anyMatch((other) -> other == type || isSpringsExtension(type, other));
	}

	private static boolean isSpringsExtension(Class<?> type, Class<?> other) {
		return other.isAssignableFrom(type) && type.getName().startsWith("org.springframework.context.");
	}

	private static Stream<Class<?>> implementedFrom(Method method) {
		return ClassUtils.getAllInterfacesForClassAsSet(method.getDeclaringClass())
			.stream()
			.filter((type) -> Arrays.stream(type.getMethods())
				.anyMatch((candidate) -> candidate.getName().equals(method.getName())
						&& candidate.getParameterCount() == method.getParameterCount()));
	}

}
