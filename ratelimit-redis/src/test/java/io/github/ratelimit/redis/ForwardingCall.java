package io.github.ratelimit.redis;

/**
 * Does what another call does, for those that change only some of it.
 */
class ForwardingCall<T> extends ScriptCall<T> {

	private final ScriptCall<T> call;

	ForwardingCall(ScriptCall<T> call, Script script) {
		super(call.runner, script, call.keys);
		this.call = call;
	}

	@Override
	byte[][] arguments() {
		return this.call.arguments();
	}

	@Override
	boolean takeMoment(long now) {
		return this.call.takeMoment(now);
	}

	@Override
	T read(byte[] answer) {
		return this.call.read(answer);
	}

}
