package io.github.ratelimit.expression;

import java.beans.PropertyDescriptor;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.support.Suggestion;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.VariableReference;

/**
 * Judges the names in an expression: whether each is known at its location, and else what
 * may have been meant.
 *
 * @param beanFactory knows the beans
 * @param location the expression
 */
record KnownNames(ListableBeanFactory beanFactory, ExpressionLocation location) {

	/* It is known by name, because Gateway is optional. */
	private static final List<String> RESOLVER_OF_GATEWAY = List
		.of("org.springframework.cloud.gateway.filter.ratelimit.KeyResolver");

	/* The words that are meant by others, which are common elsewhere. */
	private static final Map<String, String> MEANT = byCommonWord();

	/* The name of the bean that reads messages for an MCP server, if there is one. */
	private static final String MESSAGES = "rateLimitMcpMessages";

	private static final List<String> OF_MESSAGE = List.of("method", "tool");

	private static final List<String> FUNCTIONS = Stream.concat(Word.FUNCTIONS.stream(), Stream.of("folded")).toList();

	private static final String CALLS = "header('…'), parameter('…'), cookie('…'), pathVariable('…'), claim('…') "
			+ "and folded(…)";

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

	/**
	 * Checks a property of the root object.
	 * @throws InvalidRateLimitException if it is not known, or not at this location
	 */
	void checkProperty(String name) {
		if (Word.OUTCOME.contains(name)) {
			checkOutcome(name);
		}
		else if (!Word.PROPERTIES.contains(name)) {
			throw unknownProperty(name);
		}
		else if (new Word(name, "").isMessage()) {
			checkMessage();
		}
	}

	private void checkMessage() {
		if (!this.beanFactory.containsBean(MESSAGES)) {
			throw this.location.invalid("reads 'mcp', but there is no MCP server",
					"Set ratelimit.mcp.endpoints to the paths that take its messages, or add the dependency "
							+ "org.springframework.ai:spring-ai-starter-mcp-server-webmvc, or -webflux.");
		}
	}

	/**
	 * Checks a property of the message for an MCP server, or of what a model has used.
	 * @throws InvalidRateLimitException if it is not known
	 */
	void checkPropertyOf(Word word, String name) {
		if (word.isMessage()) {
			checkPropertyOf(word, name, OF_MESSAGE);
		}
		Method method = this.location.method();
		if (method != null && word.isResult() && this.location.isOfModel()) {
			checkPropertyOf(word, name, propertiesOf(method.getReturnType()));
		}
	}

	private void checkPropertyOf(Word word, String name, List<String> known) {
		if (!known.contains(name)) {
			throw this.location.invalid("reads '" + word.text() + "." + name + "', which is not known",
					Suggestion.question(name, known) + "Known are " + listed(word, known) + ".");
		}
	}

	private static String listed(Word word, List<String> properties) {
		String prefix = word.text() + ".";
		int last = properties.size() - 1;
		return prefix + String.join(", " + prefix, properties.subList(0, last)) + " and " + prefix
				+ properties.get(last);
	}

	private static List<String> propertiesOf(Class<?> type) {
		return Stream.of(BeanUtils.getPropertyDescriptors(type)).map(PropertyDescriptor::getName).sorted().toList();
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
		if (name.equals(Word.USAGE) && !this.location.isOfModel()) {
			throw this.location.invalid("reads 'usage', which only the call of a model has",
					"Use it in a policy that ratelimit.ai.policy names, with the dependency "
							+ "io.github.ratelimit:ratelimit-spring-ai, or charge by something else.");
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

	/**
	 * Checks a call of a function of the root object.
	 * @throws InvalidRateLimitException if there is none of this name, or it cannot be
	 * called so
	 */
	void checkFunction(String name, int arguments) {
		if (!FUNCTIONS.contains(name)) {
			String advice = Suggestion.question(name, FUNCTIONS);
			if (advice.isEmpty()) {
				advice = meant(name);
			}
			throw this.location.invalid("calls '" + name + "', which is not known",
					advice + "Known are " + CALLS + "; a bean's method is called as @bean.method(…).");
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

	/**
	 * Checks a call of a method of a text.
	 * @throws InvalidRateLimitException if no text has a method that can be called so
	 */
	void checkMethodOfText(MethodReference call) {
		String name = call.getName();
		if (!methods(String.class, name, call.getChildCount()).isEmpty()) {
			return;
		}

		Set<String> known = Stream.of(String.class.getMethods()).map(Method::getName).collect(Collectors.toSet());
		String advice = known.contains(name) ? "" : Suggestion.question(name, known);
		throw this.location.invalid("calls '" + call.toStringAST() + "' of a text, which has no such method",
				advice + "Write a method of String, such as trim() or toLowerCase().");
	}

	/**
	 * Finds the methods of a type that a call may mean.
	 * @param type the type
	 * @param name the name that is called
	 * @param arguments how many arguments it is called with
	 * @return the overloads that take so many, but not which of them takes those
	 */
	static List<Method> methods(Class<?> type, String name, int arguments) {
		List<Method> named = Stream.of(type.getMethods())
			.filter((method) -> method.getName().equals(name) && takes(method, arguments))
			.toList();
		return named.stream()
			.filter((method) -> !method.isBridge() || !isNarrowed(method, named))
			.map(BridgeMethodResolver::findBridgedMethod)
			.distinct()
			.toList();
	}

	/*
	 * A bridge to a method of a class that is not public is no second overload: nothing
	 * else of the method is listed.
	 */
	private static boolean isNarrowed(Method bridge, List<Method> methods) {
		return methods.stream()
			.anyMatch((method) -> !method.isBridge()
					&& Arrays.equals(method.getParameterTypes(), bridge.getParameterTypes()));
	}

	private static boolean takes(Method method, int arguments) {
		int parameters = method.getParameterCount();
		return arguments == parameters || (method.isVarArgs() && arguments >= parameters - 1);
	}

	/**
	 * Checks a variable, which is a parameter of the method.
	 * @throws InvalidRateLimitException if the method has none of this name
	 */
	void checkParameter(String name) {
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

	/**
	 * Checks a reference to a bean.
	 * @throws InvalidRateLimitException if there is none of this name, or it is a key of
	 * Spring Cloud Gateway
	 */
	void checkBean(String name) {
		if (!this.beanFactory.containsBean(name)) {
			String[] beans = BeanFactoryUtils.beanNamesForTypeIncludingAncestors(this.beanFactory, Object.class, true,
					false);
			throw unknown("names the bean '" + name + "', which does not exist", name, List.of(beans),
					"Declare a bean of that name.");
		}

		if (KeyText.isSubtypeOfAny(this.beanFactory.getType(name, false), RESOLVER_OF_GATEWAY)) {
			throw this.location.invalid("names the bean '" + name + "', which is a KeyResolver of Spring Cloud Gateway",
					"The key of Gateway's filters is written #{@" + name
							+ "}. Elsewhere, write an expression, or a bean of type " + KeyResolver.class.getName()
							+ ".");
		}
	}

	/**
	 * Whether a part calls a function, or reads a parameter or a bean, that there is.
	 */
	boolean isKnown(SpelNode node) {
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
