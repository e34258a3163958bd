package io.github.ratelimit.expression;

import java.security.Principal;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.expression.ParsedExpression.PrincipalUse;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * Parses an expression and checks that every name in it is known at its location, so that
 * a mistake fails start-up and does not fail the first request.
 */
final class ExpressionReader {

	private static final SpelExpressionParser PARSER = new SpelExpressionParser();

	private static final Pattern TEMPLATE = Pattern.compile("#\\{([^{}]*)}");

	private static final Word PRINCIPAL = new Word("principal", "");

	private static final Word SESSION = new Word("session", "");

	private final ExpressionLocation location;

	private final KnownNames names;

	private final Set<Word> words = new HashSet<>();

	private boolean needsArguments;

	private boolean needsRequest;

	private boolean callsBean;

	private PrincipalUse principal = PrincipalUse.NONE;

	private ExpressionReader(ExpressionLocation location, KnownNames names) {
		this.location = location;
		this.names = names;
	}

	static ParsedExpression read(ExpressionLocation location, ListableBeanFactory beanFactory) {
		checkReturns(location);
		SpelExpression expression = parse(location);
		SpelNode ast = expression.getAST();
		KnownNames names = new KnownNames(beanFactory, location);
		ExpressionReader reader = new ExpressionReader(location, names);
		reader.visit(ast, true);

		ParsedExpression parsed = new ParsedExpression(expression, location,
				evaluator(expression, location, beanFactory), reader.needsArguments, Set.copyOf(reader.words),
				reader.principal, reader.needsRequest, reader.callsBean);
		ExpressionValues.check(parsed);
		new DeclaredTypes(beanFactory, location, names).check(ast);
		if (location.purpose() == RateLimitExpression.KEY) {
			KeyText.check(ast, location);
			new QuotedKey(names, location).check(ast);
		}
		return parsed;
	}

	/* The most common expressions do without SpEL. */
	private static Function<RateLimitContext, @Nullable Object> evaluator(SpelExpression expression,
			ExpressionLocation location, ListableBeanFactory beanFactory) {
		SpelNode ast = expression.getAST();
		if (ast instanceof Literal literal) {
			Object value = literal.getLiteralValue().getValue();
			return (context) -> value;
		}

		Word word = Word.of(ast);
		if (word != null) {
			return word::read;
		}
		return switch (ast.toStringAST()) {
			case "principal.name" -> ExpressionReader::principalName;
			case "session.id" -> SESSION::read;
			default -> new SpelEvaluator(expression, location, new BeanFactoryResolver(beanFactory));
		};
	}

	private static @Nullable String principalName(RateLimitContext context) {
		return (PRINCIPAL.read(context) instanceof Principal principal) ? principal.getName() : null;
	}

	/*
	 * What a request is answered with is not seen.
	 */
	private static void checkReturns(ExpressionLocation location) {
		if (location.isOfElement() && location.method() == null) {
			throw location.invalid("charges elements, but a rule applies to requests, which return nothing",
					"Use charge, such as status >= 400, or apply the policy to a method by @RateLimited.");
		}
	}

	private static SpelExpression parse(ExpressionLocation location) {
		if (location.text().isBlank()) {
			throw location.invalid("is blank",
					"Remove it for the default, or write a SpEL expression such as clientAddress.");
		}

		try {
			return PARSER.parseRaw(location.text());
		}
		catch (ParseException ex) {
			if (location.text().contains("#{")) {
				throw location.invalid("is written as a template, which it is not",
						"Write it without #{ and }, such as " + TEMPLATE.matcher(location.text()).replaceAll("$1")
								+ ".",
						ex);
			}
			if (location.text().contains("${")) {
				throw location.invalid("has a placeholder, which is replaced in properties only",
						"Write the expression itself; or write the key of a policy in ratelimit.policies, where "
								+ "placeholders are replaced.",
						ex);
			}
			throw location.invalid("cannot be parsed: " + ex.getSimpleMessage(),
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
		}
		else {
			check(node, onRoot);
			findPrincipal(node);
			visitChildren(node, onRoot);
		}
	}

	/*
	 * Only the first part is looked up on the root object. The type of the other parts is
	 * not known, but their arguments are looked up on the root object again. A property
	 * of a method's argument is not the request's user.
	 */
	private void visitCompound(SpelNode compound, boolean onRoot) {
		SpelNode first = compound.getChild(0);
		boolean root = ExpressionNodes.isRoot(first, onRoot);
		visit(first, onRoot);

		for (int i = 1; i < compound.getChildCount(); i++) {
			SpelNode part = compound.getChild(i);
			check(part, root && i == 1);
			if (root || !(first instanceof VariableReference)) {
				findPrincipal(part);
			}
			visitChildren(part, onRoot);
		}
		checkPartOfWord(compound, root, onRoot);
	}

	private void checkPartOfWord(SpelNode compound, boolean root, boolean onRoot) {
		int index = root ? 1 : 0;
		if (compound.getChildCount() < index + 2 || !(root || onRoot)) {
			return;
		}
		Word word = Word.of(compound.getChild(index));
		if (word == null) {
			return;
		}

		SpelNode part = compound.getChild(index + 1);
		if (part instanceof PropertyOrFieldReference property) {
			this.names.checkPropertyOf(word, property.getName());
		}
		else if (part instanceof MethodReference call && word.isText()) {
			this.names.checkMethodOfText(call);
		}
	}

	private void visitChildren(SpelNode node, boolean onRoot) {
		boolean ofElements = node instanceof Projection || node instanceof Selection;
		for (int i = 0; i < node.getChildCount(); i++) {
			if (!ExpressionNodes.isOfEntry(node, i)) {
				visit(node.getChild(i), onRoot && !ofElements);
			}
		}
	}

	private void check(SpelNode node, boolean onRoot) {
		checkReadsOnly(node);

		if (node instanceof PropertyOrFieldReference property && onRoot) {
			this.names.checkProperty(property.getName());
			note(node);
		}
		else if (node instanceof MethodReference function && onRoot) {
			this.names.checkFunction(function.getName(), node.getChildCount());
			note(node);
		}
		else if (node instanceof VariableReference) {
			noteVariable(node.toStringAST().substring(1));
		}
		else if (node instanceof FunctionReference) {
			throw this.location.invalid("calls '" + node.toStringAST() + "', which is not known",
					"A bean's method is called as @bean.method(…).");
		}
		else if (node instanceof BeanReference bean) {
			this.names.checkBean(bean.getName());
			this.callsBean = true;
		}
	}

	private void checkReadsOnly(SpelNode node) {
		if (node instanceof Assign || node instanceof OpInc || node instanceof OpDec) {
			throw this.location.invalid("assigns a value, which an expression may only read",
					"Write == to compare, such as method == 'POST'.");
		}
	}

	/*
	 * A word whose name is no literal text cannot be read before it is needed.
	 */
	private void note(SpelNode node) {
		Word word = Word.of(node);
		if (word != null) {
			this.words.add(word);
		}

		String name = ExpressionNodes.name(node);
		this.needsRequest |= name.equals("request") || (word == null && !name.equals("folded"));
		if (name.equals("principal") || name.equals("claim")) {
			this.principal = PrincipalUse.CERTAIN;
		}
	}

	private void noteVariable(String name) {
		if (name.equals("root") || name.equals("this")) {
			this.needsRequest = true;
		}
		else {
			this.names.checkParameter(name);
			this.needsArguments = true;
		}
	}

	private void findPrincipal(SpelNode node) {
		PrincipalUse found = ExpressionNodes.principal(node);
		if (found.compareTo(this.principal) > 0) {
			this.principal = found;
		}
	}

}
