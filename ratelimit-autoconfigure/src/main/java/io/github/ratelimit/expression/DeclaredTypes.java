package io.github.ratelimit.expression;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;

import io.github.ratelimit.RateLimitExpression;
import org.jspecify.annotations.Nullable;

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
 * The types of which an expression's values are declared to be, as far as a method's
 * parameters and beans tell: those whose value is not there yet are found at start-up.
 *
 * @param beanFactory knows the beans
 * @param place the expression
 */
record DeclaredTypes(ListableBeanFactory beanFactory, ExpressionPlace place) {

	/**
	 * Checks that an expression uses nothing before it is there.
	 * @throws io.github.ratelimit.InvalidRateLimitException if it does
	 */
	void check(SpelNode expression) {
		check(expression, (this.place.purpose() == RateLimitExpression.PLAN) ? Use.AWAITED : Use.READ);
	}

	private void check(SpelNode node, Use use) {
		if (node instanceof CompoundExpression) {
			checkParts(node, use);
			return;
		}
		checkUse(node, node, of(node), use);
		for (int i = 0; i < node.getChildCount(); i++) {
			boolean chosen = node instanceof Elvis || node instanceof Ternary && i > 0;
			check(node.getChild(i), chosen ? use : Use.READ);
		}
	}

	private void checkParts(SpelNode compound, Use use) {
		SpelNode last = compound.getChild(0);
		ResolvableType type = of(last);
		if (type == ResolvableType.NONE) {
			check(last, Use.READ);
		}
		for (int i = 1; i < compound.getChildCount(); i++) {
			SpelNode part = compound.getChild(i);
			boolean call = part instanceof MethodReference;
			ResolvableType next = next(type, part);
			if (next == ResolvableType.NONE && !call) {
				checkUse(compound, last, type, Use.READ);
			}
			ExpressionNodes.children(part).forEach((child) -> check(child, call ? Use.PASSED_ON : Use.READ));
			type = next;
			last = part;
		}
		checkUse(compound, last, type, use);
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
			throw this.place.invalid(reason,
					"Declare the parameter as the value itself, such as @RequestBody Order order "
							+ "in place of @RequestBody Mono<Order> order.");
		}
		if (use == Use.AWAITED) {
			throw this.place.invalid(reason, "A plan may be a Mono or a CompletionStage.");
		}
		throw this.place.invalid(reason,
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
			Method method = this.place.method();
			Integer index = ExpressionPlace.parameters(method).get(variable.toStringAST().substring(1));
			return (method != null && index != null) ? ResolvableType.forMethodParameter(method, index)
					: ResolvableType.NONE;
		}
		if (node instanceof BeanReference bean && this.beanFactory.containsBean(bean.getName())) {
			Class<?> type = this.beanFactory.getType(bean.getName(), false);
			return (type != null) ? ResolvableType.forClass(ClassUtils.getUserClass(type)) : ResolvableType.NONE;
		}
		return ResolvableType.NONE;
	}

	private static ResolvableType next(ResolvableType type, SpelNode part) {
		Class<?> declaring = type.resolve();
		if (declaring == null) {
			return ResolvableType.NONE;
		}
		if (part instanceof MethodReference call) {
			return returned(type, declaring, call.getName(), call.getChildCount());
		}
		if (part instanceof PropertyOrFieldReference property) {
			String name = StringUtils.capitalize(property.getName());
			ResolvableType got = returned(type, declaring, "get" + name, 0);
			got = (got != ResolvableType.NONE) ? got : returned(type, declaring, "is" + name, 0);
			boolean accessor = got == ResolvableType.NONE && declaring.isRecord();
			return accessor ? returned(type, declaring, property.getName(), 0) : got;
		}
		return ResolvableType.NONE;
	}

	/* Nothing if methods of the name return different types. */
	private static ResolvableType returned(ResolvableType type, Class<?> declaring, String name, int arguments) {
		List<ResolvableType> types = Arrays.stream(declaring.getMethods())
			.filter((method) -> method.getName().equals(name) && method.getParameterCount() == arguments)
			.filter((method) -> !method.isBridge())
			.map((method) -> ResolvableType.forType(method.getGenericReturnType(), type))
			.toList();
		boolean one = !types.isEmpty() && types.stream().map(ResolvableType::resolve).distinct().count() == 1;
		return one ? types.get(0) : ResolvableType.NONE;
	}

	/**
	 * What becomes of a value.
	 */
	private enum Use {

		/** It must be there. */
		READ,

		/** It is a plan. */
		AWAITED,

		/** What a method makes of its argument is its own affair. */
		PASSED_ON

	}

}
