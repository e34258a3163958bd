package io.github.ratelimit.expression;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.Suggestion;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;

/**
 * The names that an expression may use at its place.
 *
 * @param place the expression
 * @param beanFactory where beans are looked up
 */
record ExpressionNames(ExpressionPlace place, BeanFactory beanFactory) {

	private static final List<String> FUNCTIONS = Stream.concat(Word.FUNCTIONS.stream(), Stream.of("folded")).toList();

	private static final String CALLS = "header('…'), parameter('…'), cookie('…'), pathVariable('…'), claim('…') "
			+ "and folded(…)";

	void checkProperty(String name) {
		if (Word.OUTCOME.contains(name)) {
			checkOutcome(name);
		}
		else if (!Word.PROPERTIES.contains(name)) {
			List<String> known = this.place.isCharge()
					? Stream.concat(Word.OUTCOME.stream(), Word.PROPERTIES.stream()).toList() : Word.PROPERTIES;
			throw unknown("reads '" + name + "', which is not known", name, known,
					"Known are " + String.join(", ", known) + ", " + CALLS + "."
							+ ((this.place.method() != null) ? " A parameter is written #name." : "")
							+ " A literal text needs single quotes.");
		}
	}

	private void checkOutcome(String name) {
		if (!this.place.isCharge()) {
			throw this.place.invalid("reads '" + name + "', which is known only when the call is over",
					"Use it in a charge, which is evaluated then.", null);
		}
		if (name.equals("result") && this.place.method() == null) {
			throw this.place.invalid("reads 'result', but a rule applies to requests, which return nothing",
					"Use status or exception, or apply the policy to a method by @RateLimited.", null);
		}
		if (name.equals("authenticationFailed") && !SecurityUsers.PRESENT) {
			throw this.place.invalid("reads 'authenticationFailed', but Spring Security is missing",
					"Use status, such as status >= 400, or add the dependency "
							+ "org.springframework.boot:spring-boot-starter-security.",
					null);
		}
	}

	void checkFunction(String name) {
		if (!FUNCTIONS.contains(name)) {
			throw unknown("calls '" + name + "', which is not known", name, FUNCTIONS,
					"Known are " + CALLS + "; a bean's method is called as @bean.method(…).");
		}
		if (name.equals("claim") && !SecurityUsers.TOKENS_PRESENT) {
			throw this.place.invalid("calls 'claim', but Spring Security's OAuth2 support is missing",
					"Add the dependency org.springframework.boot:spring-boot-starter-security-oauth2-resource-server.",
					null);
		}
	}

	void rejectFunction(String call) {
		throw this.place.invalid("calls '" + call + "', which is not known",
				"A bean's method is called as @bean.method(…).", null);
	}

	/*
	 * Returns whether the variable is an argument.
	 */
	boolean checkVariable(String name) {
		if (name.equals("root") || name.equals("this")) {
			return false;
		}
		Set<String> variables = ExpressionPlace.parameters(this.place.method()).keySet();
		if (variables.isEmpty()) {
			throw this.place.invalid("reads '#" + name + "', but there are no parameters here",
					"Use what the request has, such as clientAddress, header('…'), parameter('…') or pathVariable('…').",
					null);
		}
		if (!variables.contains(name)) {
			throw unknown("reads '#" + name + "', which is not a parameter of the method", name, variables,
					"Its parameters are #" + String.join(", #", variables) + ".");
		}
		return true;
	}

	void checkBean(String name) {
		if (!this.beanFactory.containsBean(name)) {
			List<String> beans = (this.beanFactory instanceof ListableBeanFactory listable)
					? List.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(listable, Object.class, true, false))
					: List.of();
			throw unknown("names the bean '" + name + "', which does not exist", name, beans,
					"Declare a bean of that name.");
		}
	}

	private InvalidRateLimitException unknown(String reason, String name, Collection<String> candidates, String known) {
		return this.place.invalid(reason, Suggestion.question(name, candidates) + known, null);
	}

}
