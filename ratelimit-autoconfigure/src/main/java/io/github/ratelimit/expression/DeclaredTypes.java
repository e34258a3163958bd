package io.github.ratelimit.expression;

import java.lang.reflect.Method;
import java.util.List;

import io.github.ratelimit.RateLimitExpression;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Knows the declared types of an expression's values, as far as the parameters of a
 * method and the classes of beans show them, so that a value that is not there yet, and a
 * method that no text has, are found at start-up.
 *
 * @param beanFactory knows the beans
 * @param location the expression
 * @param names knows the methods of texts
 */
record DeclaredTypes(ListableBeanFactory beanFactory, ExpressionLocation location, KnownNames names) {

	/**
	 * Checks that an expression uses nothing before it is there, and calls nothing that a
	 * text does not have.
	 * @throws io.github.ratelimit.InvalidRateLimitException if it does
	 */
	void check(SpelNode expression) {
		if (this.location.purpose() == RateLimitExpression.PLAN) {
			check(expression, Use.AWAITED);
		}
		else {
			check(expression, Use.READ);
		}
	}

	/*
	 * The value of an Elvis operator is that of any of its parts, and the value of a
	 * ternary one that of a branch, but not of its condition.
	 */
	private void check(SpelNode node, Use use) {
		if (node instanceof CompoundExpression) {
			checkParts(node, use);
			return;
		}
		checkUse(node, node, of(node), use);
		for (int i = 0; i < node.getChildCount(); i++) {
			if (node instanceof Elvis || (node instanceof Ternary && i > 0)) {
				check(node.getChild(i), use);
			}
			else {
				check(node.getChild(i), Use.READ);
			}
		}
	}

	/*
	 * A part that the declared type of the previous one does not have is read of the
	 * value itself.
	 */
	private void checkParts(SpelNode compound, Use use) {
		SpelNode previous = compound.getChild(0);
		ResolvableType type = checkFirst(previous);

		for (int i = 1; i < compound.getChildCount(); i++) {
			SpelNode part = compound.getChild(i);
			List<Method> methods = methods(type, part);
			if (methods.isEmpty()) {
				checkUse(compound, previous, type, Use.READ);
				checkText(type, part);
			}
			checkArguments(part);
			type = typeReturnedBy(methods, type);
			previous = part;
		}

		checkUse(compound, previous, type, use);
	}

	/*
	 * Returns the type of the first part. If that is known, the next part shows whether
	 * its value has to be there.
	 */
	private ResolvableType checkFirst(SpelNode first) {
		ResolvableType type = of(first);
		if (type == ResolvableType.NONE) {
			check(first, Use.READ);
		}
		return type;
	}

	private void checkText(ResolvableType type, SpelNode part) {
		if (type.resolve() == String.class && part instanceof MethodReference call) {
			this.names.checkMethodOfText(call);
		}
	}

	private void checkArguments(SpelNode part) {
		Use use = (part instanceof MethodReference) ? Use.PASSED_ON : Use.READ;
		ExpressionNodes.children(part).forEach((child) -> check(child, use));
	}

	private void checkUse(SpelNode whole, SpelNode part, ResolvableType declared, Use use) {
		Class<?> type = declared.resolve();
		if (type == null || !PendingValue.isOf(type) || use == Use.PASSED_ON
				|| (use == Use.AWAITED && PendingValue.isAwaited(type))) {
			return;
		}

		String reason = "uses '" + whole.toStringAST() + "', but a " + type.getSimpleName() + " "
				+ PendingValue.OBSTACLE + " when the call is limited";
		if (part instanceof VariableReference || isOfPendingParameter(whole)) {
			throw this.location.invalid(reason,
					"Declare the parameter as the value itself, such as @RequestBody Order order "
							+ "in place of @RequestBody Mono<Order> order.");
		}
		if (use == Use.AWAITED) {
			throw this.location.invalid(reason, "A plan may be a Mono or a CompletionStage.");
		}
		throw this.location.invalid(reason,
				"Let the bean give the value itself. Its method may block: what calls a bean is "
						+ "evaluated on a thread that may wait.");
	}

	/* What a method of it gives would not be there either. */
	private boolean isOfPendingParameter(SpelNode whole) {
		SpelNode first = (whole instanceof CompoundExpression) ? whole.getChild(0) : whole;
		Class<?> type = (first instanceof VariableReference) ? of(first).resolve() : null;
		return type != null && PendingValue.isOf(type);
	}

	private ResolvableType of(SpelNode node) {
		if (node instanceof VariableReference variable) {
			Method method = this.location.method();
			Integer index = ExpressionLocation.parameters(method).get(variable.toStringAST().substring(1));
			if (method == null || index == null) {
				return ResolvableType.NONE;
			}
			return ResolvableType.forMethodParameter(method, index);
		}

		if (node instanceof BeanReference bean && this.beanFactory.containsBean(bean.getName())) {
			Class<?> type = this.beanFactory.getType(bean.getName(), false);
			if (type != null) {
				return ResolvableType.forClass(ClassUtils.getUserClass(type));
			}
		}
		return ResolvableType.NONE;
	}

	/*
	 * Returns the methods of a type that a part may call: the overloads that it names, or
	 * what reads a property.
	 */
	private static List<Method> methods(ResolvableType type, SpelNode part) {
		Class<?> declaring = type.resolve();
		if (declaring == null) {
			return List.of();
		}
		if (part instanceof MethodReference call) {
			return KnownNames.methods(declaring, call.getName(), call.getChildCount());
		}
		if (part instanceof PropertyOrFieldReference property) {
			return readers(declaring, property.getName());
		}
		return List.of();
	}

	private static List<Method> readers(Class<?> declaring, String property) {
		String capitalized = StringUtils.capitalize(property);
		List<Method> found = KnownNames.methods(declaring, "get" + capitalized, 0);
		if (found.isEmpty()) {
			found = KnownNames.methods(declaring, "is" + capitalized, 0);
		}
		if (found.isEmpty() && declaring.isRecord()) {
			found = KnownNames.methods(declaring, property, 0);
		}
		return found;
	}

	/* Returns none if there are no methods, or they return different types. */
	private static ResolvableType typeReturnedBy(List<Method> methods, ResolvableType type) {
		List<ResolvableType> types = methods.stream()
			.map((method) -> ResolvableType.forType(method.getGenericReturnType(), type))
			.toList();
		if (types.stream().map(ResolvableType::resolve).distinct().count() != 1) {
			return ResolvableType.NONE;
		}
		return types.get(0);
	}

	/**
	 * Says what becomes of a value.
	 */
	private enum Use {

		/** It must be there. */
		READ,

		/** It is a plan. */
		AWAITED,

		/** It is an argument, of which the method makes what it likes. */
		PASSED_ON

	}

}
