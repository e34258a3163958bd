package io.github.ratelimit.web;

import java.util.Enumeration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;

import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFindings;
import org.jspecify.annotations.Nullable;

/**
 * Notices a proxy that nobody trusts: a hundred requests with forwarded fields come from
 * one address before any comes from another. Gives up after a thousand.
 */
final class ForwardedFieldsWatch {

	private static final int FORWARDED = 100;

	private static final int REQUESTS = 1000;

	private final RateLimitFindings findings;

	private final AtomicInteger requests = new AtomicInteger();

	private final AtomicInteger forwarded = new AtomicInteger();

	private volatile @Nullable String first;

	private volatile boolean over;

	ForwardedFieldsWatch(RateLimitFindings findings) {
		this.findings = findings;
	}

	<R> void look(String peer, R request, BiFunction<R, String, Enumeration<String>> headers) {
		if (!this.over) {
			note(peer, request, headers);
		}
	}

	private <R> void note(String peer, R request, BiFunction<R, String, Enumeration<String>> headers) {
		String first = this.first;
		if (first == null) {
			this.first = peer;
		}
		else if (!first.equals(peer)) {
			this.over = true;
			return;
		}
		boolean isForwarded = isOfOther(headers.apply(request, ForwardedList.COMMON), peer)
				|| isOfOther(headers.apply(request, ForwardedList.STANDARD), peer);
		if (isForwarded && this.forwarded.incrementAndGet() == FORWARDED) {
			this.over = true;
			this.findings.report(FindingCode.UNTRUSTED_PROXY, null, "proxies",
					"The first hundred requests with forwarded fields came from one address, and none from another, so "
							+ "that all clients count as one. No proxy is trusted.");
		}
		else if (this.requests.incrementAndGet() >= REQUESTS) {
			this.over = true;
		}
	}

	/*
	 * If it names the peer, the server has taken the peer's address from it already.
	 */
	private static boolean isOfOther(@Nullable Enumeration<String> lines, String peer) {
		if (lines == null || !lines.hasMoreElements()) {
			return false;
		}
		while (lines.hasMoreElements()) {
			if (lines.nextElement().contains(peer)) {
				return false;
			}
		}
		return true;
	}

}
