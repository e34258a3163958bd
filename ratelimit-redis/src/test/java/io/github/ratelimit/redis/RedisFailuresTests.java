package io.github.ratelimit.redis;

import io.github.ratelimit.remote.StoreCallException;
import io.lettuce.core.RedisCommandExecutionException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each error that a server answers with is blamed on what it is about, also where a
 * script is what failed.
 */
class RedisFailuresTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			WRITES | OOM command not allowed when used memory > 'maxmemory'.
			WRITES | MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist to disk.
			WRITES | NOREPLICAS Not enough good replicas to write.
			NODE   | READONLY You can't write against a read only replica.
			NODE   | MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.
			MOVE   | TRYAGAIN Multiple keys request during rehashing of slot
			KEY    | WRONGTYPE Operation against a key holding the wrong kind of value
			SERVER | LOADING Redis is loading the dataset in memory
			SERVER | BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.
			SERVER | CLUSTERDOWN Hash slot not served
			SERVER | MOVED 3999 127.0.0.1:6381
			SERVER | NOAUTH Authentication required.
			SERVER | NOPERM this user has no permissions to run the 'evalsha' command
			SERVER | WRONGPASS invalid username-password pair or user is disabled.
			SERVER | ERR max number of clients reached
			""")
	void eachErrorHasItsBlame(StoreCallException.Blame blame, String error) {
		assertThat(RedisFailures.of(new RedisCommandExecutionException(error)).blame()).isEqualTo(blame);
		assertThat(RedisFailures.of(new RuntimeException(new RedisCommandExecutionException(error))).blame())
			.isEqualTo(blame);
	}

	@ParameterizedTest
	@CsvSource({ "WRITES,OOM command not allowed", "NODE,READONLY You can't write", "KEY,WRONGTYPE Operation" })
	void eachErrorOfAScriptHasItsBlame(StoreCallException.Blame blame, String error) {
		assertThat(RedisFailures
			.of(new RedisCommandExecutionException(
					"ERR Error running script (call to f_0): " + "@user_script:63: @user_script: 63: -" + error))
			.blame()).isEqualTo(blame);
	}

}
