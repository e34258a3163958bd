package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.RateLimitSession.Question;
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
		ScriptCall.Script script = RateLimitScripts.together(states.stream().map(RedisStates::script).toList());
		return (script != null) ? new JointStates(states, script) : null;
	}

	/**
	 * The call for a decision. All keys must be on one server, and no policy may be asked
	 * twice for the same one.
	 * @param questions what to ask of each policy
	 */
	ScriptCall deciding(List<Question> questions) {
		List<byte[]> names = new ArrayList<>();
		List<byte[]> arguments = new ArrayList<>();
		for (int i = 0; i < questions.size(); i++) {
			Question question = questions.get(i);
			RedisStates each = this.states.get(i);
			names.addAll(Arrays.asList(each.keysToDecide(question.key())));
			arguments.add(each.argument(question.permits(), question.withoutDelay()));
		}
		return new ScriptCall(this.script, names.toArray(byte[][]::new), arguments.toArray(byte[][]::new), (now) -> {
			this.states.forEach((each) -> each.goTo(now));
			return deciding(questions);
		});
	}

	/**
	 * Reads the answer of a decision. When one policy rejects, those that agree answer as
	 * to a look.
	 * @param answer what the script answered
	 * @param questions what was asked of each policy
	 * @return each policy's decision
	 */
	List<RateLimitDecision> read(byte[] answer, List<Question> questions) {
		return read(this.states, answer, questions);
	}

	static List<RateLimitDecision> read(List<RedisStates> states, byte[] answer, List<Question> questions) {
		ByteBuffer buffer = LimitScript.buffer(answer);
		long moment = LimitScript.number(buffer);
		long now = Math.abs(moment);
		int count = states.size();
		boolean[] unreadable = (count == 1) ? new boolean[] { moment < 0 } : PolicyScript.flags(buffer, count);
		boolean[][] agrees = new boolean[count][];
		boolean allowed = true;
		for (int i = 0; i < count; i++) {
			RedisStates each = states.get(i);
			each.goTo(now);
			if (unreadable[i]) {
				each.warnOfState();
			}
			agrees[i] = each.script().agrees(buffer);
			allowed &= PolicyScript.agree(agrees[i]);
		}
		PolicyScript.BanAnswer[] bans = new PolicyScript.BanAnswer[count];
		for (int i = 0; i < count; i++) {
			bans[i] = states.get(i).script().ban(buffer, now);
			allowed &= !bans[i].rejects(questions.get(i).permits());
		}
		RateLimitDecision[] decisions = new RateLimitDecision[count];
		for (int i = 0; i < count; i++) {
			Question question = questions.get(i);
			RateLimitDecision decision = states.get(i)
				.script()
				.decision(buffer, now, allowed, agrees[i], question.permits(), question.withoutDelay());
			decisions[i] = bans[i].of(decision, question.permits());
		}
		return List.of(decisions);
	}

}
