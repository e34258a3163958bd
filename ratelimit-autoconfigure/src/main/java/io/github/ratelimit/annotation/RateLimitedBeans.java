package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.github.ratelimit.InvalidRateLimitException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.KotlinDetector;
import org.springframework.lang.Contract;
import org.springframework.util.ClassUtils;

/**
 * Checks the type of every bean once at start-up, so that every annotated method is known
 * before the first call, and every mistake fails start-up: also a bean that has not met
 * the bean post-processor, or is in a context that has none, and so would not be limited.
 *
 * @since 0.1.0
 */
public final class RateLimitedBeans implements SmartInitializingSingleton, ApplicationListener<ContextRefreshedEvent> {

	/** Name of the bean, by which contexts are known that check their own beans. */
	public static final String BEAN_NAME = "rateLimitedBeans";

	private static final String IN_KOTLIN = "In Kotlin, write open before class and fun, or apply the compiler plugin "
			+ "kotlin-spring, which opens the classes of components. ";

	private static final Log logger = LogFactory.getLog(RateLimitedBeans.class);

	/* The platform has no order for the methods of a class. */
	private static final Comparator<Method> BY_SIGNATURE = Comparator
		.comparing((method) -> method.getName() + Arrays.toString(method.getParameterTypes()));

	private final ConfigurableApplicationContext context;

	private final RateLimitedMethods methods;

	private final RateLimitedBeanPostProcessor processor;

	private final BlockingWaitCheck waits;

	private final Set<Class<?>> checked = ConcurrentHashMap.newKeySet();

	/**
	 * Creates the check.
	 * @param context the context whose beans are checked
	 * @param methods the annotated methods, to which those of the beans are added
	 * @param processor knows which beans it has seen and which methods a proxy intercepts
	 * @param virtualThreads whether requests are served by virtual threads, which may
	 * wait
	 * @param requestTimeout the time-out of asynchronous requests, or {@code null} for
	 * the server's default
	 */
	public RateLimitedBeans(ConfigurableApplicationContext context, RateLimitedMethods methods,
			RateLimitedBeanPostProcessor processor, boolean virtualThreads, @Nullable Duration requestTimeout) {
		this.context = context;
		this.methods = methods;
		this.processor = processor;
		this.waits = new BlockingWaitCheck(virtualThreads, requestTimeout, processor.interception);
		methods.registry().addOverrideCheck(this.waits::check);
	}

	@Override
	public void afterSingletonsInstantiated() {
		ConfigurableListableBeanFactory beanFactory = this.context.getBeanFactory();
		Set<Class<?>> present = this.processor.observeTypes(this::check);
		present.addAll(types(beanFactory).values());

		// In an order of their own, all instances of an application number policies
		// alike.
		for (Class<?> type : present.stream().sorted(Comparator.comparing(Class::getName)).toList()) {
			check(type);
		}
		for (String beanName : beanFactory.getSingletonNames()) {
			rejectUnprocessed(beanFactory, beanName);
		}
	}

	/*
	 * Rejects a bean that the bean post-processor has not seen. An object that was
	 * registered in place of a bean that is defined is there by intention, as the mock of
	 * a test is.
	 */
	private void rejectUnprocessed(ConfigurableListableBeanFactory beanFactory, String beanName) {
		boolean registered = !beanFactory.containsBeanDefinition(beanName);
		if (!registered && !this.processor.earlier.contains(beanName)) {
			return;
		}
		Object bean = beanFactory.getSingleton(beanName);
		if (bean == null || bean instanceof AopInfrastructureBean || RateLimitedAdvisor.limits(bean)) {
			return;
		}

		Class<?> type = ClassUtils.getUserClass(AopUtils.getTargetClass(bean));
		if (registered) {
			rejectUnproxied(type,
					"the bean '" + beanName + "' was registered as an object, which post-processors do not see",
					"Register a bean definition with a supplier of the object instead of a singleton.");
		}
		else {
			rejectUnproxied(type,
					"the bean '" + beanName
							+ "' is made before all post-processors, for one that changes bean definitions",
					"Declare what needs the bean by a static @Bean method, and let it ask an ObjectProvider for "
							+ "the bean when it first uses it; or call RateLimiterRegistry by hand there.");
		}
	}

	/*
	 * Events of a context reach the listeners of its ancestors too. A context without a
	 * bean post-processor of ours is checked by its nearest ancestor that checks its own
	 * beans, or by the descendant. Web handlers in it are limited before they are called;
	 * other annotated methods would not be limited.
	 */
	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		ApplicationContext refreshed = event.getApplicationContext();
		if (refreshed == this.context) {
			for (ApplicationContext each = refreshed.getParent(); isUnchecked(each); each = each.getParent()) {
				rejectAll(each, "{ RateLimitAutoConfiguration.class, RateLimitMethodAutoConfiguration.class }");
			}
			return;
		}

		ApplicationContext nearest = refreshed;
		while (isUnchecked(nearest)) {
			nearest = nearest.getParent();
		}
		if (nearest == this.context) {
			rejectAll(refreshed, "RateLimitMethodAutoConfiguration.class");
		}
	}

	@Contract("null -> false")
	private static boolean isUnchecked(@Nullable ApplicationContext context) {
		return context != null && !context.containsLocalBean(BEAN_NAME);
	}

	private void rejectAll(ApplicationContext context, String autoConfigurations) {
		if (context instanceof ConfigurableApplicationContext configurable) {
			types(configurable.getBeanFactory()).forEach((beanName, type) -> rejectUnproxied(type,
					"the bean '" + beanName + "' is in the context '" + context.getDisplayName()
							+ "', which has no rate limits of its own",
					"Add @ImportAutoConfiguration(" + autoConfigurations
							+ ") to that context's configuration, or move the bean."));
		}
	}

	private void rejectUnproxied(Class<?> type, String reason, String action) {
		if (!RateLimitedAnnotations.isCandidate(type)) {
			return;
		}
		Set<Method> limited = limitedMethods(type);
		if (limited == null) {
			return;
		}

		for (Method method : limited) {
			if (!this.processor.interception.isEnforcedBeforeTheCall(method, type)
					|| this.methods.limitedMethod(method, type).needsCall()) {
				throw AnnotatedLocation.of(method, type).invalid("would have no effect, because " + reason, action);
			}
		}
	}

	/*
	 * Returns the classes of all beans that may have limited methods, by name.
	 */
	private static Map<String, Class<?>> types(ConfigurableListableBeanFactory beanFactory) {
		Map<String, Class<?>> types = new LinkedHashMap<>();
		for (String beanName : beanFactory.getBeanNamesForType(Object.class, true, false)) {
			try {
				Class<?> type = AutoProxyUtils.determineTargetClass(beanFactory, beanName);
				if (type != null && RateLimitedAnnotations.isCandidate(type)) {
					types.put(beanName, ClassUtils.getUserClass(type));
				}
			}
			catch (RuntimeException | LinkageError ex) {
				logger.debug("Could not determine the type of the bean '" + beanName + "', which is probably lazy", ex);
			}
		}
		return types;
	}

	private void check(Class<?> type) {
		if (this.checked.contains(type) || !RateLimitedAnnotations.isCandidate(type)) {
			return;
		}
		Set<Method> limited = limitedMethods(type);
		if (limited == null) {
			return;
		}

		AnnotatedLocation dropped = RateLimitedAnnotations.dropped(type);
		if (dropped != null) {
			throw dropped.invalid(
					"would have no effect on " + type.getSimpleName()
							+ ", which inherits the method's code or other limits from elsewhere",
					"Write all limits that hold on " + type.getSimpleName() + " itself.");
		}
		for (Method method : limited.stream().sorted(BY_SIGNATURE).toList()) {
			check(method, type);
		}
		if (limited.isEmpty() && RateLimitedAnnotations.areOn(type)) {
			String missing = MethodRole.isController(type) ? "handler method" : "method but callbacks and hidden ones";
			throw new AnnotatedLocation(type, null).invalid("limits nothing, because there is no " + missing,
					"Annotate the methods that are to be limited.");
		}
		this.checked.add(type);
	}

	private @Nullable Set<Method> limitedMethods(Class<?> type) {
		return ReadableMethods.read(type, () -> {
			Map<Method, RateLimitedAnnotations> limited = RateLimitedAnnotations.of(type);
			limited.entrySet()
				.removeIf((each) -> each.getValue().location().method() == null
						&& this.processor.interception.isHidden(each.getKey(), type));
			return limited.keySet();
		});
	}

	private void check(Method method, Class<?> type) {
		AnnotatedLocation location = AnnotatedLocation.of(method, type);
		boolean beforeTheCall = this.processor.interception.isEnforcedBeforeTheCall(method, type);
		if (!beforeTheCall) {
			checkCallback(method, location);
		}

		LimitedMethod limited = this.methods.limitedMethod(method, type);
		String obstacle = this.processor.interception.obstacle(method, type);
		if (obstacle == null) {
			limited.intercept();
		}
		else if (!beforeTheCall || limited.needsCall()) {
			throw notIntercepted(location, limited, type, beforeTheCall, obstacle);
		}

		if (beforeTheCall && !limited.isReactive() && this.processor.interception.isReactive()) {
			if (limited.needsArguments()) {
				throw notConnected("reads arguments of", "read the request, such as pathVariable('id').", location,
						type);
			}
			if (limited.hasFallback()) {
				throw notConnected("has a fallback for", "answer the rejection in an @ExceptionHandler.", location,
						type);
			}
			limited.leaveToHandlers();
		}
		this.waits.check(location, limited);
	}

	private static InvalidRateLimitException notIntercepted(AnnotatedLocation location, LimitedMethod limited,
			Class<?> type, boolean beforeTheCall, String obstacle) {
		String consequence = "would have no effect, because";
		if (beforeTheCall && limited.hasFallback()) {
			consequence = "needs a proxy for its fallback, and";
		}
		else if (beforeTheCall) {
			consequence = "needs a proxy for what its expressions read of the call, and";
		}
		String inKotlin = KotlinDetector.isKotlinType(type) ? IN_KOTLIN : "";
		return location.invalid(consequence + " a proxy cannot intercept " + obstacle,
				"Make it a public method, neither final nor static, of a class that is not final. " + inKotlin
						+ "On a controller, do so with all handlers and callbacks, or read neither arguments nor "
						+ "the result, but such as pathVariable('id') or status.");
	}

	private static InvalidRateLimitException notConnected(String reason, String otherwise, AnnotatedLocation location,
			Class<?> type) {
		String inKotlin = KotlinDetector.isKotlinType(type) ? "let the function suspend, " : "";
		return location.invalid(
				reason + " a handler that returns neither a Mono nor a Flux, whose call nothing connects with its "
						+ "request in a reactive web application",
				"Return a Mono or a Flux, " + inKotlin + "or " + otherwise);
	}

	private static void checkCallback(Method method, AnnotatedLocation location) {
		if (MethodRole.LIFECYCLE.isOf(method)) {
			throw location.invalid(
					"would have no effect, because Spring calls the method on the bean itself, behind its proxy",
					"Annotate a method that other beans call.");
		}
		if (MethodRole.BEAN_FACTORY_METHOD.isOf(method)) {
			throw location.invalid(
					"would have no effect, because it limits how often the bean is made, and not how often it is called",
					"Annotate the methods of the bean's class; or, for a RouterFunction, a method that its handler "
							+ "calls, or write a rule in ratelimit.rules.");
		}
		if (MethodRole.ERROR_HANDLER.isOf(method)) {
			throw location.invalid("would replace the error that the method handles by another",
					"Annotate the handler that fails: its requests count, however they end.");
		}
	}

}
