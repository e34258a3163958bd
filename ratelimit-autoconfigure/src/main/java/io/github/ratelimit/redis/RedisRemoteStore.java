package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.RemoteStore;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitSession.Given;
import io.github.ratelimit.store.RateLimitSession.Question;

/**
 * Decides in Redis, and fails when Redis does.
 */
final class RedisRemoteStore implements RemoteStore {

	private final ScriptRunner runner;

	private final ScriptCalls calls;

	private final String prefix;

	private final Duration timeout;

	private final List<ScriptCall<byte[]>> checks;

	/**
	 * Creates a store.
	 * @param runner the way to the servers
	 * @param prefix what all keys begin with
	 * @param timeout how long a call waits that is given no deadline
	 */
	RedisRemoteStore(ScriptRunner runner, String prefix, Duration timeout) {
		this.runner = runner;
		this.calls = new ScriptCalls(runner);
		this.prefix = prefix;
		this.timeout = timeout;
		this.checks = RedisCheck.calls(prefix);
	}

	@Override
	public String name() {
		return "redis";
	}

	@Override
	public String displayName() {
		return "Redis";
	}

	@Override
	public PolicyDecider open(RateLimitPolicy policy) {
		return new RedisStates(policy, this.prefix, this.calls, this.timeout);
	}

	@Override
	public boolean hasSeveralServers() {
		return this.runner.isCluster();
	}

	@Override
	public String server(PolicyDecider states, String key) {
		return this.runner.node(((RedisStates) states).name(key));
	}

	@Override
	public Set<String> servers() {
		return this.runner.nodes();
	}

	@Override
	public String address() {
		return this.runner.server();
	}

	@Override
	public Check check() {
		return new RedisCheck(this.runner, this.calls, this.checks);
	}

	/*
	 * A script can use the keys of one hash slot only.
	 */
	@Override
	public boolean decidesTogether(List<PolicyDecider> states) {
		return !this.runner.isCluster()
				&& RedisStates.decideTogether(states.stream().map(RedisStates.class::cast).toList());
	}

	@Override
	public List<RateLimitDecision> decideTogether(List<Question> questions, Deadline deadline) {
		return this.calls.run(RedisStates.deciding(questions), deadline);
	}

	@Override
	public List<Supplier<RateLimitDecision>> decideEach(List<Question> questions, Deadline deadline) {
		return this.calls.startAll(questions.stream().map(RedisStates::deciding).toList(), deadline);
	}

	@Override
	public List<Supplier<?>> refundEach(List<Given> given, Deadline deadline) {
		return List.copyOf(this.calls.startAll(given.stream().map(RedisRemoteStore::refunding).toList(), deadline));
	}

	private static ScriptCall<Void> refunding(Given given) {
		return ((RedisStates) given.states()).refunding(given.key(), given.permits(), given.decision());
	}

	@Override
	public void refundLater(Given given) {
		this.calls.post(refunding(given));
	}

}
