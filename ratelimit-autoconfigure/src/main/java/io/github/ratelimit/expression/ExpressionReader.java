package io.github.ratelimit.expression;

import java.util.List;
import java.util.Set;

import io.github.ratelimit.NearestName;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Indexer;
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

	private static final List<String> PROPERTIES = List.of("clientAddress", "principal", "path", "method", "session",
			"request", "target");

	private static final List<String> FUNCTIONS = List.of("header", "pathVariable");

	private static final Set<String> USERS_OF_REQUEST = Set.of("userPrincipal", "remoteUser", "getUserPrincipal",
			"getRemoteUser", "isUserInRole");

	private final String text;

	private final ExpressionPlace place;

	private final BeanFactory beans;

	private boolean needsArguments;

	private boolean needsPrincipal;

	private ExpressionReader(String text, ExpressionPlace place, BeanFactory beans) {
		this.text = text;
		this.place = place;
		this.beans = beans;
	}

	static ParsedExpression read(String text, ExpressionPlace place, BeanFactory beans) {
		ExpressionReader reader = new ExpressionReader(text, place, beans);
		SpelExpression expression = reader.parse();
		reader.visitOnRoot(expression.getAST());
		return new ParsedExpression(expression, reader.needsArguments, reader.needsPrincipal);
	}

	private SpelExpression parse() {
		try {
			return PARSER.parseRaw(this.text);
		}
		catch (ParseException ex) {
			throw this.place.invalid(this.text, "cannot be parsed: " + ex.getSimpleMessage(),
					"Write a SpEL expression such as clientAddress, header('X-Api-Key') or 'global'; a literal text "
							+ "needs single quotes.",
					ex);
		}
	}

	private void visitOnRoot(SpelNode node) {
		if (node instanceof CompoundExpression) {
			visitCompound(node);
			return;
		}
		if (node instanceof PropertyOrFieldReference property) {
			checkProperty(property.getName());
		}
		else if (node instanceof MethodReference function) {
			checkFunction(function.getName());
		}
		else if (node instanceof VariableReference variable) {
			checkVariable(variable.toStringAST().substring(1));
		}
		else if (node instanceof BeanReference bean) {
			checkBean(bean);
			this.needsPrincipal = true;
		}
		visitChildren(node);
	}

	/*
	 * Only the first part is looked up on the root. The others belong to what came before
	 * them, whose type is not known yet; but their arguments are looked up on the root
	 * again.
	 */
	private void visitCompound(SpelNode compound) {
		SpelNode first = compound.getChild(0);
		visitOnRoot(first);
		for (int i = 1; i < compound.getChildCount(); i++) {
			SpelNode part = compound.getChild(i);
			if (i == 1 && isRoot(first)) {
				visitOnRoot(part);
			}
			else {
				visitChildren(part);
			}
			noteUserOfRequest(compound.getChild(i - 1), part);
		}
	}

	private void visitChildren(SpelNode node) {
		if (node instanceof Projection || node instanceof Selection || node instanceof Indexer) {
			return;
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			visitOnRoot(node.getChild(i));
		}
	}

	private static boolean isRoot(SpelNode node) {
		return node instanceof VariableReference
				&& ("#root".equals(node.toStringAST()) || "#this".equals(node.toStringAST()));
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

	private void checkProperty(String name) {
		if (!PROPERTIES.contains(name)) {
			throw unknown("reads '" + name + "', which is not known", name, PROPERTIES,
					"Known are " + String.join(", ", PROPERTIES) + ", header('…') and pathVariable('…')."
							+ ((this.place.method() != null) ? " A parameter is written #name." : "")
							+ " A literal text needs single quotes.");
		}
		if (name.equals("principal")) {
			this.needsPrincipal = true;
		}
	}

	private void checkFunction(String name) {
		if (!FUNCTIONS.contains(name)) {
			throw unknown("calls '" + name + "', which is not known", name, FUNCTIONS,
					"Known are header('…') and pathVariable('…'); a bean's method is called as @bean.method(…).");
		}
	}

	private void checkVariable(String name) {
		if (name.equals("root") || name.equals("this")) {
			return;
		}
		List<String> variables = this.place.variables();
		if (variables.isEmpty()) {
			throw this.place.invalid(this.text, "reads '#" + name + "', but there are no parameters here",
					"Use what the request has, such as clientAddress, header('…') or pathVariable('…').", null);
		}
		if (!variables.contains(name)) {
			throw unknown("reads '#" + name + "', which is not a parameter of the method", name, variables,
					"Its parameters are #" + String.join(", #", variables) + ".");
		}
		this.needsArguments = true;
	}

	private void checkBean(BeanReference bean) {
		String name = bean.getName();
		if (!this.beans.containsBean(name)) {
			throw unknown("names the bean '" + name + "', which does not exist", name,
					(this.beans instanceof ListableBeanFactory all) ? List.of(all.getBeanDefinitionNames()) : List.of(),
					"Declare a bean of that name.");
		}
	}

	private InvalidExpressionException unknown(String reason, String name, List<String> candidates, String known) {
		@Nullable String nearest = NearestName.of(name, candidates);
		String action = ((nearest != null) ? "Did you mean '" + nearest + "'? " : "") + known;
		return this.place.invalid(this.text, reason, action, null);
	}

}
