package io.github.ratelimit.expression;

import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.ratelimit.expression.ParsedExpression.PrincipalUse;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;

/**
 * Finds the parts of an expression, how they are named, and which of them read the
 * authenticated user, who is unknown before Spring Security has run.
 */
final class ExpressionNodes {

	private static final Set<String> USERS = Set.of("principal", "userPrincipal", "remoteUser", "getUserPrincipal",
			"getRemoteUser", "isUserInRole");

	private ExpressionNodes() {
	}

	/**
	 * Returns a part and all parts that are within it.
	 */
	static Stream<SpelNode> all(SpelNode node) {
		return Stream.concat(Stream.of(node), children(node).flatMap(ExpressionNodes::all));
	}

	static Stream<SpelNode> children(SpelNode node) {
		return IntStream.range(0, node.getChildCount()).mapToObj(node::getChild);
	}

	/**
	 * Returns the name by which a part is looked up on the part before it.
	 * @param node the part
	 * @return the name of a property, a method, or {@code name} of {@code ['name']};
	 * otherwise an empty text
	 */
	static String name(SpelNode node) {
		if (node instanceof PropertyOrFieldReference property) {
			return property.getName();
		}
		if (node instanceof MethodReference method) {
			return method.getName();
		}
		if (node instanceof Indexer && node.getChild(0) instanceof StringLiteral name) {
			return String.valueOf(name.getLiteralValue().getValue());
		}
		return "";
	}

	/*
	 * In claims[sub] and {sub: 1}, sub is the name of an entry.
	 */
	static boolean isOfEntry(SpelNode node, int child) {
		return node.getChild(child) instanceof PropertyOrFieldReference
				&& (node instanceof Indexer || (node instanceof InlineMap && child % 2 == 0));
	}

	/*
	 * Whether a client decides if there is a value at all.
	 */
	static boolean mayBeMissing(SpelNode node) {
		SpelNode first = (node instanceof CompoundExpression) ? node.getChild(0) : node;
		if (!(first instanceof MethodReference function)) {
			return false;
		}
		if (function.getName().equals("folded")) {
			return mayBeMissing(function.getChild(0));
		}
		return Word.FUNCTIONS.contains(function.getName());
	}

	/*
	 * Whether the value may be a bean, rather than what its methods give.
	 */
	static boolean mayGiveBean(SpelNode node) {
		return all(node).anyMatch(BeanReference.class::isInstance)
				&& all(node).noneMatch(MethodReference.class::isInstance);
	}

	static boolean isRoot(SpelNode node, boolean onRoot) {
		return node instanceof VariableReference
				&& ("#root".equals(node.toStringAST()) || (onRoot && "#this".equals(node.toStringAST())));
	}

	/**
	 * Whether a part reads the user, apart from what is within it. Code of the
	 * application may read the user in its own way.
	 */
	static PrincipalUse principal(SpelNode node) {
		if (node instanceof BeanReference || USERS.contains(name(node))) {
			return PrincipalUse.POSSIBLE;
		}
		if (!(node instanceof TypeReference || node instanceof ConstructorReference)) {
			return PrincipalUse.NONE;
		}

		String type = node.getChild(0).toStringAST();
		if (type.endsWith("SecurityContextHolder")) {
			return PrincipalUse.CERTAIN;
		}
		boolean ofPlatform = !type.contains(".") || type.startsWith("java.");
		return ofPlatform ? PrincipalUse.NONE : PrincipalUse.POSSIBLE;
	}

}
