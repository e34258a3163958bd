package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.RateLimitInterventions;
import io.github.ratelimit.RateLimiterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Mistakes in {@code ratelimit.exempt} and {@code ratelimit.deny} end at the start.
 */
class MistakesInInterventionsTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					deny.addresses: localhost                           | deny.addresses[0]   | with the value 'localhost' is neither an IP address nor a range of them | Use an address such as
					deny.addresses: [10.0.0.1, 10.0.0.0/33]             | deny.addresses[1]   | neither an IP address        | Use an address
					exempt.addresses: ["example.org:80"]                | exempt.addresses[0] | neither an IP address        | Use an address
					deny.addresses: [10.0.0.1, 0.0.0.0/0]               | deny.addresses[1]   | is every address there is    | Name those that are meant
					exempt.addresses: ["::/0"]                          | exempt.addresses[0] | is every address there is    | Name those that are meant. To turn all limits off
					deny.addresses: [""]                                | deny.addresses[0]   | is empty                     | Use 1 to
					deny.addresses: [10.0.0.1, "::ffff:10.0.0.1"]       | deny.addresses[1]   | is the same as 'ratelimit.deny.addresses[0]' | Remove one of them
					exempt.addresses: [10.0.0.0/8, 10.1.0.0/8]          | exempt.addresses[1] | is the same as               | Remove one of them
					{ deny.addresses: 10.0.0.1, exempt.addresses: [10.0.0.1/32] } | exempt.addresses[0] | has no effect, because 'ratelimit.deny.addresses[0]' denies the same | Remove one of them
					deny.keys.logn: [ada]                               | deny.keys.logn      | is about a policy that does not exist | Did you mean 'login'?
					exempt.keys: { login: [ada], other: [ada] }         | exempt.keys.other   | is about a policy that does not exist | Known: 'login'
					deny.keys.login: [ada, bob, ada]                    | deny.keys.login[2]  | is the same as 'ratelimit.deny.keys.login[0]' | Remove one of them
					deny.keys.login: [""]                               | deny.keys.login[0]  | is empty                     | Use 1 to
					""")
	void aMistakeIsNamed(String yaml, String property, String reason, String action) {
		String inBraces = yaml.startsWith("{") ? yaml.substring(1, yaml.length() - 1) : yaml;
		FailedStart failed = FailedStart
			.ofServer("ratelimit: { policies: { login: { key: \"header('User')\", limit: 5, window: 1m } }, " + inBraces
					+ " }");
		assertThat(failed.description()).startsWith("The property 'ratelimit.").contains(property + "'", reason);
		assertThat(failed.action()).startsWith(action);
	}

	@Test
	void addressesHaveNoEffectWithoutRequestsOverHttp() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(RateLimitAutoConfiguration.class))
			.withPropertyValues("ratelimit.deny.addresses=10.0.0.1")
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("ratelimit.deny.addresses[0]")
				.hasStackTraceContaining("nothing here serves requests over HTTP"));
	}

	@Test
	void whatIsConfiguredIsInForceOnceTheApplicationHasStarted() {
		new WebApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(RateLimitAutoConfiguration.class,
					RateLimitMethodAutoConfiguration.class, RateLimitServletAutoConfiguration.class))
			.withPropertyValues("ratelimit.policies.login.limit=5", "ratelimit.policies.login.window=1m",
					"ratelimit.deny.addresses=10.0.0.0/8,192.0.2.1",
					"ratelimit.exempt.keys.login=2001:DB8::1,192.0.2.9")
			.run((context) -> {
				RateLimiterRegistry registry = context.getBean(RateLimiterRegistry.class);
				assertThat(registry.interventions().inForce()).hasSize(4)
					.allMatch(RateLimitInterventions.InForce::configured);
				for (int i = 0; i < 9; i++) {
					assertThat(registry.decide("login", "2001:db8:0:0::/64").allowed()).isTrue();
				}
			});
	}

}
