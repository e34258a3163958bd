package io.github.ratelimit.expression;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.AccessException;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.MethodExecutor;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.support.ReflectiveMethodResolver;
import org.springframework.expression.spel.support.ReflectivePropertyAccessor;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeConverter;

/**
 * Evaluates an expression with SpEL. The root object is the call, of which it sees only
 * the words.
 *
 * @param expression the expression
 * @param location where it is written
 * @param beans finds the beans that it names
 * @param functions finds the methods and functions that it calls
 * @param properties read the properties that it names
 */
record SpelEvaluator(SpelExpression expression, ExpressionLocation location, BeanResolver beans,
		List<MethodResolver> functions,
		List<PropertyAccessor> properties) implements Function<RateLimitContext, @Nullable Object> {

	private static final Set<SpelMessage> NULL_ON_THE_WAY = Set.of(SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL,
			SpelMessage.METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED, SpelMessage.CANNOT_INDEX_INTO_NULL_VALUE);

	private static final Set<SpelMessage> NEVER_THERE = Set.of(SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE,
			SpelMessage.METHOD_NOT_FOUND);

	private static final List<PropertyAccessor> PROPERTIES = List.of(new Properties());

	private static final List<PropertyAccessor> WIDE_PROPERTIES = List.of(new WideProperties());

	private static final TypeConverter CONVERTER = new Converter();

	SpelEvaluator(SpelExpression expression, ExpressionLocation location, BeanResolver beans) {
		this(expression, location, beans, List.of(functions(location)), properties(location));
	}

	private static MethodResolver functions(ExpressionLocation location) {
		return location.isOfModel() ? new WideFunctions(location) : new Functions(location);
	}

	private static List<PropertyAccessor> properties(ExpressionLocation location) {
		return location.isOfModel() ? WIDE_PROPERTIES : PROPERTIES;
	}

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
		StandardEvaluationContext evaluation = variables(context);
		evaluation.setBeanResolver(this.beans);
		evaluation.setPropertyAccessors(this.properties);
		evaluation.setMethodResolvers(this.functions);
		evaluation.setTypeConverter(CONVERTER);
		return evaluation;
	}

	private static StandardEvaluationContext variables(RateLimitContext context) {
		Method method = context.method();
		@Nullable Object[] arguments = context.arguments();
		if (method == null || arguments == null) {
			return new StandardEvaluationContext(context);
		}

		// The arguments of a suspending function come without the continuation.
		// Spring leaves out the last one all the same, so something must stand there.
		if (arguments.length < method.getParameterCount()) {
			arguments = Arrays.copyOf(arguments, method.getParameterCount());
		}
		return new MethodBasedEvaluationContext(context, method, arguments, ExpressionLocation.NAMES);
	}

	/*
	 * The failure may quote what a client has sent. It is not kept as the cause, so that
	 * it is not logged as it is.
	 */
	private FailedExpressionException failed(EvaluationException ex) {
		FailedExpressionException failed = new FailedExpressionException(this.location,
				FailedExpressionException.describe(ex),
				ex instanceof SpelEvaluationException spel && NEVER_THERE.contains(spel.getMessageCode()));
		failed.setStackTrace(NestedExceptionUtils.getMostSpecificCause(ex).getStackTrace());
		return failed;
	}

	/**
	 * Reads the properties of the call, and {@code session.id} for {@code session}, as is
	 * the custom.
	 */
	private static class Properties extends ReflectivePropertyAccessor {

		Properties() {
			super(false);
		}

		@Override
		public boolean canRead(EvaluationContext context, @Nullable Object target, String name) throws AccessException {
			if (target instanceof RateLimitContext) {
				return Word.isProperty(name);
			}
			return isId(target, name) || super.canRead(context, target, name);
		}

		@Override
		public TypedValue read(EvaluationContext context, @Nullable Object target, String name) throws AccessException {
			if (target instanceof RateLimitContext call) {
				return new TypedValue(new Word(name, "").read(call));
			}
			if (isId(target, name)) {
				return new TypedValue(target);
			}
			return super.read(context, target, name);
		}

		/* Methods of the call have the names of words, and another meaning. */
		@Override
		public PropertyAccessor createOptimalAccessor(EvaluationContext context, @Nullable Object target, String name) {
			if (target instanceof RateLimitContext) {
				return this;
			}
			return super.createOptimalAccessor(context, target, name);
		}

		private static boolean isId(@Nullable Object target, String name) {
			return target instanceof String && name.equals("id");
		}

	}

	/**
	 * Reads whole numbers as long ones. What tokens cost in small units of money is
	 * beyond an int soon, and SpEL would go on with a number that is small or negative.
	 */
	private static final class WideProperties extends Properties {

		@Override
		public TypedValue read(EvaluationContext context, @Nullable Object target, String name) throws AccessException {
			return widened(super.read(context, target, name));
		}

		@Override
		public PropertyAccessor createOptimalAccessor(EvaluationContext context, @Nullable Object target, String name) {
			return this;
		}

		static TypedValue widened(TypedValue value) {
			if (value.getValue() instanceof Integer number) {
				return new TypedValue(number.longValue());
			}
			return value;
		}

	}

	/**
	 * Converts as SpEL does, but makes no text of a value that is not there yet, such as
	 * in {@code 'a' + mono}.
	 */
	private static final class Converter extends StandardTypeConverter {

		@Override
		public boolean canConvert(@Nullable TypeDescriptor sourceType, TypeDescriptor targetType) {
			return isTextOfPending(sourceType, targetType) || super.canConvert(sourceType, targetType);
		}

		@Override
		public @Nullable Object convertValue(@Nullable Object value, @Nullable TypeDescriptor sourceType,
				TypeDescriptor targetType) {
			if (isTextOfPending(sourceType, targetType)) {
				throw new SpelEvaluationException(SpelMessage.TYPE_CONVERSION_ERROR, sourceType, targetType);
			}
			return super.convertValue(value, sourceType, targetType);
		}

		private static boolean isTextOfPending(@Nullable TypeDescriptor source, TypeDescriptor target) {
			return source != null && target.getType() == String.class && PendingValue.isOf(source.getType());
		}

	}

	/**
	 * Calls the functions and methods. SpEL remembers those that resolvers of this class
	 * have found.
	 */
	private static class Functions extends ReflectiveMethodResolver {

		private static final TypeDescriptor LOCALE = TypeDescriptor.valueOf(Locale.class);

		private final ExpressionLocation location;

		Functions(ExpressionLocation location) {
			this.location = location;
		}

		@Override
		public @Nullable MethodExecutor resolve(EvaluationContext context, Object target, String name,
				List<TypeDescriptor> argumentTypes) throws AccessException {
			if (target instanceof RateLimitContext) {
				return functionOfCall(name, argumentTypes);
			}

			MethodExecutor method = super.resolve(context, target, name, argumentTypes);
			if (method != null && target instanceof String) {
				return inLinearTime(name, method);
			}
			return method;
		}

		private @Nullable MethodExecutor functionOfCall(String name, List<TypeDescriptor> argumentTypes) {
			if (argumentTypes.size() != 1) {
				return null;
			}
			return (context, call, arguments) -> new TypedValue(read((RateLimitContext) call, name, arguments[0]));
		}

		private @Nullable Object read(RateLimitContext call, String function, @Nullable Object argument) {
			String text = KeyText.of(argument, this.location);
			if (text == null) {
				return null;
			}
			if (function.equals("folded")) {
				return FoldedName.of(text);
			}
			return new Word(function, text).read(call);
		}

		/* A client chooses how long the text is. */
		private static MethodExecutor inLinearTime(String name, MethodExecutor method) {
			return switch (name) {
				case "toLowerCase" -> (context, text,
						arguments) -> new TypedValue(LetterCase.lower((String) text, locale(context, arguments)));
				case "toUpperCase" -> (context, text,
						arguments) -> new TypedValue(LetterCase.upper((String) text, locale(context, arguments)));
				default -> method;
			};
		}

		private static Locale locale(EvaluationContext context, @Nullable Object[] arguments) {
			if (arguments.length == 0) {
				return Locale.getDefault();
			}

			TypeDescriptor type = TypeDescriptor.forObject(arguments[0]);
			Object locale = context.getTypeConverter().convertValue(arguments[0], type, LOCALE);
			return (locale != null) ? (Locale) locale : Locale.getDefault();
		}

	}

	/**
	 * Gives whole numbers as long ones, too.
	 */
	private static final class WideFunctions extends Functions {

		WideFunctions(ExpressionLocation location) {
			super(location);
		}

		@Override
		public @Nullable MethodExecutor resolve(EvaluationContext context, Object target, String name,
				List<TypeDescriptor> argumentTypes) throws AccessException {
			MethodExecutor executor = super.resolve(context, target, name, argumentTypes);
			if (executor == null) {
				return null;
			}
			return (evaluation, called, arguments) -> WideProperties
				.widened(executor.execute(evaluation, called, arguments));
		}

	}

}
