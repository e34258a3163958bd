package io.github.ratelimit.autoconfigure;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Names that are not known and values that cannot be converted are mistakes, which Spring
 * Boot names.
 */
class UnboundPropertiesTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			polices.login.limit: 5                             | polices.login.limit
			rules: [{ path: /a, policy: a, method: POST }]     | rules[0].method
			policies.login.limits: [{ limt: 5, window: 1m }]   | policies.login.limits[0].limt
			policies.login.limits: { limit: 5, window: 1m }    | policies.login.limits.limit
			policies.limit: { limt: 5, window: 1m }            | policies.limit.limt
			policies.my.Login: { limit: 5, window: 1m }        | policies.my.login.limit
			plans.refesh: 1m                                   | plans.refesh
			headers.rest: epoch                                | headers.rest
			policies.login.limits: [{ limit: five }]           | policies.login.limits[0].limit
			policies.login.limits: [{ limit: }]                | policies.login.limits[0].limit
			policies.login.limits: [{ nodelay: perhaps }]      | policies.login.limits[0].nodelay
			policies.login.limits: [{ algorithm: gcra }]       | policies.login.limits[0].algorithm
			policies.login.limits: 5                           | policies.login.limits
			policies.login.on-failure:                         | policies.login.on-failure
			policies.api.plans.pro.unlimited: of course        | policies.api.plans.pro.unlimited
			rules: [{ path: /a, policy: login, phase: early }] | rules[0].phase
			headers: [ rate-limit, '' ]                        | headers[1]
			headers: rate-limits,x-rate-limit                  | headers
			headers.reset: minutes                             | headers.reset
			enabled: maybe                                     | enabled
			store:                                             | store
			redis.timeout:                                     | redis.timeout
			client-address.ipv6-prefix: ''                     | client-address.ipv6-prefix
			""")
	void mistakeIsNamed(String yaml, String property) {
		assertThat(FailedStart.of("ratelimit." + yaml).description())
			.contains("Property: ratelimit." + property + System.lineSeparator());
	}

	@Test
	void valuesThatAreKnownAreListed() {
		assertThat(FailedStart.of("ratelimit.policies.login.algorithm: token-buckt").action()).contains("TOKEN_BUCKET",
				"LEAKY_BUCKET");
	}

}
