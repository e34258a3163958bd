package io.github.ratelimit.expression;

import java.lang.reflect.Method;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.policy.AppliedLocation;
import io.github.ratelimit.policy.StoreRateLimiter;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.expression.spel.SpelNode;

/**
 * Binds policies to the locations that they are applied to: parses their expressions,
 * once.
 *
 * @since 0.1.0
 */
public final class PolicyBinder {

	private static final Log logger = LogFactory.getLog(PolicyBinder.class);

	/*
	 * Finds one status of 4xx, unless the calls that have it are charged less than
	 * others.
	 */
	private static final Pattern ONE_STATUS = Pattern.compile("\\((#root\\.)?status == 4\\d\\d\\)(?! \\? (0|false) )");

	/* The word for the sum of the charges for each element. */
	private static final String CHARGED = "charged";

	private final ListableBeanFactory beanFactory;

	private final @Nullable KeyResolver resolver;

	private final @Nullable ParsedExpression defaultKey;

	private final RateLimitFindings findings;

	private final AtomicBoolean warned = new AtomicBoolean();

	private volatile boolean readingParameters;

	/**
	 * Creates a binder. The key of policies that have none is the resolver's, or the
	 * expression's, or else the client's address.
	 * @param beanFactory where {@code @bean} references are looked up
	 * @param resolver computes the default key, or {@code null}
	 * @param key the default key, an expression such as {@code principal.name}, or
	 * {@code null}
	 * @param findings where keys are added that are always empty, and charges that miss
	 * what they are to count
	 * @throws InvalidRateLimitException if the expression cannot be used as a default, or
	 * there is a resolver, too
	 */
	public PolicyBinder(ListableBeanFactory beanFactory, @Nullable KeyResolver resolver, @Nullable String key,
			RateLimitFindings findings) {
		this.beanFactory = beanFactory;
		this.resolver = resolver;
		if (resolver != null && key != null) {
			throw InvalidRateLimitException.property("ratelimit.key", key,
					"contradicts the application's KeyResolver bean '" + name(resolver)
							+ "', which would be the default key, too",
					"Remove ratelimit.key, or declare the bean with @Bean(defaultCandidate = false), so that it "
							+ "resolves only the keys that name it.",
					null);
		}
		this.defaultKey = (key != null) ? readDefault(key, beanFactory) : null;
		this.findings = findings;
	}

	private static ParsedExpression readDefault(String key, ListableBeanFactory beanFactory) {
		ExpressionLocation location = new ExpressionLocation(key, "the property ratelimit.key", RateLimitExpression.KEY,
				null, null);
		return ExpressionReader.read(location, beanFactory);
	}

	private String name(KeyResolver resolver) {
		return BeanFactoryUtils.beansOfTypeIncludingAncestors(this.beanFactory, KeyResolver.class, false, true)
			.entrySet()
			.stream()
			.filter((bean) -> bean.getValue() == resolver)
			.map(Map.Entry::getKey)
			.findFirst()
			.orElseGet(resolver.getClass()::getName);
	}

	/**
	 * Returns the key of a policy, or that of policies that have none.
	 * @param policy the policy
	 * @return the key as it is written, or would be: an expression, or {@code @} and the
	 * name of the bean that resolves it
	 */
	public String keyOf(RateLimitPolicy policy) {
		if (policy.key() != null) {
			return policy.key();
		}
		if (this.resolver != null) {
			return "@" + name(this.resolver);
		}
		return (this.defaultKey != null) ? this.defaultKey.text() : "clientAddress";
	}

	/**
	 * Returns the key that the state of a key that somebody typed is held under.
	 * @param text the value of a key expression, or a key as the endpoint displays it:
	 * {@code shared:}, {@code address:} with the client's address, or {@code sha256:}
	 * with a hash
	 * @param limiter enforces the policy
	 * @param addresses writes a client's address as requests have it
	 * @return the key that the state is held under
	 */
	public String stateKey(String text, StoreRateLimiter limiter, UnaryOperator<String> addresses) {
		return KeyNormalizer.stateKey(text, keyOf(limiter.policy()), limiter.hasOwnKeys(), addresses);
	}

	/**
	 * Whether something that was bound may read the parameters of a request.
	 * @return {@code false} if nobody needs its form
	 */
	public boolean mayReadParameters() {
		return this.readingParameters;
	}

	/**
	 * Binds a policy to a location. A location has expressions of its own, or else those
	 * of the policy.
	 * @param policy enforces the policy
	 * @param written the rule or method, with the expressions that are written there
	 * @param method the method, whose parameters expressions may read, or {@code null}
	 * for a rule
	 * @param property the configuration property that holds the rule, or {@code null} for
	 * a method
	 * @return the binding
	 * @throws InvalidRateLimitException if an expression cannot be used there
	 */
	public PolicyBinding bind(RateLimiter policy, AppliedLocation written, @Nullable Method method,
			@Nullable String property) {
		StoreRateLimiter limiter = StoreRateLimiter.of(policy);
		Expressions expressions = new Expressions(this.beanFactory, limiter.policy(), written.location(), method,
				property, new EnumMap<>(RateLimitExpression.class));
		ParsedExpression key = expressions.add(RateLimitExpression.KEY, written.key(), limiter.policy().key());
		KeyResolver resolver = (key == null) ? this.resolver : null;
		if (key == null && resolver == null && this.defaultKey != null) {
			key = this.defaultKey;
			expressions.parsed.put(RateLimitExpression.KEY, key);
		}
		return bind(limiter, written, expressions, key, resolver);
	}

	/**
	 * Binds a policy to a location whose key is found elsewhere, such as by a
	 * {@code KeyResolver} of Gateway.
	 * @param policy enforces the policy
	 * @param written the location, whose key says for display what finds it
	 * @return the binding, which is to be {@link PolicyBinding#resolve resolved} with the
	 * key that was found
	 * @throws InvalidRateLimitException if an expression cannot be used there
	 */
	public PolicyBinding bindToFoundKey(RateLimiter policy, AppliedLocation written) {
		StoreRateLimiter limiter = StoreRateLimiter.of(policy);
		Expressions expressions = new Expressions(this.beanFactory, limiter.policy(), written.location(), null, null,
				new EnumMap<>(RateLimitExpression.class));
		return bind(limiter, written, expressions, null, null);
	}

	private PolicyBinding bind(StoreRateLimiter limiter, AppliedLocation written, Expressions expressions,
			@Nullable ParsedExpression key, @Nullable KeyResolver resolver) {
		RateLimitPolicy policy = limiter.policy();
		ParsedExpression charge = expressions.addCharges(written);
		if (charge != null) {
			check(charge, key, policy.name(), written.location());
		}
		expressions.add(RateLimitExpression.COST, written.cost(), null);
		expressions.add(RateLimitExpression.CONDITION, written.condition(), null);
		expressions.add(RateLimitExpression.PLAN, null, policy.plan());

		if (expressions.property == null || expressions.method != null) {
			expressions.parsed.values().forEach(PolicyBinder::checkReadsNoMessage);
		}
		expressions.parsed.values().forEach(this::sayWhoAuthenticates);

		AppliedLocation location = new AppliedLocation(written.location(), own(written.key(), policy.key()),
				written.cost(), written.condition(), own(written.charge(), policy.charge()),
				own(written.chargeEach(), policy.chargeEach()));
		ExpressionFailures failures = new ExpressionFailures(limiter, written.location(), expressions.parsed);
		PolicyBinding binding = new PolicyBinding(limiter, location,
				new CallKey(key, resolver, failures, this.findings), expressions.parsed, failures);
		limiter.add(location);
		if (binding.mayRead("parameter")) {
			this.readingParameters = true;
		}
		return binding;
	}

	private static @Nullable String own(@Nullable String expression, @Nullable String ofPolicy) {
		return (expression != null && !expression.equals(ofPolicy)) ? expression : null;
	}

	/*
	 * When a method, a model or a route is asked for, somebody else has read the body.
	 */
	private static void checkReadsNoMessage(ParsedExpression expression) {
		if (expression.reads("mcp")) {
			throw expression.location()
				.invalid("reads 'mcp', which only rules know",
						"Apply the policy by a rule in ratelimit.rules. The method of a tool can have a policy of its "
								+ "own without it.");
		}
	}

	/*
	 * Other libraries, and some servers, authenticate users as well.
	 */
	private void sayWhoAuthenticates(ParsedExpression expression) {
		boolean needed = expression.principal() == ParsedExpression.PrincipalUse.CERTAIN;
		if (needed && !SecurityUsers.PRESENT && this.warned.compareAndSet(false, true)) {
			logger.warn(expression.location().subject() + " reads the user, but Spring Security is missing. Unless "
					+ "something else authenticates users, add the dependency "
					+ "org.springframework.boot:spring-boot-starter-security, or use clientAddress.");
		}
	}

	private void check(ParsedExpression charge, @Nullable ParsedExpression key, String policy, String location) {
		if (isOfOneStatus(charge.ast())) {
			this.findings.report(FindingCode.ONE_STATUS_CHARGED, policy, policy + charge.text(),
					"The charge '" + charge.text() + "' of the policy '" + policy
							+ "' counts one status, and clients can have the same failure answered with another, "
							+ "such as a 406 by sending Accept: image/png.");
		}

		// Where the login reads the name elsewhere, a key that is missing would leave it
		// to the address, and a guesser has many of these.
		if (charge.reads("authenticationFailed") && key != null && ExpressionNodes.mayBeMissing(key.ast())) {
			this.findings.report(FindingCode.NAMELESS_LOGIN, policy, location, "The key of " + location
					+ " may be missing in a request, whose failed logins count for the client's address then.");
		}
	}

	/*
	 * A client can have the same failure answered with another status, such as a 406 by
	 * what it accepts.
	 */
	static boolean isOfOneStatus(SpelNode charge) {
		String text = charge.toStringAST();
		return ONE_STATUS.matcher(text).find() && !text.contains("!(");
	}

	/**
	 * The expressions of a policy at one location.
	 */
	private record Expressions(ListableBeanFactory beanFactory, RateLimitPolicy policy, String location,
			@Nullable Method method, @Nullable String property, Map<RateLimitExpression, ParsedExpression> parsed) {

		/*
		 * A location that has a charge, or one for each element, has neither of the
		 * policy's, which belong together.
		 */
		@Nullable ParsedExpression addCharges(AppliedLocation written) {
			if (written.charge() == null && written.chargeEach() == null) {
				return addCharges(null, this.policy.charge(), null, this.policy.chargeEach());
			}
			String charge = (written.charge() != null) ? written.charge() : CHARGED;
			return addCharges(charge, null, written.chargeEach(), null);
		}

		private @Nullable ParsedExpression addCharges(@Nullable String own, @Nullable String ofPolicy,
				@Nullable String ownEach, @Nullable String eachOfPolicy) {
			ParsedExpression each = add(RateLimitExpression.CHARGE_EACH, ownEach, eachOfPolicy);
			ParsedExpression charge = add(RateLimitExpression.CHARGE, own, ofPolicy);
			if (charge == null) {
				return null;
			}

			if (each == null && charge.reads(CHARGED)) {
				throw charge.location()
					.invalid("reads 'charged', the sum of the charges for each element, but there are none",
							"Write charge-each (chargeEach in an annotation) as well, such as result.tokens().");
			}
			if (each != null && !charge.mayRead(CHARGED)) {
				throw each.location()
					.invalid("has no effect, because the charge '" + charge.text() + "' does not read its sum",
							"Read the sum in the charge as charged, or remove one of the two.");
			}
			return charge;
		}

		@Nullable ParsedExpression add(RateLimitExpression purpose, @Nullable String own, @Nullable String ofPolicy) {
			String text = (own != null) ? own : ofPolicy;
			if (text == null) {
				return null;
			}

			String description = this.location;
			if (own == null) {
				description = "the policy '" + this.policy.name() + "', applied to " + this.location;
			}
			String ownProperty = null;
			if (own != null && this.property != null) {
				ownProperty = this.property + "." + purpose.id();
			}
			ExpressionLocation where = new ExpressionLocation(text, description, purpose, this.method, ownProperty);
			ParsedExpression read = ExpressionReader.read(where, this.beanFactory);
			this.parsed.put(purpose, read);
			return read;
		}

	}

}
