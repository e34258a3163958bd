package io.github.ratelimit.expression;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.expression.AccessException;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.support.ReflectivePropertyAccessor;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * Evaluates an expression with SpEL.
 *
 * @param expression the expression
 * @param place where it is written
 * @param beans finds the beans that it names
 * @param readsSessionId whether it reads {@code session.id}
 */
record SpelEvaluator(SpelExpression expression, ExpressionPlace place, BeanResolver beans,
		boolean readsSessionId) implements Function<RateLimitContext, @Nullable Object> {

	private static final Set<SpelMessage> NULL_ON_THE_WAY = Set.of(SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL,
			SpelMessage.METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED, SpelMessage.CANNOT_INDEX_INTO_NULL_VALUE);

	private static final Set<SpelMessage> NEVER_THERE = Set.of(SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE,
			SpelMessage.METHOD_NOT_FOUND);

	private static final List<PropertyAccessor> PLAIN = List.of(new Properties(false));

	private static final List<PropertyAccessor> OF_SESSION = List.of(new Properties(true));

	/**
	 * {@inheritDoc}
	 * <p>
	 * A property of null is null, such as the name of an anonymous user.
	 */
	@Override
	public @Nullable Object apply(RateLimitContext context) {
		try {
			return this.expression.getValue(evaluationContext(context));
		}
		catch (SpelEvaluationException ex) {
			if (NULL_ON_THE_WAY.contains(ex.getMessageCode())) {
				return null;
			}
			throw failed(ex);
		}
		catch (EvaluationException ex) {
			throw failed(ex);
		}
	}

	private StandardEvaluationContext evaluationContext(RateLimitContext context) {
		ExpressionRoot root = new ExpressionRoot(context);
		Method method = context.method();
		@Nullable Object[] arguments = context.arguments();
		StandardEvaluationContext evaluation = (method != null && arguments != null)
				? new MethodBasedEvaluationContext(root, method, arguments, ExpressionPlace.NAMES)
				: new StandardEvaluationContext(root);
		evaluation.setBeanResolver(this.beans);
		evaluation.setPropertyAccessors(this.readsSessionId ? OF_SESSION : PLAIN);
		return evaluation;
	}

	/*
	 * The failure may quote what a client has sent. It is not kept as the cause, so that
	 * it is not logged as it is.
	 */
	private FailedExpressionException failed(EvaluationException ex) {
		FailedExpressionException failed = new FailedExpressionException(this.place,
				FailedExpressionException.describe(ex), "",
				ex instanceof SpelEvaluationException spel && NEVER_THERE.contains(spel.getMessageCode()));
		failed.setStackTrace(NestedExceptionUtils.getMostSpecificCause(ex).getStackTrace());
		return failed;
	}

	/**
	 * Reads the properties of the root object, and {@code session.id} for
	 * {@code session}, as is the custom.
	 */
	private static final class Properties extends ReflectivePropertyAccessor {

		private final boolean ofSession;

		Properties(boolean ofSession) {
			super(false);
			this.ofSession = ofSession;
		}

		@Override
		public boolean canRead(EvaluationContext context, @Nullable Object target, String name) throws AccessException {
			return (target instanceof ExpressionRoot) ? Word.isProperty(name)
					: isSessionId(target, name) || super.canRead(context, target, name);
		}

		@Override
		public TypedValue read(EvaluationContext context, @Nullable Object target, String name) throws AccessException {
			if (target instanceof ExpressionRoot root) {
				return new TypedValue(root.read(name));
			}
			return isSessionId(target, name) ? new TypedValue(target) : super.read(context, target, name);
		}

		private boolean isSessionId(@Nullable Object target, String name) {
			return this.ofSession && target instanceof String && name.equals("id");
		}

	}

}
