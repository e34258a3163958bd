package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.ratelimit.expression.ExpressionHints;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aot.generate.GenerationContext;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Registers runtime hints for the expressions of a bean's annotated methods, and for its
 * proxy where a subclass is impossible.
 */
class AnnotatedBeanHints implements BeanRegistrationAotProcessor {

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
		Class<?> type = ClassUtils.getUserClass(bean.getBeanClass());
		if (!RateLimitedAnnotations.isCandidate(type)) {
			return null;
		}
		Map<Method, RateLimitedAnnotations> limited = RateLimitedAnnotations.of(type);
		if (limited.isEmpty()) {
			return null;
		}
		return (context, code) -> contribute(context, bean, type, limited);
	}

	private static void contribute(GenerationContext context, RegisteredBean bean, Class<?> type,
			Map<Method, RateLimitedAnnotations> limited) {
		RuntimeHints hints = context.getRuntimeHints();
		hints.proxies().registerJdkProxy(RateLimited.class);
		if (Modifier.isFinal(type.getModifiers())) {
			hints.proxies()
				.registerJdkProxy(AopProxyUtils.completeJdkProxyInterfaces(Interception.proxiedInterfaces(type)));
		}

		ExpressionHints expressions = new ExpressionHints(hints.reflection(), bean.getBeanFactory(),
				type.getClassLoader());
		Environment environment = bean.getBeanFactory().getBean(Environment.class);
		limited.forEach((method, annotations) -> {
			hints.reflection().registerMethod(method, ExecutableMode.INVOKE);
			for (RateLimited limit : annotations.annotations()) {
				Stream<String> own = Stream.of(limit.key(), limit.cost(), limit.condition(), limit.charge(),
						limit.chargeEach());
				Stream.concat(own, ofPolicies(names(limit, annotations), environment))
					.filter((expression) -> !expression.isEmpty())
					.forEach((expression) -> expressions.register(expression, method, type));
				Fallback.candidates(limit.fallback(), type)
					.forEach((fallback) -> hints.reflection().registerMethod(fallback, ExecutableMode.INVOKE));
			}
		});
	}

	/*
	 * Returns the names that the annotation's policy may have. One without a name has the
	 * method's, which is followed by a number if several of them have it.
	 */
	private static Stream<String> names(RateLimited limit, RateLimitedAnnotations annotations) {
		String name = limit.policy() + limit.name();
		if (!name.isEmpty()) {
			return Stream.of(name);
		}
		return annotations.location()
			.names()
			.stream()
			.flatMap((derived) -> Stream.concat(Stream.of(derived),
					IntStream.rangeClosed(2, annotations.annotations().size())
						.mapToObj((number) -> derived + "-" + number)));
	}

	/*
	 * Returns the expressions that policies have when the image is built. They read the
	 * method's parameters and result, too.
	 */
	private static Stream<String> ofPolicies(Stream<String> names, Environment environment) {
		return names.flatMap((name) -> Stream.of("ratelimit.policies." + name, "ratelimit.policies[" + name + "]"))
			.flatMap((policy) -> Stream.of("key", "charge", "charge-each", "plan")
				.map((expression) -> environment.getProperty(policy + "." + expression, "")));
	}

}
