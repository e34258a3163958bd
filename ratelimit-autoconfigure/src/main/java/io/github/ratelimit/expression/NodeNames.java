package io.github.ratelimit.expression;

import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.VariableReference;

/**
 * The names of the parts of an expression.
 */
final class NodeNames {

	private NodeNames() {
	}

	/**
	 * A part and all that is within it.
	 */
	static Stream<SpelNode> all(SpelNode node) {
		return Stream.concat(Stream.of(node),
				IntStream.range(0, node.getChildCount()).mapToObj(node::getChild).flatMap(NodeNames::all));
	}

	/**
	 * The name by which a part is looked up on what comes before it.
	 * @param node the part
	 * @return the name of a property, a method, or {@code name} of {@code ['name']};
	 * otherwise an empty text
	 */
	static String of(SpelNode node) {
		if (node instanceof PropertyOrFieldReference property) {
			return property.getName();
		}
		if (node instanceof MethodReference method) {
			return method.getName();
		}
		boolean literal = node instanceof Indexer && node.getChild(0) instanceof StringLiteral;
		return literal ? String.valueOf(((StringLiteral) node.getChild(0)).getLiteralValue().getValue()) : "";
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
		return first instanceof MethodReference function && (RequestReads.FUNCTIONS.contains(function.getName())
				|| function.getName().equals("folded") && mayBeMissing(function.getChild(0)));
	}

	static boolean isRoot(SpelNode node, boolean onRoot) {
		return node instanceof VariableReference
				&& ("#root".equals(node.toStringAST()) || (onRoot && "#this".equals(node.toStringAST())));
	}

}
