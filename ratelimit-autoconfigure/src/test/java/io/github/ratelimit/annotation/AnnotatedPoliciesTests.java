package io.github.ratelimit.annotation;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.expression.RateLimitContext;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFinding;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.request.PermitRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.annotation.AliasFor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

/**
 * Tests which policies annotations are: where they may stand, how often, within which
 * others, what the policies are called, and what {@code application.yml} makes of them.
 */
class AnnotatedPoliciesTests {

	private static final RateLimit CONFIGURED = RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 77,
			Duration.ofHours(1));

	private final Catalogue catalogue = new Catalogue();

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			Posts          | post       | Posts.post 1
			Posts          | named      | writing 1
			Posts          | twice      | Posts.twice 1, Posts.twice-2 2, Posts.twice-3 3
			Posts          | sameKey    | Posts.sameKey 1 150
			Posts          | different  | Posts.different 1, Posts.different-2 2, Posts.different-3 3
			Typed          | one        | Typed 5
			Typed          | own        | Typed.own 9
			Extending      | one        | Extending 5
			Extending      | more       | Extending 5
			Implementation | ofMethod   | Implementation.ofMethod 3
			Implementation | ofType     | Implementation 4
			Implementation | replaced   | Implementation.replaced 6
			Left           | unnamed    | Left.unnamed 1
			Right          | unnamed    | Right.unnamed 1
			Composed       | composed   | Composed.composed 12
			Composed       | several    | Composed.several 1 10
			Composed       | both       | Composed.both 12 99
			Composed       | ofType     | Composed 7
			""")
	void limitsOfOneKeyAreOnePolicyAndTheNearestAnnotationsCount(String type, String method, String expected)
			throws ClassNotFoundException {
		Class<?> annotated = Class.forName(getClass().getName() + "$" + type);
		for (int i = 0; i < 3; i++) {
			assertThat(this.catalogue.policies(annotated, method)).extracting(AnnotatedPoliciesTests::text)
				.containsExactly(expected.split(", "));
		}
		assertThat(this.catalogue.findings()).isEmpty();
	}

	private static String text(RateLimitPolicy policy) {
		StringBuilder text = new StringBuilder(policy.name());
		policy.limits().stream().map(RateLimit::limit).sorted().forEach((limit) -> text.append(' ').append(limit));
		return text.toString();
	}

	@Test
	void composedAnnotationPassesItsAttributesOn() {
		assertThat(this.catalogue.policy(Composed.class, "composed").limits())
			.containsExactly(RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 12, Duration.ofHours(2)));
	}

	@Test
	void secondClassOfTheSameNameIsNamedInFullAndFound() {
		assertThat(this.catalogue.names(Posts.class, "post")).containsExactly("Posts.post");
		assertThat(this.catalogue.names(Elsewhere.Posts.class, "post"))
			.containsExactly(Elsewhere.Posts.class.getName() + ".post");
		assertThat(this.catalogue.findings()).containsExactly(new RateLimitFinding(FindingCode.SHARED_NAME,
				"Posts.post", "The policies of " + Elsewhere.Posts.class.getName() + ".post and "
						+ Posts.class.getName() + ".post would both be named 'Posts.post'."));
	}

	@Test
	void overloadsAreToldApartByTheirParametersWhicheverIsSeenFirst() throws NoSuchMethodException {
		Map<Method, String> names = Map.of(Overloads.class.getMethod("send", String.class), "Overloads.send(String)",
				Overloads.class.getMethod("send", int.class), "Overloads.send(int)",
				Overloads.class.getMethod("receive", String.class), "Overloads.receive");
		names.forEach((method, name) -> assertThat(nameOf(new Catalogue(), method)).isEqualTo(name));
	}

	@Test
	void overloadsWhoseParametersHaveTheSameSimpleNamesAreToldApartByTheirFullOnes() throws NoSuchMethodException {
		Map<Method, String> names = Map.of(Alike.class.getMethod("create", Order.Request.class),
				"Alike.create(" + Order.Request.class.getName() + ")",
				Alike.class.getMethod("create", Customer.Request.class),
				"Alike.create(" + Customer.Request.class.getName() + ")", Alike.class.getMethod("create", String.class),
				"Alike.create(String)");
		names.forEach((method, name) -> assertThat(nameOf(new Catalogue(), method)).isEqualTo(name));
	}

	@Test
	void methodThatOverridesAGenericOneIsNoOverload() {
		assertThat(nameOf(this.catalogue, Catalogue.method(OrderService.class, "save"))).isEqualTo("OrderService.save");
		assertThat(nameOf(this.catalogue, Catalogue.method(OrderLines.class, "print"))).isEqualTo("OrderLines.print");
	}

	private static String nameOf(Catalogue catalogue, Method method) {
		return catalogue.find(method.getDeclaringClass(), method).get(0).limiter().policy().name();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					namedToo      | has the name 'writing', which another limit of Posts.named() has too | @RateLimited("writing") in both
					contradictory | has the name 'two', which another limit of Posts.contradictory() has too | Use another name
					unreachable   | is not possible: name = "a/b" cannot name a policy | other than / \\ ; and %
					impossible    | is not possible: limit = 0 is out of range | from 1
					blank         | is not possible: chargeEach = " " is blank | Remove it to count no elements
					login         | names the policy 'login', which does not exist | Did you mean 'logins'? Add ratelimit.policies.login to application.yml, or give a limit and a window here.
					borrows       | names the policy 'Posts.post', which does not exist | Add ratelimit.policies[Posts.post] to application.yml, where the name is written "[Posts.post]", or give a limit
					""")
	void mistakeIsToldWithItsPlace(String method, String reason, String action) {
		this.catalogue.configured("logins", null, CONFIGURED).configured("Posts.impossible", null, CONFIGURED);
		this.catalogue.find(Posts.class, "post");
		this.catalogue.find(Posts.class, "named");
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> this.catalogue.find(Posts.class, method))
			.withMessageStartingWith("@RateLimited on Posts." + method + "() " + reason)
			.asInstanceOf(type(InvalidRateLimitException.class))
			.extracting(InvalidRateLimitException::action)
			.asString()
			.contains(action);
	}

	@Test
	void mistakeThatIsMadeAgainAndAgainRegistersNoPolicyTwice() {
		for (int i = 0; i < 10; i++) {
			assertThatExceptionOfType(InvalidRateLimitException.class)
				.isThrownBy(() -> this.catalogue.find(Posts.class, "mistakenLast"))
				.withMessageContaining("has a window with a placeholder that nothing resolves");
		}
		assertThat(this.catalogue.limiter().policies()).extracting((limiter) -> limiter.policy().name())
			.containsExactlyInAnyOrder("Posts.mistakenLast", "Posts.mistakenLast-2");
		this.catalogue.property("posts.window", "1m");
		assertThat(this.catalogue.names(Posts.class, "mistakenLast")).containsExactly("Posts.mistakenLast",
				"Posts.mistakenLast-2", "Posts.mistakenLast-3");
		assertThat(this.catalogue.limiter().policies()).hasSize(3);
	}

	@Test
	void mistakesInTwoClassesOfTheSameNameRegisterNoPolicyTwiceEither() {
		for (int i = 0; i < 10; i++) {
			for (Class<?> type : List.of(Posts.class, Elsewhere.Posts.class)) {
				assertThatExceptionOfType(InvalidRateLimitException.class)
					.isThrownBy(() -> this.catalogue.find(type, "mistakenLast"));
			}
		}
		String elsewhere = Elsewhere.Posts.class.getName() + ".mistakenLast";
		assertThat(this.catalogue.limiter().policies()).extracting((limiter) -> limiter.policy().name())
			.containsExactlyInAnyOrder("Posts.mistakenLast", "Posts.mistakenLast-2", elsewhere);
		assertThat(this.catalogue.findings()).hasSize(1);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					charged     | has the charge 'result', but the policy 'a.b' itself has none     | Write it in the policy: as ratelimit.policies[a.b].charge, or in the code that registers the policy.
					chargedEach | has the chargeEach 'result', but the policy 'a.b' itself has none | Write it in the policy: as ratelimit.policies[a.b].charge-each, or in the code that registers the policy.
					limited     | names the policy 'a.b' and has what only the policy can have: [limit] | Remove it, and write it as a property of ratelimit.policies[a.b]; or remove the policy.
					""")
	void whatOnlyThePolicyCanHaveIsNamedAsItsProperty(String method, String reason, String action) {
		this.catalogue.configured("a.b", null, CONFIGURED);
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> this.catalogue.find(OfPolicies.class, method))
			.withMessage("@RateLimited on OfPolicies." + method + "() " + reason)
			.satisfies((ex) -> assertThat(ex.action()).isEqualTo(action));
	}

	@Test
	void inheritedLimitOfAGivenNameIsOneBudgetOfAllThatInheritIt() {
		assertThat(this.catalogue.find(Left.class, "inherited").get(0).limiter())
			.isSameAs(this.catalogue.find(Right.class, "inherited").get(0).limiter());
	}

	@ParameterizedTest
	@ValueSource(strings = { "Posts.save(String[], Map)", "Posts.it is limited", "Posts$1.run", "Posts.wasn't?" })
	void derivedNameThatIsPossibleStaysAsItIs(String name) {
		assertThat(AnnotatedLocation.validName(name)).isEqualTo(name);
	}

	@Test
	void derivedNamesThatAreImpossibleAreChangedAndStayDifferentWhicheverIsSeenFirst() {
		Method[] methods = Größen.class.getDeclaredMethods();
		Set<String> names = new HashSet<>();
		for (Method method : methods) {
			String name = nameOf(this.catalogue, method);
			assertThat(name).matches("Gr__en\\.(gr__e|aMethodWithANameThat.*)-[0-9a-f]{8}").hasSizeLessThan(129);
			assertThat(nameOf(new Catalogue(), method)).isEqualTo(name);
			names.add(name);
		}
		assertThat(names).hasSize(methods.length);
	}

	@ParameterizedTest
	@ValueSource(strings = { "a/b", "a\\b", "a;b", "100%", ".", "..", "a\nb", "a\u0000b", "grün", " " })
	void givenNameThatCannotBeReachedIsAMistake(String name) {
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> RateLimitPolicy.of(name))
			.withMessageContaining("cannot name a policy");
	}

	@Test
	void annotationsThatNameAPolicyShareItsBudgetUnderKeysOfTheirOwn() {
		this.catalogue.configured("login", "'configured'", CONFIGURED);
		assertThat(this.catalogue.policy(Posts.class, "login").limits()).containsExactly(CONFIGURED);
		assertThat(this.catalogue.find(Posts.class, "login").get(0).limiter())
			.isSameAs(this.catalogue.find(Posts.class, "loginToo").get(0).limiter());
		assertThat(key("login")).isEqualTo("configured");
		assertThat(key("loginToo")).isEqualTo("annotated");
	}

	@Test
	void policyOfTheAnnotationsNameOverridesItsNumbersAndItsKeyIfItHasOne() {
		this.catalogue.configured("Posts.search", null, CONFIGURED).configured("given", "'configured'", CONFIGURED);
		assertThat(this.catalogue.policy(Posts.class, "search").limits()).containsExactly(CONFIGURED);
		assertThat(key("search")).isEqualTo("annotated");
		assertThat(this.catalogue.policy(Posts.class, "given").limits()).containsExactly(CONFIGURED);
		assertThat(key("given")).isEqualTo("configured");
	}

	private String key(String method) {
		List<PermitRequest> asked = new ArrayList<>();
		this.catalogue.find(Posts.class, method).get(0).resolve(RateLimitContext.of(null), null, asked);
		assertThat(asked).hasSize(1);
		return asked.get(0).key();
	}

	@Test
	void annotationThatNamesAPolicyHasNoNumbersOfItsOwn() {
		this.catalogue.configured("login", null, CONFIGURED);
		for (Method method : Contradictory.class.getDeclaredMethods()) {
			assertThatExceptionOfType(InvalidRateLimitException.class).as(method.getName())
				.isThrownBy(() -> this.catalogue.find(Contradictory.class, method))
				.withMessageContaining("names the policy 'login' and has what only the policy can have");
		}
	}

	@Test
	void aliasesAreOfConfiguredPoliciesFirstAndThenInTheOrderOfClassesAndMethods() {
		LimitedBeans.runner()
			.withPropertyValues("ratelimit.policies.second.limit=1", "ratelimit.policies.second.window=1m",
					"ratelimit.policies.first.limit=1", "ratelimit.policies.first.window=1m")
			.withBean(Overloads.class)
			.withBean(Left.class)
			.run((context) -> assertThat(context.getBean(RateLimiterRegistry.class)
				.policies()
				.stream()
				.map(StoreRateLimiter.class::cast)
				.sorted(Comparator.comparing(StoreRateLimiter::alias))
				.map((limiter) -> limiter.policy().name())).containsExactly("second", "first", "both", "Left.unnamed",
						"Overloads.receive", "Overloads.send(String)", "Overloads.send(int)"));
	}

	static class Posts {

		@RateLimited(limit = 1, window = "1s")
		public void post() {
		}

		@RateLimited(name = "writing", limit = 1, window = "1s")
		public void named() {
		}

		@RateLimited(name = "writing", limit = 1, window = "1s")
		public void namedToo() {
		}

		@RateLimited(limit = 1, window = "1s")
		@RateLimited(limit = 2, window = "1s", key = "'a'")
		@RateLimited(limit = 3, window = "1s", key = "'b'")
		public void twice() {
		}

		@RateLimited(limit = 1, window = "1s", key = "principal.name")
		@RateLimited(limit = 150, window = "1d", key = "principal.name")
		public void sameKey() {
		}

		@RateLimited(limit = 1, window = "1s")
		@RateLimited(limit = 2, window = "1s", cost = "2")
		@RateLimited(limit = 3, window = "1s", condition = "principal == null")
		public void different() {
		}

		@RateLimited(name = "two", limit = 1, window = "1s")
		@RateLimited(name = "two", limit = 2, window = "1s", key = "'a'")
		public void contradictory() {
		}

		@RateLimited(name = "a/b", limit = 1, window = "1s")
		public void unreachable() {
		}

		@RateLimited("login")
		public void login() {
		}

		@RateLimited(policy = "login", key = "'annotated'")
		public void loginToo() {
		}

		@RateLimited(limit = 1, window = "1s", key = "'annotated'")
		public void search() {
		}

		@RateLimited(name = "given", limit = 1, window = "1s", key = "'annotated'")
		public void given() {
		}

		@RateLimited(limit = 0, window = "1s")
		public void impossible() {
		}

		@RateLimited(limit = 1, window = "1s", chargeEach = " ")
		public void blank() {
		}

		@RateLimited("Posts.post")
		public void borrows() {
		}

		@RateLimited(limit = 1, window = "1s")
		@RateLimited(limit = 2, window = "1s", key = "'a'")
		@RateLimited(limit = 3, window = "${posts.window}", key = "'b'")
		public void mistakenLast() {
		}

	}

	static class OfPolicies {

		@RateLimited(policy = "a.b", charge = "result")
		public void charged() {
		}

		@RateLimited(name = "a.b", limit = 1, window = "1s", chargeEach = "result")
		public void chargedEach() {
		}

		@RateLimited(policy = "a.b", limit = 1)
		public void limited() {
		}

	}

	static class Elsewhere {

		static class Posts {

			@RateLimited(limit = 1, window = "1s")
			public void post() {
			}

			@RateLimited(limit = 1, window = "1s")
			@RateLimited(limit = 2, window = "40d", key = "'a'")
			public void mistakenLast() {
			}

		}

	}

	static class Overloads {

		@RateLimited(limit = 1, window = "1s")
		public void send(String text) {
		}

		@RateLimited(limit = 1, window = "1s")
		public void send(int number) {
		}

		@RateLimited(limit = 1, window = "1s")
		public void receive(String text) {
		}

		public void receive() {
		}

	}

	interface Order {

		record Request() {
		}

	}

	interface Customer {

		record Request() {
		}

	}

	static class Alike {

		@RateLimited(limit = 1, window = "1s")
		public void create(Order.Request order) {
		}

		@RateLimited(limit = 2, window = "1s")
		public void create(Customer.Request customer) {
		}

		@RateLimited(limit = 3, window = "1s")
		public void create(String name) {
		}

	}

	abstract static class CrudService<T> {

		public void save(T entity) {
		}

	}

	static class OrderService extends CrudService<String> {

		@Override
		@RateLimited(limit = 1, window = "1s")
		public void save(String order) {
		}

	}

	interface Printer<T> {

		default void print(T entity) {
		}

	}

	static class OrderLines implements Printer<String> {

		@Override
		@RateLimited(limit = 1, window = "1s")
		public void print(String order) {
		}

	}

	abstract static class Base {

		@RateLimited(name = "both", limit = 1, window = "1s")
		public void inherited() {
		}

		@RateLimited(limit = 1, window = "1s")
		public void unnamed() {
		}

	}

	static class Left extends Base {

	}

	static class Right extends Base {

	}

	@RateLimited(limit = 5, window = "1s")
	static class Typed {

		public void one() {
		}

		@RateLimited(limit = 9, window = "1s")
		public void own() {
		}

	}

	static class Extending extends Typed {

		public void more() {
		}

	}

	@RateLimited(limit = 4, window = "1s")
	interface Contract {

		@RateLimited(limit = 3, window = "1s")
		void ofMethod();

		void ofType();

		@RateLimited(limit = 5, window = "1s")
		void replaced();

	}

	static class Implementation implements Contract {

		@Override
		public void ofMethod() {
		}

		@Override
		public void ofType() {
		}

		@Override
		@RateLimited(limit = 6, window = "1s")
		public void replaced() {
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@RateLimited(algorithm = RateLimitAlgorithm.SLIDING_WINDOW_LOG, window = "2h")
	@interface PerTwoHours {

		@AliasFor(annotation = RateLimited.class, attribute = "limit")
		long value();

	}

	@Retention(RetentionPolicy.RUNTIME)
	@RateLimited(limit = 1, window = "1s")
	@RateLimited(limit = 10, window = "1m")
	@interface Careful {

	}

	@PerTwoHours(7)
	static class Composed {

		@PerTwoHours(12)
		public void composed() {
		}

		@Careful
		public void several() {
		}

		@PerTwoHours(12)
		@RateLimited(limit = 99, window = "1d")
		public void both() {
		}

		public void ofType() {
		}

	}

	static class Größen {

		@RateLimited(limit = 1, window = "1s")
		public void größe() {
		}

		@RateLimited(limit = 1, window = "1s")
		public void grüße() {
		}

		@RateLimited(limit = 1, window = "1s")
		public void aMethodWithANameThatSomebodyMustHaveThoughtAboutForALongTime(String[] a, Map<String, String> b,
				CharSequence c, StringBuilder d, Object[] e) {
		}

		@RateLimited(limit = 1, window = "1s")
		public void aMethodWithANameThatSomebodyMustHaveThoughtAboutForALongTime(String[] a, Map<String, String> b,
				CharSequence c, StringBuilder d, List<String> e) {
		}

	}

	static class Contradictory {

		@RateLimited(policy = "login", limit = 1)
		public void limited() {
		}

		@RateLimited(policy = "login", window = "1s")
		public void windowed() {
		}

		@RateLimited(policy = "login", zone = "UTC")
		public void zone() {
		}

		@RateLimited(policy = "login", from = "1")
		public void from() {
		}

		@RateLimited(policy = "login", burst = 1)
		public void burst() {
		}

		@RateLimited(policy = "login", nodelay = true)
		public void nodelay() {
		}

		@RateLimited(policy = "login", algorithm = RateLimitAlgorithm.LEAKY_BUCKET)
		public void algorithm() {
		}

		@RateLimited(policy = "login", name = "other")
		public void nameToo() {
		}

	}

}
