package io.github.ratelimit.expression;

import java.util.Set;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * Parses one expression and checks that every name in it means something where it stands,
 * so that mistakes end at start-up and not at the first request.
 */
final class ExpressionReader {

	private static final SpelExpressionParser PARSER = new SpelExpressionParser();

	private static final Set<String> USERS_OF_REQUEST = Set.of("userPrincipal", "remoteUser", "getUserPrincipal",
			"getRemoteUser", "isUserInRole");

	private final ExpressionNames names;

	private boolean needsArguments;

	private boolean needsPrincipal;

	private ExpressionReader(ExpressionNames names) {
		this.names = names;
	}

	static ParsedExpression read(String text, ExpressionPlace place, BeanFactory beanFactory) {
		SpelExpression expression = parse(text, place);
		ExpressionReader reader = new ExpressionReader(new ExpressionNames(text, place, beanFactory));
		reader.visit(expression.getAST(), true);
		return new ParsedExpression(expression, reader.needsArguments, reader.needsPrincipal);
	}

	private static SpelExpression parse(String text, ExpressionPlace place) {
		if (text.isBlank()) {
			throw place.invalid(text, "is blank",
					"Remove it for the default, or write a SpEL expression such as clientAddress.", null);
		}
		try {
			return PARSER.parseRaw(text);
		}
		catch (ParseException ex) {
			throw place.invalid(text, "cannot be parsed: " + ex.getSimpleMessage(),
					"Write a SpEL expression such as clientAddress, header('X-Api-Key') or 'global'; a literal text "
							+ "needs single quotes.",
					ex);
		}
	}

	/*
	 * Properties and functions are looked up on the root, except within a selection or
	 * projection, where they are looked up on elements of unknown type. Parameters and
	 * beans are the same everywhere.
	 */
	private void visit(SpelNode node, boolean onRoot) {
		if (node instanceof CompoundExpression) {
			visitCompound(node, onRoot);
			return;
		}
		if (node instanceof PropertyOrFieldReference property && onRoot) {
			this.names.checkProperty(property.getName());
			this.needsPrincipal |= property.getName().equals("principal");
		}
		else if (node instanceof MethodReference function && onRoot) {
			this.names.checkFunction(function.getName());
		}
		else if (node instanceof VariableReference) {
			this.needsArguments |= this.names.checkVariable(node.toStringAST().substring(1));
		}
		else if (node instanceof FunctionReference) {
			this.names.refuseFunction(node.toStringAST());
		}
		else if (node instanceof BeanReference bean) {
			this.names.checkBean(bean.getName());
			this.needsPrincipal = true;
		}
		visitChildren(node, onRoot && !(node instanceof Projection || node instanceof Selection));
	}

	/*
	 * Only the first part is looked up on the root. The others belong to what came before
	 * them, whose type is not known yet; but their arguments are looked up on the root
	 * again.
	 */
	private void visitCompound(SpelNode compound, boolean onRoot) {
		SpelNode first = compound.getChild(0);
		visit(first, onRoot);
		for (int i = 1; i < compound.getChildCount(); i++) {
			SpelNode part = compound.getChild(i);
			if (i == 1 && isRoot(first, onRoot)) {
				visit(part, true);
			}
			else if (part instanceof PropertyOrFieldReference || part instanceof MethodReference) {
				visitChildren(part, onRoot);
			}
			else {
				visit(part, onRoot);
			}
			noteUserOfRequest(compound.getChild(i - 1), part);
		}
	}

	private void visitChildren(SpelNode node, boolean onRoot) {
		for (int i = 0; i < node.getChildCount(); i++) {
			if (!isNameOfEntry(node, i)) {
				visit(node.getChild(i), onRoot);
			}
		}
	}

	/*
	 * In claims[sub] and {sub: 1}, sub is the name of an entry.
	 */
	private static boolean isNameOfEntry(SpelNode node, int child) {
		return node.getChild(child) instanceof PropertyOrFieldReference
				&& (node instanceof Indexer || (node instanceof InlineMap && child % 2 == 0));
	}

	private static boolean isRoot(SpelNode node, boolean onRoot) {
		return node instanceof VariableReference
				&& ("#root".equals(node.toStringAST()) || (onRoot && "#this".equals(node.toStringAST())));
	}

	private void noteUserOfRequest(SpelNode before, SpelNode part) {
		if ("request".equals(name(before)) && USERS_OF_REQUEST.contains(name(part))) {
			this.needsPrincipal = true;
		}
	}

	private static String name(SpelNode node) {
		return (node instanceof PropertyOrFieldReference property) ? property.getName()
				: (node instanceof MethodReference method) ? method.getName() : "";
	}

}
