package io.github.ratelimit.expression;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationContext;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.util.Assert;

/**
 * Lets expressions write {@code session.id} for {@code session}, as is the custom.
 */
final class SessionId implements PropertyAccessor {

	private static final String SESSION = "session";

	private static final String ID = "id";

	/**
	 * Whether an expression reads it.
	 */
	static boolean isReadBy(SpelNode node) {
		for (int i = 0; i < node.getChildCount(); i++) {
			boolean id = i > 0 && node instanceof CompoundExpression && NodeNames.of(node.getChild(i)).equals(ID);
			if (id && NodeNames.of(node.getChild(i - 1)).equals(SESSION) || isReadBy(node.getChild(i))) {
				return true;
			}
		}
		return false;
	}

	@Override
	public Class<?>[] getSpecificTargetClasses() {
		return new Class<?>[] { String.class };
	}

	@Override
	public boolean canRead(EvaluationContext context, @Nullable Object target, String name) {
		return name.equals(ID);
	}

	@Override
	public TypedValue read(EvaluationContext context, @Nullable Object target, String name) {
		Assert.state(target != null, "The text that the property is read from is missing");
		return new TypedValue(target);
	}

	@Override
	public boolean canWrite(EvaluationContext context, @Nullable Object target, String name) {
		return false;
	}

	@Override
	public void write(EvaluationContext context, @Nullable Object target, String name, @Nullable Object value) {
		throw new UnsupportedOperationException("A session's identifier cannot be set");
	}

}
