package io.github.ratelimit.redis;

import io.github.ratelimit.findings.FindingCode;

/**
 * Something about a server that an operator should know.
 *
 * @param code what it is
 * @param text what it is, and what to do
 */
record ServerFinding(FindingCode code, String text) {
}
