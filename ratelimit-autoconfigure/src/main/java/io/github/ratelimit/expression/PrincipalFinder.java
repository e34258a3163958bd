package io.github.ratelimit.expression;

import java.util.Set;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.util.ClassUtils;

/**
 * Finds out whether an expression reads the authenticated user, who is unknown before
 * Spring Security has run.
 */
final class PrincipalFinder {

	private static final String PRINCIPAL = "principal";

	private static final String CLAIM = "claim";

	private static final Set<String> OF_REQUEST = Set.of("userPrincipal", "remoteUser", "getUserPrincipal",
			"getRemoteUser", "isUserInRole");

	private static final Set<String> OF_ANYTHING = Set.of("principal", "getPrincipal", "userPrincipal", "remoteUser",
			"getUserPrincipal", "getRemoteUser", "isUserInRole");

	private PrincipalFinder() {
	}

	static PrincipalUse find(SpelNode expression) {
		return find(expression, true);
	}

	private static PrincipalUse find(SpelNode node, boolean onRoot) {
		if (node instanceof CompoundExpression) {
			return findInCompound(node, onRoot);
		}
		if (onRoot && isClaim(node)) {
			return PrincipalUse.CERTAIN;
		}
		boolean named = OF_ANYTHING.contains(NodeNames.of(node));
		PrincipalUse own = !named ? ofType(node)
				: (onRoot && NodeNames.of(node).equals(PRINCIPAL)) ? PrincipalUse.CERTAIN : PrincipalUse.POSSIBLE;
		return own.or(findInChildren(node, onRoot && !(node instanceof Projection || node instanceof Selection)));
	}

	/*
	 * A property of a method's argument is not the request's user.
	 */
	private static PrincipalUse findInCompound(SpelNode compound, boolean onRoot) {
		SpelNode first = compound.getChild(0);
		boolean ofRoot = NodeNames.isRoot(first, onRoot);
		boolean ofArgument = first instanceof VariableReference && !ofRoot;
		PrincipalUse use = find(first, onRoot);
		for (int i = 1; i < compound.getChildCount(); i++) {
			SpelNode part = compound.getChild(i);
			if (!ofArgument) {
				use = use.or(ofPart(part, compound.getChild(i - 1), ofRoot && i == 1));
			}
			use = use.or(findInChildren(part, onRoot && !(part instanceof Projection || part instanceof Selection)));
		}
		return use;
	}

	private static PrincipalUse ofPart(SpelNode part, SpelNode before, boolean ofRoot) {
		String name = NodeNames.of(part);
		boolean ofRequest = NodeNames.of(before).equals("request");
		if (ofRoot && (name.equals(PRINCIPAL) || isClaim(part)) || ofRequest && OF_REQUEST.contains(name)) {
			return PrincipalUse.CERTAIN;
		}
		boolean computed = part instanceof Indexer && !(part.getChild(0) instanceof StringLiteral);
		return OF_ANYTHING.contains(name) || computed && (ofRoot || ofRequest) ? PrincipalUse.POSSIBLE
				: PrincipalUse.NONE;
	}

	private static boolean isClaim(SpelNode node) {
		return node instanceof MethodReference && NodeNames.of(node).equals(CLAIM);
	}

	private static PrincipalUse findInChildren(SpelNode node, boolean onRoot) {
		PrincipalUse use = PrincipalUse.NONE;
		for (int i = 0; i < node.getChildCount(); i++) {
			if (!NodeNames.isOfEntry(node, i)) {
				use = use.or(find(node.getChild(i), onRoot));
			}
		}
		return use;
	}

	/* Code of the application may read the user in its own way. */
	private static PrincipalUse ofType(SpelNode node) {
		if (node instanceof TypeReference || node instanceof ConstructorReference) {
			String type = node.getChild(0).toStringAST();
			if (type.endsWith("SecurityContextHolder")) {
				return PrincipalUse.CERTAIN;
			}
			return isOfPlatform(type) ? PrincipalUse.NONE : PrincipalUse.POSSIBLE;
		}
		return (node instanceof BeanReference) ? PrincipalUse.POSSIBLE : PrincipalUse.NONE;
	}

	private static boolean isOfPlatform(String type) {
		if (type.contains(".")) {
			return type.startsWith("java.");
		}
		return Character.isLowerCase(type.charAt(0))
				|| ClassUtils.isPresent("java.lang." + type, ClassUtils.class.getClassLoader());
	}

}
