package io.github.ratelimit.expression;

import java.lang.reflect.Method;
import java.security.Principal;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.expression.ParsedExpression.PrincipalUse;
import io.github.ratelimit.support.Suggestion;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.ClassUtils;

/**
 * Parses an expression and checks that every name in it is known at its location, so that
 * a mistake fails start-up and does not fail the first request.
 */
final class ExpressionReader {

	private static final SpelExpressionParser PARSER = new SpelExpressionParser();

	/* It is known by name, because Gateway is optional. */
	private static final String RESOLVER_OF_GATEWAY = "org.springframework.cloud.gateway.filter.ratelimit.KeyResolver";

	private static final Pattern TEMPLATE = Pattern.compile("#\\{([^{}]*)}");

	/* The words that are meant by others, which are common elsewhere. */
	private static final Map<String, String> MEANT = byCommonWord();

	private static final Word PRINCIPAL = new Word("principal", "");

	private static final Word SESSION = new Word("session", "");

	private static final List<String> FUNCTIONS = Stream.concat(Word.FUNCTIONS.stream(), Stream.of("folded")).toList();

	private static final String CALLS = "header('…'), parameter('…'), cookie('…'), pathVariable('…'), claim('…') "
			+ "and folded(…)";

	private final ListableBeanFactory beanFactory;

	private final ExpressionLocation location;

	private final Set<Word> words = new HashSet<>();

	private boolean needsArguments;

	private boolean needsRequest;

	private boolean callsBean;

	private PrincipalUse principal = PrincipalUse.NONE;

	private static Map<String, String> byCommonWord() {
		Map<String, List<String>> common = Map.of("clientAddress",
				List.of("ip", "ipAddress", "clientIp", "clientIP", "remoteAddr", "remoteAddress", "remoteHost",
						"remoteIp", "address", "addr", "host"),
				"principal.name",
				List.of("user", "userName", "username", "userId", "currentUser", "login", "authentication", "auth",
						"principalName", "remoteUser", "userPrincipal"),
				"path", List.of("uri", "url", "requestUri", "requestURI", "requestURL", "requestPath", "servletPath"),
				"session.id", List.of("sessionId", "requestedSessionId"), "header('X-Api-Key')",
				List.of("headers", "apiKey"), "parameter('customer')",
				List.of("param", "params", "parameters", "query", "queryParam", "queryParams", "queryParameter",
						"form"),
				"cookie('visitor')", List.of("cookies"), "claim('tenant')", List.of("claims", "jwt", "token"),
				"pathVariable('id')", List.of("pathVariables", "pathVar", "variable"), "method",
				List.of("httpMethod", "verb", "requestMethod"));
		Map<String, String> meant = new HashMap<>();
		common.forEach((word, others) -> others.forEach((other) -> meant.put(other.toLowerCase(Locale.ROOT), word)));
		return meant;
	}

	private ExpressionReader(ExpressionLocation location, ListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
		this.location = location;
	}

	static ParsedExpression read(ExpressionLocation location, ListableBeanFactory beanFactory) {
		checkReturns(location);
		SpelExpression expression = parse(location);
		SpelNode ast = expression.getAST();
		ExpressionReader reader = new ExpressionReader(location, beanFactory);
		reader.visit(ast, true);

		ParsedExpression parsed = new ParsedExpression(expression, location, reader.evaluator(expression),
				reader.needsArguments, Set.copyOf(reader.words), reader.principal, reader.needsRequest,
				reader.callsBean);
		ExpressionValues.check(parsed);
		new DeclaredTypes(beanFactory, location).check(ast);
		if (location.purpose() == RateLimitExpression.KEY) {
			KeyText.check(ast, location);
			reader.checkQuotes(ast);
		}
		return parsed;
	}

	/* The most common expressions do without SpEL. */
	private Function<RateLimitContext, @Nullable Object> evaluator(SpelExpression expression) {
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
			default -> new SpelEvaluator(expression, this.location, new BeanFactoryResolver(this.beanFactory));
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
			checkProperty(property.getName());
			note(node);
		}
		else if (node instanceof MethodReference function && onRoot) {
			checkFunction(function.getName(), node.getChildCount());
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
			checkBean(bean.getName());
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
			checkParameter(name);
			this.needsArguments = true;
		}
	}

	private void findPrincipal(SpelNode node) {
		PrincipalUse found = ExpressionNodes.principal(node);
		if (found.compareTo(this.principal) > 0) {
			this.principal = found;
		}
	}

	private void checkProperty(String name) {
		if (Word.OUTCOME.contains(name)) {
			checkOutcome(name);
		}
		else if (!Word.PROPERTIES.contains(name)) {
			throw unknownProperty(name);
		}
	}

	private InvalidRateLimitException unknownProperty(String name) {
		List<String> known = Stream.concat(knownLater().stream(), Word.PROPERTIES.stream()).toList();

		String advice = meant(name);
		if (advice.isEmpty()) {
			advice = Suggestion.question(name, known);
		}
		advice += "Known are " + String.join(", ", known) + ", " + CALLS + ".";
		if (this.location.method() != null) {
			advice += " A parameter is written #name.";
		}
		return this.location.invalid("reads '" + name + "', which is not known",
				advice + " A literal text needs single quotes.");
	}

	private List<String> knownLater() {
		if (this.location.isCharge()) {
			return Word.OUTCOME;
		}
		return this.location.isOfElement() ? List.of("result") : List.of();
	}

	private void checkOutcome(String name) {
		if (!knownLater().contains(name)) {
			throw this.location.invalid("reads '" + name + "', which is known only when the call is over",
					"Use it in a charge, which is evaluated then.");
		}
		if (Word.OF_METHODS.contains(name) && this.location.method() == null) {
			throw this.location.invalid("reads '" + name + "', but a rule applies to requests, which return nothing",
					"Use status or exception, or apply the policy to a method by @RateLimited.");
		}
		if (name.equals("authenticationFailed") && !SecurityUsers.PRESENT) {
			throw this.location.invalid("reads 'authenticationFailed', but Spring Security is missing",
					"Use status, such as status >= 400, or add the dependency "
							+ "org.springframework.boot:spring-boot-starter-security.");
		}
	}

	private void checkFunction(String name, int arguments) {
		if (!FUNCTIONS.contains(name)) {
			String near = Suggestion.question(name, FUNCTIONS);
			throw this.location.invalid("calls '" + name + "', which is not known",
					(near.isEmpty() ? meant(name) : near) + "Known are " + CALLS
							+ "; a bean's method is called as @bean.method(…).");
		}
		if (arguments != 1) {
			String call = name.equals("folded") ? "folded(…)" : name + "('…')";
			throw this.location.invalid("calls '" + name + "' with " + arguments + " arguments, but it takes one",
					"Write " + call + ".");
		}
		if (name.equals("claim") && !SecurityUsers.TOKENS_PRESENT) {
			throw this.location.invalid("calls 'claim', but Spring Security's OAuth2 support is missing",
					"Add the dependency org.springframework.boot:spring-boot-starter-security-oauth2-resource-server.");
		}
	}

	private void checkParameter(String name) {
		Method method = this.location.method();
		Set<String> variables = ExpressionLocation.parameters(method).keySet();
		if (method == null || variables.isEmpty()) {
			throw this.location.invalid("reads '#" + name + "', but there are no parameters here",
					"Use what the request has, such as clientAddress, header('…'), parameter('…') or pathVariable('…').");
		}

		if (!variables.contains(name) && ExpressionLocation.NAMES.getParameterNames(method) == null) {
			throw this.location.invalid(
					"reads '#" + name + "', but the class " + method.getDeclaringClass().getSimpleName()
							+ " was compiled without the names of parameters",
					"Compile it with -parameters, as Spring Boot's plugins for Maven and Gradle do (Maven: "
							+ "maven.compiler.parameters=true; Kotlin: -java-parameters). Or write #p0 for the first "
							+ "parameter.");
		}
		if (!variables.contains(name)) {
			throw unknown("reads '#" + name + "', which is not a parameter of the method", name, variables,
					"Its parameters are #" + String.join(", #", variables) + ".");
		}
	}

	private void checkBean(String name) {
		if (!this.beanFactory.containsBean(name)) {
			String[] beans = BeanFactoryUtils.beanNamesForTypeIncludingAncestors(this.beanFactory, Object.class, true,
					false);
			throw unknown("names the bean '" + name + "', which does not exist", name, List.of(beans),
					"Declare a bean of that name.");
		}

		if (isOfGateway(this.beanFactory.getType(name, false))) {
			throw this.location.invalid("names the bean '" + name + "', which is a KeyResolver of Spring Cloud Gateway",
					"The key of Gateway's filters is written #{@" + name
							+ "}. Elsewhere, write an expression, or a bean " + "of type " + KeyResolver.class.getName()
							+ ".");
		}
	}

	private static boolean isOfGateway(@Nullable Class<?> type) {
		return type != null && ClassUtils.getAllInterfacesForClassAsSet(type)
			.stream()
			.anyMatch((each) -> each.getName().equals(RESOLVER_OF_GATEWAY));
	}

	/*
	 * Quotes are easily written around an expression where no quotes are needed, as in a
	 * properties file. A single word may be meant as a text.
	 */
	private void checkQuotes(SpelNode key) {
		if (key instanceof Ternary || key instanceof Elvis) {
			ExpressionNodes.children(key).forEach(this::checkQuotes);
		}
		else if (key instanceof StringLiteral literal && isExpression(literal)) {
			throw this.location.invalid("is a text in quotes, which is the same key for all",
					"Write " + literal.getLiteralValue().getValue()
							+ " without the quotes; or, for one budget that all share, another text such as 'global'.");
		}
	}

	private boolean isExpression(StringLiteral literal) {
		String text = String.valueOf(literal.getLiteralValue().getValue());
		if (text.isBlank()) {
			return false;
		}
		if (text.equals("clientAddress")) {
			return true;
		}

		SpelNode quoted;
		try {
			quoted = PARSER.parseRaw(text).getAST();
		}
		catch (ParseException ex) {
			return false;
		}

		if (quoted instanceof CompoundExpression) {
			SpelNode first = quoted.getChild(0);
			return isProperty(first) || isKnown(first);
		}
		return isKnown(quoted);
	}

	private static boolean isProperty(SpelNode node) {
		return node instanceof PropertyOrFieldReference property && Word.isProperty(property.getName());
	}

	/* Whether a node calls or reads something that there is. */
	private boolean isKnown(SpelNode node) {
		if (node instanceof MethodReference function) {
			return FUNCTIONS.contains(function.getName());
		}
		if (node instanceof VariableReference variable) {
			String name = variable.toStringAST().substring(1);
			return ExpressionLocation.parameters(this.location.method()).containsKey(name);
		}
		return node instanceof BeanReference bean && this.beanFactory.containsBean(bean.getName());
	}

	private static String meant(String name) {
		String property = name.startsWith("get") ? name.substring(3) : name;
		String meant = MEANT.get(property.toLowerCase(Locale.ROOT));
		return (meant != null) ? "Write " + meant + ". " : "";
	}

	private InvalidRateLimitException unknown(String reason, String name, Collection<String> candidates, String known) {
		return this.location.invalid(reason, Suggestion.question(name, candidates) + known);
	}

}
