package io.github.ratelimit.autoconfigure;

import java.util.List;
import java.util.Map;

import io.github.ratelimit.RateLimiterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Names that are not known, values that have another shape and values that cannot be
 * converted are mistakes, whose texts say what to write.
 */
class UnboundPropertiesTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					polices.login.limit: 5                             | polices                       | is not known | Did you mean 'policies'?
					rule: [{ path: /a, policy: a }]                    | rule                          | is not known | Did you mean 'rules'?
					policy.login: { limit: 5, window: 1m }             | policy                        | is not known | Did you mean 'policies'?
					rules: [{ path: /a, policy: a, method: POST }]     | rules[0].method               | is not known | Did you mean 'methods'? Known: 'condition', 'cost', 'except', 'key', 'methods', 'path', 'phase', 'policy'.
					rules: [{ path: /a, policy: a, limit: 5 }]         | rules[0].limit                | is not known | It is a property of something else: write 'ratelimit.policies.<name>.limit'.
					rules: [{ path: /a, policy: a, charge: status == 401 }] | rules[0].charge          | is not known | It is a property of something else: write 'ratelimit.policies.<name>.charge'.
					policies.login: { limit: 5, window: 1m, path: /a } | policies.login.path           | is not known | It is a property of something else: write 'ratelimit.rules[].path'.
					policies.login.limits: [{ limt: 5, window: 1m }]   | policies.login.limits[0].limt | is not known | Did you mean 'limit'?
					policies.login.limits: { limit: 5, window: 1m }    | policies.login.limits         | is a list, but has 'limit' in place of an entry | Write a dash before each entry, even if there is only one, as in [ { limit: 100, window: 1m } ].
					policies.limit: { limt: 5, window: 1m }            | policies.limit.limt           | is not known | Did you mean 'limit'?
					policies.my.Login: { limit: 5, window: 1m }        | policies.my.Login             | is not known | If that is a part of a name, write the whole name in brackets and quotes: "[my.Login]".
					policies.api.plans.pro.eu: { limit: 5, window: 1m } | policies.api.plans.pro.eu    | is not known | If that is a part of a name, write the whole name in brackets and quotes: "[pro.eu]".
					policies: [{ name: login, limit: 5, window: 1m }]  | policies                      | is written as a list, where each entry has a name | Write each entry under its name and without a dash, such as { login: { limit: 100, window: 1m } }.
					policies.api: { limit: 5, window: 1m, plans: [{ limit: 5 }] } | policies.api.plans | is written as a list, where each entry has a name | Write each entry under its name and without a dash, such as { pro: { limit: 100, window: 1m } }.
					policies.api: 100/m                                | policies.api' with the value '100/m | is a single value in place of properties with names of their own | Write it as in { limit: 100, window: 1m }.
					policies: { limit: 5, window: 1m }                 | policies.limit' with the value '5 | is a single value | Write it as in { limit: 100, window: 1m }.
					rules: [/p]                                        | rules[0]' with the value '/p  | is a single value in place of properties | Write it as in { path: /api/**, policy: api }.
					rules: /p                                          | rules' with the value '/p     | is a single value in place of a list | Write it as in [ { path: /api/**, policy: api } ].
					rules: { path: /a, policy: login }                 | rules                         | is a list, but has 'path' in place of an entry | Write a dash before each entry, even if there is only one, as in [ { path: /api/**, policy: api } ].
					rules: { first: { path: /a, policy: login } }      | rules                         | is a list, but has 'first' in place of an entry | Write a dash before each entry
					rules: [{ path: [/p, /q], policy: login }]         | rules[0].path                 | is written as a list, but is none | Write a rule for each path.
					rules: [{ path: /p, policy: login, key: { a: b } }] | rules[0].key                 | is a single value, but has 'a' below it | Write a single value.
					rules: [{ path: /p, policy: login, cost: [1] }]    | rules[0].cost                 | is written as a list, but is none | Write a single value.
					rules: [{ path: /p, policy: login, methods: { a: GET } }] | rules[0].methods       | is a list, but has 'a' in place of an entry | Write the values with commas between them.
					policies.login.limits: [{ limit: 5, window: 1m, burst: { a: b } }] | policies.login.limits[0].burst | is a single value, but has 'a' below it | Write a single value.
					policies.login.limits: [{ limit: 5, window: 1m, zone: { name: UTC } }] | policies.login.limits[0].zone | is a single value, but has 'name' below it | Write a single value.
					policies.login.ban: 5                              | policies.login.ban' with the value '5 | is a single value | Write it as in { after: 3, within: 10m }.
					rules.0: { path: /a, policy: login }               | rules                         | is a list, but has '0' in place of an entry | Write the number of the entry in brackets: ratelimit.rules[0].
					rules: [{ path: /a, policies: [login, api] }]      | rules[0].policies             | is not known | Did you mean 'policy'?
					rules: [{ path: /a, limits: [{ limit: 5 }] }]      | rules[0].limits               | is not known | It is a property of something else: write 'ratelimit.policies.<name>.limits'.
					redis: [{ timeout: 1s }]                           | redis                         | is written as a list, but is none | Write it without a dash, as in
					timeout: 1s                                        | timeout                       | is not known | It is a property of something else: write 'ratelimit.plans.timeout' or 'ratelimit.redis.timeout'.
					plans.refesh: 1m                                   | plans.refesh                  | is not known | Did you mean 'refresh'?
					headers.rest: epoch                                | headers.rest                  | is not known | Did you mean 'reset'?
					policies.login.limits: [{ limit: ten }]            | policies.login.limits[0].limit' with the value 'ten | is not a whole number | Write the number in digits only, such as 100.
					policies.login.limits: [{ limit: "1,000" }]        | policies.login.limits[0].limit' with the value '1,000 | is not a whole number | Write the number in digits only, such as 100.
					policies.login.limits: [{ limit: }]                | policies.login.limits[0].limit | has no value | Write a value
					policies.login.limits: [{ nodelay: perhaps }]      | policies.login.limits[0].nodelay' with the value 'perhaps | is not a known value | Known: 'false', 'true'.
					policies.login.algorithm: token-buckt              | policies.login.algorithm' with the value 'token-buckt | is not a known value | Did you mean 'token-bucket'? Known: 'fixed-window-counter', 'leaky-bucket'
					policies.login.algorithm: 3                        | policies.login.algorithm' with the value '3 | is not a known value | Known: 'fixed-window-counter'
					policies.login.mode: 1                             | policies.login.mode' with the value '1 | is not a known value | Known: 'enforce', 'inform', 'shadow'.
					policies.login.limits: 5                           | policies.login.limits' with the value '5 | is a single value in place of a list | Write it as in [ { limit: 100, window: 1m } ].
					policies.login.on-failure:                         | policies.login.on-failure     | has no value | Write a value, or remove the property for its default.
					policies.api.plans.pro.unlimited: of course        | policies.api.plans.pro.unlimited' with the value 'of course | is not a known value | Known: 'false', 'true'.
					rules: [{ path: /a, policy: login, phase: early }] | rules[0].phase' with the value 'early | is not a known value | Known: 'after-security', 'before-security'.
					headers: [ rate-limit, '' ]                        | headers[1]                    | has no value | Write a value
					headers: rate-limits,x-rate-limit                  | headers' with the value 'rate-limits | is not a known value | Did you mean 'rate-limit'?
					headers.reset: minutes                             | headers.reset' with the value 'minutes | is not a known value | Known: 'epoch', 'seconds'.
					enabled: maybe                                     | enabled' with the value 'maybe | is not a known value | Known: 'false', 'true'.
					store:                                             | store                         | has no value | Write a value
					store: rediss                                      | store' with the value 'rediss | is not a known value | Did you mean 'redis'?
					redis.timeout:                                     | redis.timeout                 | has no value | Write a value
					redis.timeout: soon                                | redis.timeout' with the value 'soon | is not a duration | Write a number with a unit
					caffeine.maximum-memory: 64                        | caffeine.maximum-memory' with the value '64 | has no unit | Write 64MB, if megabytes are meant
					caffeine.maximum-memory: much                      | caffeine.maximum-memory' with the value 'much | is not a size | Write a number with a unit, such as 512KB or 64MB.
					policies.login.ban.multiplier: two                 | policies.login.ban.multiplier' with the value 'two | is not a number | Write a number such as 2 or 1.5.
					client-address.ipv6-prefix: ''                     | client-address.ipv6-prefix    | has no value | Write a value
					cors: true                                         | cors' with the value 'true    | is a single value in place of properties | Write it as in { expose-headers: … }.
					policies.login: { limit: 5, window: 1m, shadow: true } | policies.login.shadow | is not known | It is a value: write 'mode: shadow'.
					rules: [{ path: /a, policy: a, afterSecurity: true }] | rules[0].afterSecurity | is not known | It is a value: write 'phase: after-security'.
					policies.login: { limit: 5, window: 1m, enabled: false } | policies.login.enabled | is not known | Known: 'algorithm'
					rules: [{ path: /a, policies: [a] }] | rules[0].policies | is not known | Did you mean 'policy'? Known: 'condition', 'cost', 'except', 'key', 'methods', 'path', 'phase', 'policy'.
					policies.login: { limit: 5, window: 1m, ban: { multiplier: .NaN } } | policies.login.ban.multiplier' with the value 'NaN | is out of range | Use 1 for bans of the same duration
					policies.login: { limit: "${N}", window: 1m } | policies.login.limit' with the value '${N} | has a placeholder that nothing resolves | Set what it names, or give a default
					policies.login: { limit: 5, window: "${W}" } | policies.login.window' with the value '${W} | has a placeholder that nothing resolves | Set what it names
					rules: [{ path: "/${BASE}/x", policy: login }] | rules[0].path' with the value '/${BASE}/x | has a placeholder that nothing resolves | Set what it names
					client-address.trusted-proxies: "10.0.0.1,${P}" | client-address.trusted-proxies' with the value '10.0.0.1,${P} | has a placeholder that nothing resolves | Set what it names
					policies.login: { limit: "${N:}", window: "${N:}" } | policies.login.limit | has no value | Write a value
					policies.login: { limit: 5, window: 1m, ban: { after: "${N:}" } } | policies.login.ban.after | has no value | Write a value
					policies.login: { limit: 5, window: 1m, plans.pro: { limit: "${N:}" } } | policies.login.plans.pro.limit | has no value | Write a value
					policies.login.limits: [{ limit: "${N:}", window: "${N:}" }] | policies.login.limits[0].limit | has no value | Write a value
					store: "${N:}" | store | has no value | Write a value
					"rules[1]": { path: /a, policy: login }            | rules[1].path' with the value '/a | is of an entry that follows none | Number the entries of a list from [0] and without a gap.
					""")
	void mistakeIsNamed(String yaml, String property, String reason, String action) {
		String prefix = yaml.startsWith("\"") ? "\"ratelimit." + yaml.substring(1) : "ratelimit." + yaml;
		FailedStart failed = FailedStart.of(prefix);
		assertThat(failed.description()).startsWith("The property 'ratelimit." + property + "' " + reason)
			.contains("was set in application.yml - ");
		assertThat(failed.action()).startsWith(action);
	}

	@Test
	void singleValueForAllPropertiesIsAMistake() {
		FailedStart failed = FailedStart.of("ratelimit: false");
		assertThat(failed.description())
			.startsWith("The property 'ratelimit' with the value 'false' is a single value");
	}

	@Test
	void quotesWithinBracketsAreAMistake() {
		FailedStart failed = FailedStart.of("'ratelimit.policies[\"my.login\"].limit': 5");
		assertThat(failed.description())
			.startsWith("The property 'ratelimit.policies[\"my.login\"]' has quotes within its brackets.");
		assertThat(failed.action())
			.isEqualTo("Write [my.login] in a .properties file and on the command line, and \"[my.login]\" in YAML.");
	}

	@ParameterizedTest
	@ValueSource(strings = { "RATELIMIT_POLICIES_LOGIN_LIMIT", "NUMBER" })
	void numberWithoutAValueIsNoPartOfAList(String variable) {
		FailedStart failed = FailedStart.of("ratelimit.policies.login: { limit: \"${NUMBER:5}\", window: 1m }",
				Map.of(variable, ""));
		assertThat(failed.description())
			.startsWith("The property 'ratelimit.policies.login.limit' is missing. It has no value in ");
	}

	@ParameterizedTest
	@ValueSource(strings = {
			"policies.a: { limit: 5, window: 1m, mode: '${N:}', burst: '${N:}', key: \"header('${N:X-Key}')\" }",
			"redis: { timeout: '${N:}', retry-interval: '${N:}' }", "key: '''\\${N}'''",
			"policies: { a: { limit: '${N:7}', window: '${N:1m}' } }" })
	void placeholdersMayStandForDefaults(String yaml) {
		FailedStart.starting("ratelimit." + yaml, Map.of()).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void systemPropertyThatIsIgnoredIsFound() {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources()
			.replace(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME,
					new MapPropertySource(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME,
							Map.of("ratelimit.trusted-proxies", "10.0.0.0/8")));
		FailedStart.setVariables(environment, Map.of());
		assertThat(PropertyNames.findIgnored(environment, Map.of())).singleElement()
			.asString()
			.contains("ratelimit.trusted-proxies");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			Login    | login
			apiV1    | api-v1
			my_login | my-login
			""")
	void namesThatSpringBootTakesForOneAreAMistake(String first, String second) {
		String two = "{ " + first + ": { limit: 5, window: 15m }, " + second + ": { limit: 1000, window: 1s } }";
		for (String map : List.of("policies", "policies.api.plans")) {
			FailedStart failed = FailedStart.of("ratelimit." + map + ": " + two);
			assertThat(failed.description())
				.startsWith("The property 'ratelimit." + map + "." + second + "' has the same name as '" + first
						+ "' for Spring Boot, which looks neither at case nor at dashes, "
						+ "so that both would be mixed. It was set in application.yml - 1:");
			assertThat(failed.action()).isEqualTo("Write the names in brackets and quotes, \"[" + first + "]\" and \"["
					+ second + "]\", or use one spelling.");
		}
	}

	@Test
	void namesInBracketsAreNotMixed() {
		FailedStart.starting("""
				ratelimit.policies:
				  "[Login]": { limit: 5, window: 15m }
				  "[login]": { limit: 1000, window: 1s }
				""", Map.of())
			.run((context) -> assertThat(context.getBean(RateLimiterRegistry.class).policies())
				.extracting((limiter) -> limiter.policy().limits().get(0).limit())
				.containsExactlyInAnyOrder(5L, 1000L));
	}

	@ParameterizedTest
	@ValueSource(strings = { "apiV1", "api-v1" })
	void variableOverridesAPolicyThatIsWrittenInAnotherWay(String name) {
		FailedStart
			.starting("ratelimit.policies." + name + ": { limit: 5, window: 15m }",
					Map.of("RATELIMIT_POLICIES_APIV1_LIMIT", "7"))
			.run((context) -> assertThat(context.getBean(RateLimiterRegistry.class).policies()).singleElement()
				.satisfies((limiter) -> {
					assertThat(limiter.policy().name()).isEqualTo(name);
					assertThat(limiter.policy().limits().get(0).limit()).isEqualTo(7);
				}));
	}

	@Test
	void mistakeInAVariableNamesIt() {
		FailedStart failed = FailedStart.of("", Map.of("RATELIMIT_POLICIES_TYPO_LIMIT", "7"));
		assertThat(failed.description()).isEqualTo("The property 'ratelimit.policies.typo.window' is missing. "
				+ "'ratelimit.policies.typo.limit' was set in \"RATELIMIT_POLICIES_TYPO_LIMIT\" from property source "
				+ "\"systemEnvironment\".");
	}

	@ParameterizedTest
	@ValueSource(strings = { "RATELIMIT_RULES_FIRST_PATH", "RATELIMIT_REDIS_TIMEOT", "RATELIMIT_POLICES_LOGIN_LIMIT",
			"RATELIMIT_POLICY_LOGIN_LIMIT", "RATELIMIT_RULE_0_PATH", "RATELIMIT_KEY_0", "RATELIMIT_RULES_0_PATH_0" })
	void variableThatIsIgnoredIsFound(String variable) {
		StandardEnvironment environment = new StandardEnvironment();
		FailedStart.setVariables(environment, Map.of(variable, "7"));
		assertThat(PropertyNames.findIgnored(environment, Map.of())).singleElement().asString().contains(variable);
	}

	@ParameterizedTest
	@ValueSource(strings = { "RATELIMIT_CLIENT_ADDRESS_TRUSTED_PROXIES", "RATELIMIT_CLIENTADDRESS_TRUSTEDPROXIES_0",
			"RATELIMIT_HEADERS_POLICY_NAMES", "RATELIMIT_HEADERS_0", "RATELIMIT_RULES_0_PATH",
			"RATELIMIT_RULES_0_METHODS_1", "RATELIMIT_REDIS_ON_FAILURE", "RATELIMIT_RULES", "RATELIMIT_HOME",
			"RATELIMIT_FORK", "RATELIMIT_SEED", "RATELIMIT_VERSION", "RATELIMIT_IMAGE_TAG" })
	void variableThatIsUsedOrOfSomethingElseIsNot(String variable) {
		StandardEnvironment environment = new StandardEnvironment();
		FailedStart.setVariables(environment, Map.of(variable, "7"));
		assertThat(PropertyNames.findIgnored(environment, Map.of())).isEmpty();
	}

	@ParameterizedTest
	@CsvSource({ "RATELIMIT_STORE, redis, caffeine", "RATELIMIT_STORE, caffeine, own" })
	void variableThatNamesAnotherStoreIsFound(String variable, String value, String store) {
		StandardEnvironment environment = new StandardEnvironment();
		FailedStart.setVariables(environment, Map.of(variable, value));
		assertThat(PropertyNames.findUnread(environment, store)).singleElement().asString().contains(variable);
	}

	@ParameterizedTest
	@CsvSource({ "RATELIMIT_STORE, CAFFEINE, caffeine", "RATELIMIT_STORE, redis, redis",
			"RATELIMIT_STORE_PORT, tcp://10.0.0.1:80, caffeine", "RATELIMIT_STORE_SERVICE_HOST, 10.0.0.1, caffeine",
			"RATELIMIT_REDIS_PORT, tcp://10.0.0.1:6379, caffeine", "RATELIMIT_STORES, redis, caffeine" })
	void variableThatNamesTheStoreOrIsOfAServiceIsNot(String variable, String value, String store) {
		StandardEnvironment environment = new StandardEnvironment();
		FailedStart.setVariables(environment, Map.of(variable, value));
		assertThat(PropertyNames.findUnread(environment, store)).isEmpty();
	}

}
