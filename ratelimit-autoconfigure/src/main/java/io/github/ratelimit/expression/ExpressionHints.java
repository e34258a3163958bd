package io.github.ratelimit.expression;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.HashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * Registers runtime hints for what SpEL accesses by reflection: the parameters, beans,
 * types and results that an expression mentions.
 *
 * @since 0.1.0
 */
public final class ExpressionHints {

	private static final MemberCategory[] READ = { MemberCategory.INVOKE_PUBLIC_METHODS,
			MemberCategory.ACCESS_PUBLIC_FIELDS };

	private final BindingReflectionHintsRegistrar properties = new BindingReflectionHintsRegistrar();

	/* Bounds may lead back to where they come from, as in T extends Comparable<T>. */
	private final Set<Type> registered = new HashSet<>();

	private final @Nullable ClassLoader classLoader;

	private final ReflectionHints hints;

	private final BeanFactory beanFactory;

	/**
	 * Creates the registrar.
	 * @param hints the hints to add to
	 * @param beanFactory finds the types of beans
	 * @param classLoader loads types that expressions mention
	 */
	public ExpressionHints(ReflectionHints hints, BeanFactory beanFactory, @Nullable ClassLoader classLoader) {
		this.hints = hints;
		this.beanFactory = beanFactory;
		this.classLoader = classLoader;
	}

	/**
	 * Registers what an expression mentions. An expression that cannot be parsed is
	 * ignored.
	 * @param expression the expression
	 * @param method the method whose parameters can be read, if any
	 * @param target the type of the object that it is called on, if any
	 */
	public void register(String expression, @Nullable Method method, @Nullable Class<?> target) {
		try {
			ExpressionNodes.all(new SpelExpressionParser().parseRaw(expression).getAST())
				.forEach((node) -> register(node, method, target));
		}
		catch (ParseException | IllegalArgumentException ex) {
			// An expression that cannot be parsed fails start-up.
		}
	}

	private void register(SpelNode node, @Nullable Method method, @Nullable Class<?> target) {
		if (node instanceof VariableReference variable && method != null) {
			registerParameter(variable.toStringAST().substring(1), method);
		}
		else if (node instanceof BeanReference bean) {
			registerBean(bean.getName());
		}
		else if (node instanceof TypeReference type) {
			String name = type.getChild(0).toStringAST();
			this.hints.registerTypeIfPresent(this.classLoader, name, READ);
			this.hints.registerTypeIfPresent(this.classLoader, "java.lang." + name, READ);
		}
		else if (node instanceof PropertyOrFieldReference property) {
			registerProperty(property.getName(), method, target);
		}
	}

	private void registerProperty(String name, @Nullable Method method, @Nullable Class<?> target) {
		if (name.equals("target") && target != null) {
			register(ResolvableType.forClass(target));
		}
		else if (name.equals("exception")) {
			this.hints.registerType(Throwable.class, READ);
		}
		else if (name.equals("result") && method != null) {
			register(ResolvableType.forMethodReturnType(method));
		}
	}

	private void registerParameter(String name, Method method) {
		Integer index = ExpressionLocation.parameters(method).get(name);
		if (index != null) {
			register(ResolvableType.forMethodParameter(method, index));
		}
	}

	private void registerBean(String name) {
		Class<?> type = this.beanFactory.containsBean(name) ? this.beanFactory.getType(name) : null;
		if (type != null) {
			this.hints.registerType(type, READ);
		}
	}

	/*
	 * Includes all types that properties lead to, the element types of collections, and
	 * what a future or publisher completes with.
	 */
	private void register(ResolvableType type) {
		if (!this.registered.add(type.getType())) {
			return;
		}

		Class<?> plain = type.toClass();
		this.hints.registerType(plain, READ);
		if (plain.getCanonicalName() != null) {
			this.properties.registerReflectionHints(this.hints, type.getType());
		}
		for (ResolvableType generic : type.getGenerics()) {
			register(generic);
		}
	}

}
