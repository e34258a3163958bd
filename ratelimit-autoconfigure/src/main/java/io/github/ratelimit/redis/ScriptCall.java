package io.github.ratelimit.redis;

/**
 * A script and what to run it with.
 *
 * @param script the script, which answers bytes
 * @param keys all keys that it uses; on a cluster, of one hash slot
 * @param arguments its other arguments
 */
record ScriptCall(Script script, byte[][] keys, byte[][] arguments) {
}
