package io.github.ratelimit.aop;

import java.lang.reflect.Method;
import java.util.List;

import io.github.ratelimit.enforce.PolicyBinding;

/**
 * What is known of a method before it is called.
 *
 * @param method the method of the target's own class, whose parameter names count
 * @param bindings its limits
 * @param enforcement how its return type lets a call wait or be rejected
 */
record LimitedMethod(Method method, List<PolicyBinding> bindings, Enforcement enforcement) {
}
