package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.AnnotationConfigurationException;

/**
 * Registers the limits of a bean's class, and rejects those that cannot be enforced.
 */
final class LimitedTypeCheck {

	private static final Log logger = LogFactory.getLog(LimitedTypeCheck.class);

	/* The platform has no order for the methods of a class. */
	private static final Comparator<Method> BY_SIGNATURE = Comparator
		.comparing((method) -> method.getName() + Arrays.toString(method.getParameterTypes()));

	private final Set<Class<?>> checked = ConcurrentHashMap.newKeySet();

	private final RateLimitedMethods methods;

	private final Interception interception;

	private final BlockingWaitCheck waits;

	LimitedTypeCheck(RateLimitedMethods methods, Interception interception, boolean virtualThreads,
			@Nullable Duration requestTimeout) {
		this.methods = methods;
		this.interception = interception;
		this.waits = new BlockingWaitCheck(virtualThreads, requestTimeout);
		if (methods.limiter() instanceof StoreRateLimiterRegistry registry) {
			registry.checkOverrides(this.waits::check);
		}
	}

	void check(Class<?> type) {
		if (this.checked.contains(type) || !RateLimitedAnnotations.isCandidate(type)) {
			return;
		}
		Set<Method> limited = limitedMethods(type);
		if (limited == null) {
			return;
		}
		List<Method> ordered = new ArrayList<>(limited);
		ordered.sort(BY_SIGNATURE);
		for (Method method : ordered) {
			check(method, type);
		}
		if (limited.isEmpty() && RateLimitedAnnotations.areOn(type)) {
			throw AnnotatedPlace.of(type)
				.invalid("limits nothing, because there is no "
						+ (MethodRole.isController(type) ? "handler method" : "method but callbacks and hidden ones"),
						"Annotate the methods that are to be limited.", null);
		}
		this.checked.add(type);
	}

	void rejectUnproxied(Class<?> type, String reason, String action) {
		Set<Method> limited = RateLimitedAnnotations.isCandidate(type) ? limitedMethods(type) : null;
		if (limited == null) {
			return;
		}
		for (Method method : limited) {
			if (!this.interception.isEnforcedBeforeTheCall(method, type)
					|| this.methods.limitedMethod(method, type).needsCall()) {
				throw AnnotatedPlace.of(method, type).invalid("would have no effect, because " + reason, action, null);
			}
		}
	}

	private @Nullable Set<Method> limitedMethods(Class<?> type) {
		try {
			Map<Method, RateLimitedAnnotations> limited = RateLimitedAnnotations.of(type);
			limited.entrySet()
				.removeIf((each) -> each.getValue().areOfType() && this.interception.isHidden(each.getKey(), type));
			return limited.keySet();
		}
		catch (AnnotationConfigurationException ex) {
			throw ex;
		}
		catch (RuntimeException | LinkageError ex) {
			logger.debug("Could not read the methods of " + type.getName()
					+ ", probably because a type in their signatures is missing", ex);
			return null;
		}
	}

	private void check(Method method, Class<?> type) {
		AnnotatedPlace place = AnnotatedPlace.of(method, type);
		boolean beforeTheCall = this.interception.isEnforcedBeforeTheCall(method, type);
		if (!beforeTheCall) {
			checkCallback(method, place);
		}
		String obstacle = this.interception.obstacle(method, type);
		if (obstacle != null && !beforeTheCall) {
			throw place.invalid("would have no effect, because a proxy cannot intercept " + obstacle,
					"Make it a public method, neither final nor static, of a class that is not final.", null);
		}
		LimitedMethod limited = this.methods.limitedMethod(method, type);
		if (obstacle == null) {
			limited.intercept();
		}
		else if (limited.needsCall()) {
			throw place.invalid(
					"needs a proxy for what its expressions read of the call, and a proxy cannot intercept " + obstacle,
					"Read neither arguments nor the result, but such as pathVariable('id'), header('X-Api-Key') or "
							+ "status; or make it a public method, and the class and all its handlers and callbacks "
							+ "neither final nor private.",
					null);
		}
		this.waits.check(place, limited);
	}

	private static void checkCallback(Method method, AnnotatedPlace place) {
		if (MethodRole.INITIALIZER.isOf(method)) {
			throw place.invalid(
					"would have no effect, because Spring calls the method on the bean itself, behind its proxy",
					"Annotate a method that other beans call.", null);
		}
		if (MethodRole.BEAN.isOf(method)) {
			throw place.invalid(
					"would have no effect, because it limits how often the bean is made, and not how often it is called",
					"Annotate the methods of the bean's class; or, for a RouterFunction, a method that its handler "
							+ "calls, or write a rule in ratelimit.rules.",
					null);
		}
		if (MethodRole.ERROR_HANDLER.isOf(method)) {
			throw place.invalid("would replace the error that the method handles by another",
					"Annotate the handler that fails: its requests count, however they end.", null);
		}
	}

}
