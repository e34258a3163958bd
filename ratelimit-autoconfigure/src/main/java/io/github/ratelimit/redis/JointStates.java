package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.github.ratelimit.RateLimitDecision;
import org.jspecify.annotations.Nullable;

/**
 * The states of several policies, on which one call decides: it takes from all of them or
 * from none.
 */
final class JointStates {

	private final List<RedisStates> states;

	private final ScriptCall.Script script;

	private JointStates(List<RedisStates> states, ScriptCall.Script script) {
		this.states = states;
		this.script = script;
	}

	/**
	 * Finds the states of some policies. Scripts that were found once are kept, whatever
	 * the policies' numbers are.
	 * @param states the policies
	 * @return their states, or {@code null} if they are too many for one call
	 */
	static @Nullable JointStates of(List<RedisStates> states) {
		ScriptCall.Script script = RateLimitScripts.together(states.get(0).time(),
				states.stream().map(RedisStates::script).toList());
		return (script != null) ? new JointStates(states, script) : null;
	}

	/**
	 * The call for a decision. All keys must be on one server, and no policy may be asked
	 * twice for the same one.
	 * @param keys the key of each policy
	 * @param permits how many permits the request costs of each; 0 looks
	 * @param withoutDelay which of them the request cannot wait for
	 */
	ScriptCall deciding(List<String> keys, long[] permits, boolean[] withoutDelay) {
		List<byte[]> names = new ArrayList<>();
		byte[][] arguments = new byte[permits.length][];
		for (int i = 0; i < permits.length; i++) {
			RedisStates each = this.states.get(i);
			names.addAll(Arrays.asList(each.keysToDecide(keys.get(i))));
			arguments[i] = each.argument(permits[i], withoutDelay[i]);
		}
		return new ScriptCall(this.script, names.toArray(byte[][]::new), arguments,
				this.states.stream().anyMatch(RedisStates::hasMoment) ? (now) -> {
					this.states.forEach((each) -> each.goTo(now));
					return deciding(keys, permits, withoutDelay);
				} : null);
	}

	/**
	 * Reads the answer of a decision. When one policy rejects, those that agree answer as
	 * to a look.
	 * @param answer what the script answered
	 * @param permits how many permits the request cost of each
	 * @param withoutDelay which of them the request could not wait for
	 * @return each policy's decision
	 */
	List<RateLimitDecision> read(byte[] answer, long[] permits, boolean[] withoutDelay) {
		return read(this.states, answer, permits, withoutDelay);
	}

	static List<RateLimitDecision> read(List<RedisStates> states, byte[] answer, long[] permits,
			boolean[] withoutDelay) {
		ByteBuffer buffer = LimitScript.buffer(answer);
		long moment = LimitScript.number(buffer);
		long now = Math.abs(moment);
		boolean[] unreadable = (permits.length == 1) ? new boolean[] { moment < 0 }
				: AnswerReader.flags(buffer, permits.length);
		int limits = 0;
		for (int i = 0; i < unreadable.length; i++) {
			RedisStates each = states.get(i);
			limits += each.answers().limits();
			each.goTo(now);
			if (unreadable[i]) {
				each.warnOfState();
			}
		}
		boolean[] agrees = AnswerReader.flags(buffer, limits);
		AnswerReader.BanAnswer[] bans = new AnswerReader.BanAnswer[permits.length];
		boolean allowed = AnswerReader.agree(agrees);
		for (int i = 0; i < bans.length; i++) {
			bans[i] = states.get(i).answers().ban(buffer, now);
			allowed &= !bans[i].rejects(permits[i]);
		}
		RateLimitDecision[] decisions = new RateLimitDecision[permits.length];
		int first = 0;
		for (int i = 0; i < decisions.length; i++) {
			AnswerReader answers = states.get(i).answers();
			decisions[i] = bans[i]
				.of(answers.decision(buffer, now, allowed, agrees, first, permits[i], withoutDelay[i]), permits[i]);
			first += answers.limits();
		}
		return List.of(decisions);
	}

}
