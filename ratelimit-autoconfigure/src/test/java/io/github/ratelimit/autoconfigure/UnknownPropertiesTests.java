package io.github.ratelimit.autoconfigure;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class UnknownPropertiesTests {

	@Test
	void misspeltPropertyIsNotIgnored() {
		FailedStart failed = FailedStart.of("""
				ratelimit:
				  polices:
				    login:
				""");
		assertThat(failed.description())
			.isEqualTo("The property 'ratelimit.polices' is not known. It was set in application.yml - 3:11.");
		assertThat(failed.action()).isEqualTo("Did you mean 'policies'? Known: 'advice', 'caffeine', "
				+ "'client-address', 'cors', 'enabled', 'headers', 'key', 'overrides', 'plans', 'policies', 'redis', 'rules', "
				+ "'springdoc', 'store', 'waiting'.");
	}

	@Test
	void misspeltNumberOfALimitIsNotReportedAsMissing() {
		FailedStart failed = FailedStart.of("""
				ratelimit:
				  policies:
				    login:
				      limits:
				        - { limt: 5, window: 1m }
				""");
		assertThat(failed.description()).isEqualTo("The property 'ratelimit.policies.login.limits[0].limt' is not "
				+ "known. It was set in application.yml - 5:19.");
		assertThat(failed.action()).isEqualTo("Did you mean 'limit'? Known: 'algorithm', 'burst', 'count-rejected', "
				+ "'delay', 'from', 'limit', 'nodelay', 'window', 'zone'.");
	}

	@Test
	void misspeltPartOfARuleIsNotIgnored() {
		FailedStart failed = FailedStart.of("""
				ratelimit:
				  rules:
				    - { path: /api/**, method: POST, policy: login }
				""");
		assertThat(failed.description())
			.isEqualTo("The property 'ratelimit.rules[0].method' is not known. It was set in application.yml - 3:32.");
		assertThat(failed.action()).isEqualTo("Did you mean 'methods'? Known: 'condition', 'cost', 'key', 'methods', "
				+ "'path', 'phase', 'policy'.");
	}

	@Test
	void policyNameWithADotNeedsBrackets() {
		FailedStart failed = FailedStart.of("""
				ratelimit:
				  policies:
				    SearchController.search:
				      limits:
				        - { limit: 5, window: 1m }
				""");
		assertThat(failed.description())
			.isEqualTo("The property 'ratelimit.policies.SearchController.search' is not known. It was set in "
					+ "application.yml - 5:20.");
		assertThat(failed.action()).isEqualTo(
				"Known: 'algorithm', 'ban', 'burst', 'charge', 'count-rejected', 'delay', 'from', 'key', 'limit', "
						+ "'limits', 'mode', 'nodelay', 'on-failure', 'plan', 'plans', 'shadow-limits', 'window', 'zone'. If the policy is called 'SearchController.search', write its name in "
						+ "brackets and quotes: \"[SearchController.search]\".");
	}

	@Test
	void policyMayHaveTheNameOfAProperty() {
		FailedStart failed = FailedStart.of("""
				ratelimit:
				  policies:
				    limit: { limt: 5, window: 1m }
				""");
		assertThat(failed.description()).startsWith("The property 'ratelimit.policies.limit.limt' is not known.");
		assertThat(failed.action()).startsWith("Did you mean 'limit'?");
	}

}
