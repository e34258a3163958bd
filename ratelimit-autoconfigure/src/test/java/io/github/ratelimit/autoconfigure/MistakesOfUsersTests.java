package io.github.ratelimit.autoconfigure;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Easy mistakes in the {@code application.yml} of a web application.
 */
class MistakesOfUsersTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					limit: 0, window: 1m                  | limit     | out of range            | Use the number of requests
					limit: -1, window: 1m                 | limit     | out of range            | Use the number of requests
					limit: 1.5, window: 1m                | limit     | not a whole number      | Write the number in digits
					limit: 1e30, window: 1m               | limit     | or too large            | Write the number in digits
					limit: 10, window: 0                  | window    | out of range            | Use a window
					limit: 10, window: 10                 | window    | has no unit             | Write 10s
					limit: 10, window: "10"               | window    | has no unit             | Write 10s
					limit: 10, window: "${w}"             | window    | has no unit             | Write 10s
					limit: 10, window: 0s                 | window    | out of range            | Use a window
					limit: 10, window: -1m                | window    | out of range            | Use a window
					limit: 10, window: hour               | window    | not a duration          | Write a number with a unit
					limit: 10, window:                    | window    | is missing              | Set it
					limit: 9, window: 1m, nodelay: true   | nodelay   | not used by the algorithm | Remove nodelay
					limit: 9, window: P1M                 | window    | of a calendar and has no zone | Add zone
					limit: 9, window: P1W                 | window    | of a calendar and has no zone | Add zone
					limit: 9, window: 1d, from: 2         | from      | has no zone             | Add zone
					limit: 9, window: P1M, zone: UTC      | zone      | not used by the algorithm token-bucket | Remove zone
					limit: 9, window: 30d, zone: UTC      | window    | is no window of a calendar | Write P1D
					limit: 9, window: P1M, zone: Asia/Tokio | zone    | is not a known time zone | Did you mean 'Asia/Tokyo'?
					limit: 9, window: P1M, zone: UTC, from: 32 | from | is no day               | Use the day of the month
					limit: 9, window: P1D, zone: UTC, from: 1  | from | is no day               | Remove the setting from
					limit: 9, window:, zone: UTC          | window    | is missing              | Set it
					limit: 9, window: P1M, zone: UTC, algorithm: fixed-window-counter, burst: 2 | burst | not used by | Remove burst
					""")
	void mistakeInALimitIsNamed(String limit, String property, String reason, String action) {
		FailedStart failed = FailedStart.ofServer("""
				w: 10
				ratelimit:
				  policies:
				    login:
				      limits:
				        - { %s }
				""".formatted(limit));
		assertThat(failed.description())
			.startsWith("The property 'ratelimit.policies.login.limits[0]." + property + "'")
			.contains(reason);
		assertThat(failed.action()).startsWith(action);
	}

	@ParameterizedTest
	@ValueSource(strings = { "limit: 5, window: 1m, shadow-limits: ", "limit: 5, window: 1m, shadow-limits: []",
			"limit: 5, window: 1m, shadow-limits: {}", "limits: []", "limit: 5, window: 1m, limits: []" })
	void listWithoutALimitIsNamed(String policy) {
		FailedStart failed = FailedStart.ofServer("ratelimit.policies.login: { %s }".formatted(policy));
		String property = policy.contains("shadow-limits") ? "shadow-limits" : "limits";
		assertThat(failed.description())
			.startsWith("The property 'ratelimit.policies.login." + property + "' has no entry.");
		assertThat(failed.action())
			.isEqualTo("Write limits as in [ { limit: 100, window: 1m } ], or remove the property.");
	}

	@Test
	void algorithmMayBeWrittenInAnyStyle() {
		FailedStart failed = FailedStart.ofServer("""
				ratelimit.policies.login.limits:
				  - { limit: 5, window: 1m, algorithm: tokenbucket, nodelay: true }
				""");
		assertThat(failed.description())
			.endsWith("is not used by the algorithm token-bucket. It was set in " + "application.yml - 2:62.");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					path: /a, policy: lgin                       | .policy     | names no policy         | Did you mean 'login'?
					path: /a                                     | .policy     | is missing              | Set it to the name
					path: "/a/{b", policy: login                 | .path       | is not a path pattern   | Write a pattern
					path: "/a/**/b/**", policy: login            | .path       | is not a path pattern   | Write a pattern
					path: "", policy: login                      | .path       | is empty                | Set it to the pattern
					path: , policy: login                        | .path       | is empty                | Set it to the pattern
					policy: login                                | .path       | is missing              | Set it to the pattern
					path: /a/**, policy: login, except: /b/new   | .except[0]  | is no path of the rule, whose path is /a/** | Write a path that the rule matches
					path: /a/**, policy: login, except: [/a/b, /a/**] | .except[1] | has all paths of the rule | Remove the rule
					path: /a/**, policy: login, except: /**      | .except[0]  | has all paths of the rule, whose path is /a/** | Remove the rule
					path: /a/b*, policy: login, except: "/a/{*all}" | .except[0] | has all paths of the rule | Remove the rule
					path: /a/b, policy: login, except: "/{any}/b" | .except[0] | has all paths of the rule | Remove the rule
					path: /a/**, policy: login, except: /b/**    | .except[0]  | is no path of the rule, whose path is /a/** | Write a path that the rule matches
					path: /a/b, policy: login, except: /a/b/*    | .except[0]  | is no path of the rule  | Write a path that the rule matches
					path: "/a/b/{id}", policy: login, except: /a/c/** | .except[0] | is no path of the rule | Write a path that the rule matches
					path: /a/**, policy: login, except: a/b      | .except[0]  | does not begin with a slash | Write a slash before it
					path: /a, policy: login, methods: GTE        | .methods[0] | is not an HTTP method   | Did you mean 'GET'?
					path: /a, policy: login, methods: [GET, PUTT]| .methods[1] | is not an HTTP method   | Did you mean 'PUT'?
					path: /a, policy: login, methods: "*"        | .methods[0] | is not an HTTP method   | Remove methods
					path: /a, policy: login, key: header(X)      | .key        | reads 'X', which is not | Known are clientA
					path: /api/.*, policy: login                 | .path       | is a regular expression | Write /api/** for all paths below
					path: ^/api/, policy: login                  | .path       | is a regular expression | Write /api/**
					path: '/users/\\d+', policy: login           | .path       | is a regular expression | Write /api/**
					path: /api/.+/x, policy: login               | .path       | is a regular expression | Write /api/**
					path: /a, policy: login, key: ''             | .key        | is blank                | Remove it
					path: api/**, policy: login                  | .path       | does not begin with a slash | Write a slash
					path: /a, policy: login, key: "heder('X')"   | .key        | calls 'heder', which is | Did you mean 'header'?
					path: /a, policy: login, cost: 0             | .cost       | has the wrong type      | Write a whole number
					path: /a, policy: login, cost: "'two'"       | .cost       | has the wrong type      | Write a whole number
					path: /a, policy: login, cost: "#items.size()" | .cost     | reads '#items', but     | Use what the request
					path: /a, policy: login, cost: ' '           | .cost       | is blank                | Remove it
					path: /a, policy: login, condition: 1        | .condition  | has the wrong type      | Write true or false, or an expression that
					path: /a, policy: login, condition: "1 +"    | .condition  | cannot be parsed        | Write a SpEL expression
					path: /a, policy: login, cost: 6             | .cost       | takes 6 permits, but the limit 'token-bucket 5 per 1 min, burst 5' of the policy 'login' has only 5 at once | Write a cost from 1 to 5, or raise the burst
					path: /a, policy: login, cost: 2 * 3         | .cost       | takes 6 permits         | Write a cost from 1 to 5
					path: "/p/{id}", policy: login, key: "pathVariable('idd')" | .key | reads pathVariable('idd'), which the path '/p/{id}' does not have | Did you mean 'id'?
					path: "/p/{id:[a-z]{2}}/{*rest}", policy: login, key: "pathVariable('ids') ?: 'none'" | .key | reads pathVariable('ids') | Did you mean 'id'? Known: 'id', 'rest'.
					path: /a/**, policy: login, condition: "pathVariable('b') == 'c'" | .condition | reads pathVariable('b') | Write the variable in the pattern of the path, such as /users/{b}.
					path: "/a/**, /b/**", policy: login          | .path       | has several paths       | Write a rule for each path.
					path: /a, policy: login, condition: "method = 'POST'" | .condition | assigns a value    | Write == to compare
					path: /a, policy: login, condition: "@no.of(1)" | .condition | names the bean 'no'    | Declare a bean
					""")
	void mistakeInARuleIsNamed(String rule, String property, String reason, String action) {
		FailedStart failed = FailedStart.ofServer("""
				ratelimit:
				  policies: { login: { limits: [{ limit: 5, window: 1m }] } }
				  rules: [{ %s }]
				""".formatted(rule));
		assertThat(failed.description()).startsWith("The property 'ratelimit.rules[0]" + property + "'")
			.contains(reason);
		assertThat(failed.action()).startsWith(action);
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';',
			textBlock = """
					clientAdress     ; reads 'clientAdress', which is not known           ; Did you mean 'clientAddress'?
					global           ; reads 'global', which is not known                 ; A literal text needs single quotes.
					header(X)        ; reads 'X', which is not known                      ; A literal text needs single quotes.
					heder('X')       ; calls 'heder', which is not known                  ; Did you mean 'header'?
					header('X'       ; cannot be parsed                                   ; Write a SpEL expression
					X-Api-Key        ; reads 'X', which is not known                      ; header
					"#tenant"        ; reads '#tenant', but there are no parameters here  ; Use what the request has
					"@tenantKey"     ; names the bean 'tenantKey', which does not exist   ; Did you mean 'tenantKeys'?
					ip               ; reads 'ip', which is not known                     ; Write clientAddress. Known are
					remoteAddr       ; reads 'remoteAddr', which is not known             ; Write clientAddress. Known are
					auth.name        ; reads 'auth', which is not known                   ; Write principal.name. Known are
					getRemoteAddr()  ; calls 'getRemoteAddr', which is not known          ; Write clientAddress. Known are
					"#{principal.name}" ; is written as a template, which it is not       ; Write it without #{ and }, such as principal.name.
					"#{@tenantKeys}" ; is written as a template, which it is not          ; such as @tenantKeys.
					pathVariable('i') ; reads pathVariable('i'), which the path '/login/{id}' does not have ; Did you mean 'id'?
					status           ; reads 'status', which is known only when the call is over. ; Use it in a charge
					"@nothing.of(1)" ; names the bean 'nothing', which does not exist     ; Declare a bean of that name.
					""")
	void mistakeInAKeyOfAPolicyIsNamed(String key, String reason, String action) {
		FailedStart failed = FailedStart.ofServer("""
				ratelimit:
				  policies: { login: { key: '%s', limits: [{ limit: 5, window: 1m }] } }
				  rules: [{ path: "/login/{id}", policy: login }]
				""".formatted(key.replace("'", "''").replace("\"", "")), MistakesElsewhereTests.WithKeyResolver.class);
		assertThat(failed.description()).startsWith("The key expression '" + key.replace("\"", "")
				+ "' of the policy 'login', applied to rule /login/{id} " + reason);
		assertThat(failed.action()).contains(action);
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', textBlock = """
			statsu == 401  ; reads 'statsu', which is not known               ; Did you mean 'status'?
			result > 1     ; reads 'result', but a rule applies to requests   ; Use status or exception
			elements       ; reads 'elements', but a rule applies to requests ; Use status or exception
			charged        ; reads 'charged', but a rule applies to requests  ; Use status or exception
			-1             ; has the wrong type or range                      ; Write true, false or a number from 0
			status >= 400 &; cannot be parsed                                 ; Write a SpEL expression
			""")
	void mistakeInAChargeOfAPolicyIsNamed(String charge, String reason, String action) {
		FailedStart failed = FailedStart.ofServer("""
				ratelimit:
				  policies: { login: { charge: "%s", limits: [{ limit: 5, window: 1m }] } }
				  rules: [{ path: /login, policy: login }]
				""".formatted(charge), MistakesElsewhereTests.WithKeyResolver.class);
		assertThat(failed.description()).startsWith(
				"The charge expression '" + charge + "' of the policy 'login', applied to rule /login " + reason);
		assertThat(failed.action()).contains(action);
	}

	@Test
	void chargeForEachElementOfARequestIsNamed() {
		FailedStart failed = FailedStart.ofServer("""
				ratelimit:
				  policies: { login: { charge-each: result.tokens, limits: [{ limit: 5, window: 1m }] } }
				  rules: [{ path: /login, policy: login }]
				""", MistakesElsewhereTests.WithKeyResolver.class);
		assertThat(failed.description()).startsWith("The charge-each expression 'result.tokens' of the policy 'login', "
				+ "applied to rule /login charges elements, but a rule applies to requests, which return nothing");
		assertThat(failed.action()).contains("apply the policy to a method by @RateLimited");
	}

	@ParameterizedTest
	@ValueSource(strings = { "principal.name",
			"T(org.springframework.security.core.context.SecurityContextHolder).context" })
	void ruleThatReadsTheUserBeforeThereIsOneIsNamed(String key) {
		FailedStart failed = FailedStart.ofServer("""
				ratelimit:
				  policies: { login: { key: "%s", limits: [{ limit: 5, window: 1m }] } }
				  rules:
				    - { path: /a, policy: login }
				    - { path: /b, policy: login, phase: before-security }
				""".formatted(key));
		assertThat(failed.description()).startsWith("The property 'ratelimit.rules[1].phase' with the value "
				+ "'before-security' cannot hold, because the key of policy 'login' reads the authenticated user, ");
		assertThat(failed.action()).startsWith("Remove phase");
	}

	@ParameterizedTest
	@ValueSource(strings = { "key", "cost", "condition" })
	void expressionOfARuleThatReadsTheUserBeforeThereIsOneIsNamed(String expression) {
		FailedStart failed = FailedStart.ofServer("""
				ratelimit:
				  policies: { login: { limits: [{ limit: 5, window: 1m }] } }
				  rules: [{ path: /a, policy: login, phase: before-security, %s: 'principal == null ? 1 : 2' }]
				""".formatted(expression));
		assertThat(failed.description()).startsWith("The property 'ratelimit.rules[0].phase' with the value "
				+ "'before-security' cannot hold, because the " + expression
				+ " of the rule reads the authenticated user");
		assertThat(failed.action())
			.isEqualTo("Remove phase, or give the rule a " + expression + " that does not read the user.");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					server.servlet.context-path: /app | /app/api/** | begins with server | Write /api/** instead
					server.servlet.context-path: /app | /app        | begins with server | Write / instead
					spring.mvc.servlet.path: /api/    | /api/**     | begins with spring | Write /** instead
					management.server: { port: 0, base-path: /m } | /m/actuator/** | begins with management.server.base-path | Write /actuator/** instead
					""")
	void ruleForPathsThatAreElsewhereIsNamed(String elsewhere, String path, String reason, String action) {
		FailedStart failed = FailedStart.ofServer("""
				%s
				ratelimit:
				  policies: { login: { limits: [{ limit: 5, window: 1m }] } }
				  rules: [{ path: '%s', policy: login }]
				""".formatted(elsewhere, path));
		assertThat(failed.description()).startsWith("The property 'ratelimit.rules[0].path' with the value '" + path)
			.contains(reason);
		assertThat(failed.action()).startsWith(action);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			server.servlet.context-path=/app   | /apple/**
			server.servlet.context-path=/app   | /{again:app}/api/**
			spring.mvc.servlet.path=/          | /api/**
			management.server.port=0           | /actuator/**
			management.server.port=            | /actuator/**
			management.server.base-path=/m     | /m/actuator/**
			server.port=0                      | /.well-known/*
			server.port=0                      | /files/report.*
			server.port=0                      | /{name:[.].*}
			server.port=0                      | /users/{id:[0-9]+}
			""")
	void ruleForPathsOfTheApplicationIsLeftAlone(String elsewhere, String path) {
		new WebApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(RateLimitAutoConfiguration.class,
					RateLimitMethodAutoConfiguration.class, RateLimitServletAutoConfiguration.class))
			.withPropertyValues(elsewhere, "ratelimit.policies.login.limits[0].limit=5",
					"ratelimit.policies.login.limits[0].window=1m", "ratelimit.rules[0].path=" + path,
					"ratelimit.rules[0].policy=login")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					client-address.trusted-proxies: localhost       | .trusted-proxies | neither an IP address | Use an address
					client-address.trusted-proxies: 10.0.0.0/33     | .trusted-proxies | neither an IP address | Use an address
					client-address.trusted-proxies: ["::1", "10.*"] | .trusted-proxies | neither an IP address | Use an address
					client-address.trusted-proxies: [""]            | .trusted-proxies | neither an IP address | Use an address
					client-address.trusted-proxies: ["10.0.0.1",""] | .trusted-proxies | neither an IP address | Use an address
					client-address.trusted-proxies: "10.0.0.1,"     | .trusted-proxies | neither an IP address | Use an address
					client-address.trusted-proxies: [" "]           | .trusted-proxies | neither an IP address | Use an address
					client-address.trusted-proxies: [null]          | .trusted-proxies | neither an IP address | Use an address
					client-address.header: X-Real-IP                | .header          | has no effect         | Set trusted-proxies
					client-address.header: ""                       | .header          | no name of a header   | Use x-forwarded-for
					client-address.header:                          | .header          | no name of a header   | Use x-forwarded-for
					client-address: {trusted-proxies: 10.0.0.1, header: "X Real IP"} | .header | no name of a header | Use x-forwarded-for
					client-address: {trusted-proxies: 10.0.0.1, header: x-forwarded-fro} | .header | nearly the name | Did you mean x-forwarded-for?
					key: ""                                         | ratelimit.key    | is blank              | Remove it
					key:                                            | ratelimit.key    | is blank              | Remove it
					key: "  "                                       | ratelimit.key    | is blank              | Remove it
					instance: ""                                    | ratelimit.instance | cannot name an instance | Use 1 to 100
					instance: "  "                                  | ratelimit.instance | cannot name an instance | Use 1 to 100
					instance: "a\tb"                                | ratelimit.instance | cannot name an instance | Use 1 to 100
					policies.login: { key: "", limit: 5, window: 1m }  | login.key | is blank | Remove it
					policies.login: { key: " ", limit: 5, window: 1m } | login.key | is blank | Remove it
					policies.login: { limits: [{ limit: 131057, window: 1m }, { limit: 131057, window: 1h, algorithm: sliding-window-log }] } | login.limits[1].limit | heavier than 1 MiB | Use
					policies.login: { limits: [{ limit: 5, window: 1m, algorithm: leaky-bucket, delay: 9 }] } | login.limits[0].delay | out of range | Use
					policies: { "[Search.search]": { limits: [{ algorithm: fixed-window-counter, limit: 5, window: 1m, burst: 20 }] } } | policies[Search.search].limits[0].burst | not used by the algorithm fixed-window-counter. It was set in application.yml - 1:117. | Remove burst, or use the algorithm token-bucket or leaky-bucket.
					policies.login: { limit: 5, window: 1m, mode: shadow, shadow-limits: [{ limit: 3, window: 1m }] } | login.shadow-limits | cannot be used in the mode shadow, in which the policy's limits are only tried already | Write the numbers to try as the policy's limits and remove shadow-limits; or set mode to enforce
					policies.login: { limit: 5, window: 1m, shadow-limits: [{ limit: 7, window: 1m }, { limit: 5 }] } | login.shadow-limits[1].window | is missing | Set it
					policies.login: { limit: 5, window: 1m, shadow-limits: [{ limit: 131057, window: 1m, algorithm: sliding-window-log }] } | login.shadow-limits[0].limit | heavier than 1 MiB | Use
					policies.login: { algorithm: leaky-bucket, limit: 5, window: 1m, burst: 3, charge: "status > 1" } | login.charge | cannot be used with a leaky bucket that makes requests wait | Set nodelay
					policies.login: { limit: 5, window: 1m, max-wait: 2h }             | login.max-wait       | with the value '2 h' is out of range       | Use 1ms to 1h, such as 2s
					policies.login: { limit: 5, window: 1m, max-wait: 2 }              | login.max-wait       | with the value '2' has no unit             | Write 2s, if seconds are meant
					policies.login: { limit: 5, window: 1m, algorithm: sliding-window-log, count-rejected: true, max-wait: 2s } | login.max-wait | cannot be used with count-rejected | Remove max-wait, or count-rejected
					policies.login: { limit: 5, window: 1m, algorithm: leaky-bucket, max-wait: 2s } | login.max-wait | has no effect on a leaky bucket, which has a queue of its own | Remove max-wait, and set burst
					policies.login: { limit: 5, window: 1m, charge: "status > 1", max-wait: 2s } | login.max-wait | cannot be used with a charge      | Remove max-wait, or the charge
					policies.login: { limit: 5, window: 1m, mode: inform, max-wait: 2s } | login.max-wait     | has no effect in the mode inform           | Remove max-wait
					policies.login: { limits: [{ limit: 5, window: 1m }, { limit: 9, window: 1h }], max-wait: 2s } | login.max-wait | cannot be used with several limits | Remove max-wait, or leave one limit
					policies.login: { limit: 5, window: 1m, ban: { after: 0 } }        | login.ban.after      | with the value '0' is out of range         | Use
					policies.login: { limit: 5, window: 1m, ban: { within: 0s } }      | login.ban.within     | with the value '0 s' is out of range       | Use
					policies.login: { limit: 5, window: 1m, ban: { within: 300 } }     | login.ban.within     | with the value '300' has no unit           | Write
					policies.login: { limit: 5, window: 1m, ban: { for: 367d } }       | login.ban.for        | with the value '367 d' is out of range     | Use
					policies.login: { limit: 5, window: 1m, ban: { multiplier: 0.5 } } | login.ban.multiplier | with the value '0.5' is out of range       | Use
					policies.login: { limit: 5, window: 1m, ban: { max: 1m } }         | login.ban.max        | is shorter than the first ban. It was set in application.yml - 1:63. | Use
					policies.login: { limit: 5, window: 1m, warn-at: [50%, 80] }       | login.warn-at[1]     | with the value '80' is no share of a limit | Write a whole number from 1 to 100 with a percent sign, such as 80%.
					policies.login: { limit: 5, window: 1m, warn-at: 80.5% }           | login.warn-at[0]     | with the value '80.5%' is no share         | Write a whole number
					policies.login: { limit: 5, window: 1m, warn-at: [-1%] }           | login.warn-at[0]     | is no share of a limit                     | Write a whole number
					policies.login: { limit: 5, window: 1m, warn-at: [80%, 0%] }       | login.warn-at        | with the value '0%' is no share of a limit that a key can use up | Use 1% to 100%, such as 80%.
					policies.login: { limit: 5, window: 1m, warn-at: 101% }            | login.warn-at        | with the value '101%' is no share          | Use 1% to 100%
					policies.login: { limit: 5, window: 1m, warn-at: [80%, 80%] }      | login.warn-at        | with the value '80%' is there twice        | Write each share once.
					policies.login: { limit: 5, window: 1m, mode: inform, ban: { after: 3 } } | login.ban     | has no effect in the mode inform, which rejects nobody | Remove the ban, or set mode to enforce.
					policies.login: { algorithm: leaky-bucket, limit: 5, window: 1m, burst: 3, mode: inform } | login.mode | with the value 'inform' cannot be used with a leaky bucket that makes requests wait | Set nodelay
					policies.login: { limit: 5, window: 1m, mode: informs }            | login.mode           | informs                                    | Did you mean
					client-address.ipv6-prefix: 200                 | .ipv6-prefix     | from 1 to 128         | Use 64
					client-address.ipv6-prefix: 0                   | .ipv6-prefix     | from 1 to 128         | Use 64
					caffeine.maximum-size: 0                        | .maximum-size    | out of range          | Set it to
					caffeine.maximum-size: 1.5                      | .maximum-size    | not a whole number    | Write the number
					""")
	void mistakeElsewhereIsNamed(String yaml, String property, String reason, String action) {
		FailedStart failed = FailedStart.ofServer("ratelimit." + yaml);
		assertThat(failed.description()).startsWith("The property 'ratelimit.").contains(property + "'", reason);
		assertThat(failed.action()).startsWith(action);
	}

	@ParameterizedTest
	@ValueSource(strings = { "pathVariable('tenant')", "pathVariable('id') ?: pathVariable('idd')",
			"pathVariable('idd') != null ? pathVariable('idd') : path" })
	void aKeyOfAPolicyMayReadVariablesThatOnlySomeOfItsPathsHave(String key) {
		start("""
				ratelimit:
				  policies: { login: { key: "%s", limits: [{ limit: 5, window: 1m }] } }
				  rules: [{ path: "/login/{id}", policy: login }]
				""".formatted(key));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					algorithm: leaky-bucket, limit: 9, window: 1m, burst: 2 | 3 | 4 | has only 3 at once  | or raise the burst.
					algorithm: sliding-window-log, limit: 9, window: 1m     | 9 | 10 | has only 9 at once | or raise the limit.
					limit: 9, window: 1m, burst: 20                         | 20 | 21 | has only 20 at once | or raise the burst.
					limit: 9, window: 1m, plans: { low: { limit: 2, window: 1m } } | 2 | 3 | of the plan 'low' of the policy 'p' has only 2 | Write a cost from 1 to 2
					limit: 9, window: 1m, shadow-limits: [{ limit: 4, window: 1m }] | 4 | 5 | of shadow-limits of the policy 'p' has only 4 | Write a cost from 1 to 4
					""")
	void aCostIsAtMostWhatPassesAtOnce(String limit, long most, long cost, String reason, String action) {
		String yaml = """
				ratelimit:
				  policies: { p: { plan: "'high'", %s } }
				  rules: [{ path: /a, policy: p, cost: %d }]
				""".replace("plan: \"'high'\", ", limit.contains("plans") ? "plan: \"'high'\", " : "");
		start(yaml.formatted(limit, most));
		FailedStart failed = FailedStart.ofServer(yaml.formatted(limit, cost));
		assertThat(failed.description()).startsWith("The property 'ratelimit.rules[0].cost' with the value '" + cost)
			.contains("takes " + cost + " permits", reason);
		assertThat(failed.action()).contains(action);
	}

	private static void start(String yaml) {
		new WebApplicationContextRunner().withUserConfiguration(FailedStart.Server.class)
			.withInitializer((context) -> FailedStart.addProperties(context.getEnvironment(), yaml))
			.run((context) -> assertThat(context).hasNotFailed());
	}

}
