package io.github.ratelimit.annotation;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
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
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Runtime hints for the expressions of a bean's annotated methods, and for its proxy
 * where a subclass is impossible.
 */
class AnnotatedBeanHints implements BeanRegistrationAotProcessor {

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
		Class<?> type = ClassUtils.getUserClass(bean.getBeanClass());
		List<Method> limited = RateLimitedMethods.isCandidate(type) ? limitedMethods(type) : List.of();
		return limited.isEmpty() ? null : (context, code) -> contribute(context, bean, type, limited);
	}

	private static List<Method> limitedMethods(Class<?> type) {
		boolean all = !annotations(type).isEmpty();
		return Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(type, ReflectionUtils.USER_DECLARED_METHODS))
			.filter((method) -> all || !annotations(method).isEmpty())
			.toList();
	}

	private static List<MergedAnnotation<RateLimited>> annotations(AnnotatedElement element) {
		return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).stream(RateLimited.class).toList();
	}

	private static void contribute(GenerationContext context, RegisteredBean bean, Class<?> type,
			List<Method> limited) {
		RuntimeHints hints = context.getRuntimeHints();
		hints.proxies().registerJdkProxy(RateLimited.class);
		if (Modifier.isFinal(type.getModifiers())) {
			hints.proxies()
				.registerJdkProxy(AopProxyUtils.completeJdkProxyInterfaces(Interception.proxiedInterfaces(type)));
		}
		ExpressionHints expressions = new ExpressionHints(hints.reflection(), bean.getBeanFactory(),
				type.getClassLoader());
		Environment environment = bean.getBeanFactory().getBean(Environment.class);
		for (Method method : limited) {
			hints.reflection().registerMethod(method, ExecutableMode.INVOKE);
			Stream.concat(annotations(method).stream(), annotations(type).stream())
				.flatMap((annotation) -> Stream.concat(
						Stream.of("key", "cost", "condition", "charge").map(annotation::getString),
						ofPolicy(annotation, environment)))
				.filter((expression) -> !expression.isEmpty())
				.forEach((expression) -> expressions.register(expression, method, type));
		}
	}

	/*
	 * What the policy that has the annotation's name says when the image is built: its
	 * expressions read the method's parameters and result, too.
	 */
	private static Stream<String> ofPolicy(MergedAnnotation<RateLimited> annotation, Environment environment) {
		return Stream.of("policy", "name")
			.map(annotation::getString)
			.filter((name) -> !name.isEmpty())
			.flatMap((name) -> Stream.of("ratelimit.policies." + name, "ratelimit.policies[" + name + "]"))
			.flatMap((policy) -> Stream.of("key", "charge", "plan")
				.map((expression) -> environment.getProperty(policy + "." + expression, "")));
	}

}
