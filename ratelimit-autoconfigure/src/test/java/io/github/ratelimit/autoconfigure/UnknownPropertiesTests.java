package io.github.ratelimit.autoconfigure;

import java.io.IOException;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class UnknownPropertiesTests {

	@TempDir
	private Path directory;

	@Test
	void misspeltPropertyIsNotIgnored(CapturedOutput output) throws IOException {
		FailedStart failed = FailedStart.of("""
				ratelimit:
				  polices:
				    login:
				""", this.directory, output);
		assertThat(failed.description())
			.isEqualTo("The property 'ratelimit.polices' is not known. It was set in application.yml - 3:11.");
		assertThat(failed.action()).isEqualTo("Did you mean 'policies'? Known: 'caffeine', 'client-address', "
				+ "'enabled', 'headers', 'key', 'policies', 'redis', 'rules', 'store', 'waiting'.");
	}

	@Test
	void misspeltNumberOfALimitIsNotReportedAsMissing(CapturedOutput output) throws IOException {
		FailedStart failed = FailedStart.of("""
				ratelimit:
				  policies:
				    login:
				      limits:
				        - { limt: 5, window: 1m }
				""", this.directory, output);
		assertThat(failed.description()).isEqualTo("The property 'ratelimit.policies.login.limits[0].limt' is not "
				+ "known. It was set in application.yml - 5:19.");
		assertThat(failed.action()).isEqualTo("Did you mean 'limit'? Known: 'algorithm', 'burst', 'count-rejected', "
				+ "'delay', 'limit', 'nodelay', 'window'.");
	}

	@Test
	void misspeltPartOfARuleIsNotIgnored(CapturedOutput output) throws IOException {
		FailedStart failed = FailedStart.of("""
				ratelimit:
				  rules:
				    - { path: /api/**, method: POST, policy: login }
				""", this.directory, output);
		assertThat(failed.description())
			.isEqualTo("The property 'ratelimit.rules[0].method' is not known. It was set in application.yml - 3:32.");
		assertThat(failed.action()).isEqualTo("Did you mean 'methods'? Known: 'methods', 'path', 'phase', 'policy'.");
	}

	@Test
	void policyNameWithADotNeedsBrackets(CapturedOutput output) throws IOException {
		FailedStart failed = FailedStart.of("""
				ratelimit:
				  policies:
				    SearchController.search:
				      limits:
				        - { limit: 5, window: 1m }
				""", this.directory, output);
		assertThat(failed.description())
			.isEqualTo("The property 'ratelimit.policies.SearchController.search' is not known. It was set in "
					+ "application.yml - 5:20.");
		assertThat(failed.action()).isEqualTo(
				"Known: 'key', 'limits', 'on-failure'. If the policy is called 'SearchController.search', write its name in "
						+ "brackets and quotes: \"[SearchController.search]\".");
	}

}
