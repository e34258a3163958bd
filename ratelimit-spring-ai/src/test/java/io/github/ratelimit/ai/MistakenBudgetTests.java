package io.github.ratelimit.ai;

import java.util.stream.Stream;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitExceededException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.ai.chat.model.ChatModel;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Mistakes in budgets of models end at the start, or are said once.
 */
@ExtendWith(OutputCaptureExtension.class)
class MistakenBudgetTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					ratelimit.ai.policy=tokes                                          | ratelimit.ai.policy' with the value 'tokes' is no policy of ratelimit.policies | tokens
					ratelimit.ai.policies=tokens,tokes                                 | ratelimit.ai.policies' with the value 'tokes' is no policy | tokens
					ratelimit.ai.policies=tokens;ratelimit.ai.policy=tokens            | cannot be used together with ratelimit.ai.policies | policies
					ratelimit.ai.max-tokens=-1                                         | is out of range | from 0
					ratelimit.policies.a.limit=1;ratelimit.policies.a.window=1d;ratelimit.ai.policy=a;ratelimit.ai.key=nam( | ratelimit.ai.key' with the value 'nam(' cannot be parsed | SpEL
					ratelimit.ai.polices=tokens                                        | ratelimit.ai.polices' is not known | policies
					ratelimit.policies.tokens.charge=usage.totalTokens + elements      | ratelimit.policies.tokens.charge-each | usage.totalTokens
					ratelimit.policies.tokens.charge-each=result.tokens()              | ratelimit.policies.tokens.charge-each | usage.totalTokens
					ratelimit.policies.tokens.charge=usage.totalToken                  | reads 'usage.totalToken', which is not known | usage.totalTokens
					ratelimit.policies.tokens.charge=2 * result.tokens                 | reads 'result.tokens', which is not known | result.totalTokens
					ratelimit.policies.tokens.charge=usages                            | reads 'usages', which is not known | usage
					""")
	void mistakeFailsTheStart(String properties, String description, String action) {
		Budgets.runner(properties.split(";")).withBean("model", ChatModel.class, FakeModel::new).run((context) -> {
			assertThat(context).hasFailed();
			InvalidRateLimitException mistake = Stream
				.iterate(context.getStartupFailure(), (failure) -> failure != null, Throwable::getCause)
				.filter(InvalidRateLimitException.class::isInstance)
				.map(InvalidRateLimitException.class::cast)
				.findFirst()
				.orElseThrow(() -> new AssertionError(context.getStartupFailure()));
			assertThat(mistake).hasMessageContaining(description);
			assertThat(mistake.action()).contains(action);
		});
	}

	@Test
	void callThatCanNeverPassSaysOnceWhatToSet(CapturedOutput output) {
		Budgets.with((budgets) -> {
			for (int i = 0; i < 2; i++) {
				assertThatExceptionOfType(RateLimitExceededException.class)
					.isThrownBy(() -> budgets.model().call("Hello world"))
					.satisfies((ex) -> assertThat(ex.retryAfter()).isNull());
			}
			assertThat(output.getOut()).containsOnlyOnce("it reserves 106 permits, more than the policy 'tokens' has")
				.contains("maxTokens", "ratelimit.ai.max-tokens");
		}, "ratelimit.policies.tokens.limit=100");
	}

	@Test
	void keyThatNoPolicyReadsIsSaid(CapturedOutput output) {
		Budgets.with((budgets) -> assertThat(output.getOut()).contains("ratelimit.ai.key has no effect"),
				"ratelimit.ai.key=principal.name");
		assertThat(output.getOut()).containsOnlyOnce("ratelimit.ai.key has no effect");
		Budgets.with((budgets) -> assertThat(output.getOut()).containsOnlyOnce("ratelimit.ai.key has no effect"),
				"ratelimit.ai.key=principal.name", "ratelimit.ai.policies=tokens,gold",
				"ratelimit.policies.gold.limit=1000", "ratelimit.policies.gold.window=1d");
	}

	@Test
	void noPolicyIsSaidAndLimitsNothing(CapturedOutput output) {
		Budgets.with((budgets) -> {
			budgets.model().call("Hello world");
			assertThat(budgets.used()).isZero();
			assertThat(output.getOut()).contains("No policy limits every call of a chat model");
		}, "ratelimit.ai.policies=");
	}

	@Test
	void nothingIsLimitedWhereLimitsAreTurnedOff() {
		Budgets.runner("ratelimit.enabled=false")
			.withBean("model", ChatModel.class, FakeModel::new)
			.run((context) -> assertThat(context.getBean(ChatModel.class)).isExactlyInstanceOf(FakeModel.class));
	}

}
