package io.github.ratelimit.web.address;

import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.function.Function;

import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.FirstRequestsCheck;
import io.github.ratelimit.findings.RateLimitFindings;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the first requests, which show whether the proxies are as they are configured.
 */
final class ProxyWatch {

	private static final String SUBJECT = "proxies";

	private static final List<String> LISTS = List.of(ForwardedList.COMMON, ForwardedList.STANDARD);

	private final FirstRequestsCheck peers = new FirstRequestsCheck();

	private final FirstRequestsCheck proxies = new FirstRequestsCheck();

	private final FirstRequestsCheck clients = new FirstRequestsCheck();

	private final RateLimitFindings findings;

	private volatile @Nullable String first;

	ProxyWatch(RateLimitFindings findings) {
		this.findings = findings;
	}

	/**
	 * Notices a proxy that nobody trusts: a hundred requests with forwarded fields come
	 * from one address before any comes from another.
	 * @param peer the address
	 * @param headers gives the lines of a request header
	 */
	void notePeer(String peer, Function<String, Enumeration<String>> headers) {
		if (this.peers.isOver()) {
			return;
		}
		if (this.first == null) {
			this.first = peer;
		}

		if (this.peers.record(!peer.equals(this.first), hasListWithout(peer, headers))) {
			this.findings.report(FindingCode.UNTRUSTED_PROXY, null, SUBJECT,
					"The first hundred requests with forwarded fields came from one address, and none from another, so "
							+ "that all clients count as one. No proxy is trusted.");
		}
	}

	/*
	 * Whether a field names others only. If it names the peer, the server has taken the
	 * peer's address from it already.
	 */
	private static boolean hasListWithout(String peer, Function<String, Enumeration<String>> headers) {
		for (String name : LISTS) {
			List<String> lines = Collections.list(headers.apply(name));
			if (!lines.isEmpty() && lines.stream().noneMatch((line) -> line.contains(peer))) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Notices that no request comes from a trusted proxy.
	 * @param proxied whether this one does
	 * @param headers gives the lines of a request header
	 */
	void noteProxy(boolean proxied, Function<String, Enumeration<String>> headers) {
		if (isFailed(this.proxies, proxied, headers)) {
			this.findings.report(FindingCode.UNSEEN_PROXY, null, SUBJECT,
					"None of the first hundred requests of clients came from a trusted proxy.");
		}
	}

	/**
	 * Notices that the trusted proxies send no address of their client.
	 * @param sent whether they do in this request
	 * @param header where they should
	 * @param proxy the nearest proxy
	 * @param headers gives the lines of a request header
	 */
	void noteClient(boolean sent, ClientAddressResolver.ClientHeader header, IpAddress proxy,
			Function<String, Enumeration<String>> headers) {
		if (isFailed(this.clients, sent, headers)) {
			this.findings.report(FindingCode.PROXY_WITHOUT_ADDRESS, null, SUBJECT, header.name()
					+ " held an address in none of the first hundred requests of clients that came from trusted "
					+ "proxies, such as " + proxy.text(128) + ", so that all of them count as one client.");
		}
	}

	private static boolean isFailed(FirstRequestsCheck check, boolean worked,
			Function<String, Enumeration<String>> headers) {
		return !check.isOver() && check.record(worked,
				worked || FirstRequestsCheck.isOfClient((name) -> headers.apply(name).hasMoreElements()));
	}

}
