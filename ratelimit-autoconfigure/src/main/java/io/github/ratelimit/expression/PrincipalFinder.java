package io.github.ratelimit.expression;

import java.util.Set;

import io.github.ratelimit.expression.ParsedExpression.PrincipalUse;

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

	private static final Set<String> OF_ROOT = Set.of("principal", "getPrincipal");

	private static final Set<String> OF_REQUEST = Set.of("userPrincipal", "remoteUser", "getUserPrincipal",
			"getRemoteUser", "isUserInRole");

	private PrincipalFinder() {
	}

	/**
	 * Whether a part reads the user, apart from what is within it.
	 * @param ofRoot whether it is looked up on the root object
	 * @param ofRequest whether it is looked up on the request
	 */
	static PrincipalUse find(SpelNode node, boolean ofRoot, boolean ofRequest) {
		String name = NodeNames.of(node);
		boolean claim = node instanceof MethodReference && name.equals("claim");
		if (ofRoot && (claim || name.equals("principal")) || ofRequest && OF_REQUEST.contains(name)) {
			return PrincipalUse.CERTAIN;
		}
		boolean computed = node instanceof Indexer && !(node.getChild(0) instanceof StringLiteral);
		if (OF_ROOT.contains(name) || OF_REQUEST.contains(name) || computed && (ofRoot || ofRequest)) {
			return PrincipalUse.POSSIBLE;
		}
		return ofType(node);
	}

	/* Code of the application may read the user in its own way. */
	private static PrincipalUse ofType(SpelNode node) {
		if (!(node instanceof TypeReference || node instanceof ConstructorReference)) {
			return (node instanceof BeanReference) ? PrincipalUse.POSSIBLE : PrincipalUse.NONE;
		}
		String type = node.getChild(0).toStringAST();
		if (type.endsWith("SecurityContextHolder")) {
			return PrincipalUse.CERTAIN;
		}
		return isOfPlatform(type) ? PrincipalUse.NONE : PrincipalUse.POSSIBLE;
	}

	private static boolean isOfPlatform(String type) {
		if (type.contains(".")) {
			return type.startsWith("java.");
		}
		return Character.isLowerCase(type.charAt(0))
				|| ClassUtils.isPresent("java.lang." + type, ClassUtils.class.getClassLoader());
	}

}
