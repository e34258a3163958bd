package io.github.ratelimit.expression;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * Parses an expression and checks that every name in it is known at its place, so that a
 * mistake fails start-up and does not fail the first request.
 */
final class ExpressionReader {

	private static final SpelExpressionParser PARSER = new SpelExpressionParser();

	private final ExpressionNames names;

	private boolean needsArguments;

	private boolean needsResult;

	private boolean needsStatus;

	private boolean needsAuthentication;

	private ParsedExpression.PrincipalUse principal = ParsedExpression.PrincipalUse.NONE;

	private ExpressionReader(ExpressionNames names) {
		this.names = names;
	}

	static ParsedExpression read(String text, ExpressionPlace place, BeanFactory beanFactory) {
		SpelExpression expression = parse(text, place);
		ExpressionReader reader = new ExpressionReader(new ExpressionNames(text, place, beanFactory));
		reader.visit(expression.getAST(), true);
		KnownMembers.check(expression.getAST(), text, place);
		ParsedExpression.Evaluator shortcut = Shortcuts.find(expression.getAST());
		ParsedExpression.Evaluator evaluator = (shortcut != null) ? shortcut
				: new SpelEvaluator(expression, place, new BeanFactoryResolver(beanFactory));
		return new ParsedExpression(expression, place, evaluator, reader.needsArguments, reader.needsResult,
				reader.needsStatus, reader.needsAuthentication, reader.principal);
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
	 * Properties and functions are looked up on the root object, except within a
	 * selection or projection, where they are looked up on elements of unknown type.
	 * Parameters and beans are the same everywhere.
	 */
	private void visit(SpelNode node, boolean onRoot) {
		if (node instanceof CompoundExpression) {
			visitCompound(node, onRoot);
			return;
		}
		this.principal = this.principal.or(PrincipalFinder.of(node, onRoot));
		check(node, onRoot);
	}

	private void check(SpelNode node, boolean onRoot) {
		if (node instanceof PropertyOrFieldReference property && onRoot) {
			visitProperty(property.getName());
		}
		else if (node instanceof MethodReference function && onRoot) {
			this.names.checkFunction(function.getName());
		}
		else if (node instanceof VariableReference) {
			this.needsArguments |= this.names.checkVariable(node.toStringAST().substring(1));
		}
		else if (node instanceof FunctionReference) {
			this.names.rejectFunction(node.toStringAST());
		}
		else if (node instanceof BeanReference bean) {
			this.names.checkBean(bean.getName());
		}
		visitChildren(node, onRoot && !(node instanceof Projection || node instanceof Selection));
	}

	private void visitProperty(String name) {
		this.names.checkProperty(name);
		switch (name) {
			case "result" -> this.needsResult = true;
			case "status" -> this.needsStatus = true;
			case "authenticationFailed" -> this.needsAuthentication = true;
			default -> {
			}
		}
	}

	/*
	 * Only the first part is looked up on the root object. A property of a method's
	 * argument is not the request's user. The type of the other parts is not known, but
	 * their arguments are looked up on the root object again. So are indexes of the root
	 * object or the request, which have no entries.
	 */
	private void visitCompound(SpelNode compound, boolean onRoot) {
		SpelNode first = compound.getChild(0);
		boolean ofArgument = first instanceof VariableReference && !NodeNames.isRoot(first, onRoot);
		visit(first, onRoot);
		for (int i = 1; i < compound.getChildCount(); i++) {
			SpelNode part = compound.getChild(i);
			SpelNode before = compound.getChild(i - 1);
			boolean ofRoot = i == 1 && NodeNames.isRoot(first, onRoot);
			if (!ofArgument) {
				this.principal = this.principal.or(PrincipalFinder.ofPart(part, before, ofRoot));
			}
			if (part instanceof Indexer && (ofRoot || NodeNames.of(before).equals("request"))) {
				visitIndex(part, onRoot);
			}
			else if (ofRoot) {
				check(part, true);
			}
			else if (part instanceof PropertyOrFieldReference || part instanceof MethodReference) {
				visitChildren(part, onRoot);
			}
			else {
				check(part, onRoot);
			}
		}
	}

	private void visitIndex(SpelNode indexer, boolean onRoot) {
		if (NodeNames.isOfEntry(indexer, 0)) {
			check(indexer.getChild(0), onRoot);
		}
		else {
			visit(indexer.getChild(0), onRoot);
		}
	}

	private void visitChildren(SpelNode node, boolean onRoot) {
		for (int i = 0; i < node.getChildCount(); i++) {
			if (!NodeNames.isOfEntry(node, i)) {
				visit(node.getChild(i), onRoot);
			}
		}
	}

}
