package io.github.ratelimit.expression;

import java.util.Set;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.TypeReference;
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

	/**
	 * Whether a part reads the user, apart from what is within it.
	 * @param onRoot whether it is looked up on the root object
	 */
	static ParsedExpression.PrincipalUse of(SpelNode node, boolean onRoot) {
		if (onRoot && isClaim(node)) {
			return ParsedExpression.PrincipalUse.CERTAIN;
		}
		String name = NodeNames.of(node);
		if (!OF_ANYTHING.contains(name)) {
			return ofType(node);
		}
		return (onRoot && name.equals(PRINCIPAL)) ? ParsedExpression.PrincipalUse.CERTAIN
				: ParsedExpression.PrincipalUse.POSSIBLE;
	}

	/**
	 * Whether a part reads the user that is looked up on the part before it.
	 * @param ofRoot whether that is the root object
	 */
	static ParsedExpression.PrincipalUse ofPart(SpelNode part, SpelNode before, boolean ofRoot) {
		String name = NodeNames.of(part);
		boolean ofRequest = NodeNames.of(before).equals("request");
		if (ofRoot && (name.equals(PRINCIPAL) || isClaim(part)) || ofRequest && OF_REQUEST.contains(name)) {
			return ParsedExpression.PrincipalUse.CERTAIN;
		}
		boolean computed = part instanceof Indexer && !(part.getChild(0) instanceof StringLiteral);
		return OF_ANYTHING.contains(name) || computed && (ofRoot || ofRequest) ? ParsedExpression.PrincipalUse.POSSIBLE
				: ParsedExpression.PrincipalUse.NONE;
	}

	private static boolean isClaim(SpelNode node) {
		return node instanceof MethodReference && NodeNames.of(node).equals(CLAIM);
	}

	/* Code of the application may read the user in its own way. */
	private static ParsedExpression.PrincipalUse ofType(SpelNode node) {
		if (node instanceof TypeReference || node instanceof ConstructorReference) {
			String type = node.getChild(0).toStringAST();
			if (type.endsWith("SecurityContextHolder")) {
				return ParsedExpression.PrincipalUse.CERTAIN;
			}
			return isOfPlatform(type) ? ParsedExpression.PrincipalUse.NONE : ParsedExpression.PrincipalUse.POSSIBLE;
		}
		return (node instanceof BeanReference) ? ParsedExpression.PrincipalUse.POSSIBLE
				: ParsedExpression.PrincipalUse.NONE;
	}

	private static boolean isOfPlatform(String type) {
		if (type.contains(".")) {
			return type.startsWith("java.");
		}
		return Character.isLowerCase(type.charAt(0))
				|| ClassUtils.isPresent("java.lang." + type, ClassUtils.class.getClassLoader());
	}

}
