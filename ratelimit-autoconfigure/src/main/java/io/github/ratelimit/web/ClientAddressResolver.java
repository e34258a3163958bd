package io.github.ratelimit.web;

import java.util.Enumeration;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.regex.Pattern;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.Probation;
import io.github.ratelimit.Suggestion;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFindings;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Finds the address of the client: the connection's, unless that is a trusted proxy's;
 * then what the proxies have noted in a header, such as {@code X-Forwarded-For}.
 *
 * @since 0.1.0
 */
public final class ClientAddressResolver {

	private static final Log logger = LogFactory.getLog(ClientAddressResolver.class);

	private static final String UNKNOWN = "unknown";

	private static final List<String> LISTS = List.of("x-forwarded-for", "forwarded");

	private static final Pattern HEADER_NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

	private final TrustedProxies trusted;

	private final boolean trustsNobody;

	private final ClientHeader header;

	private final int ipv6Prefix;

	private final Probation probation = new Probation();

	private final Probation proxies = new Probation();

	private final ForwardedFieldsWatch forwarded;

	private final RateLimitFindings findings;

	/**
	 * Creates a resolver that reads {@code X-Forwarded-For} or {@code Forwarded},
	 * whichever the proxies maintain.
	 * @param trustedProxies addresses or CIDR ranges of the proxies to believe
	 * @param ipv6Prefix how many bits of an IPv6 address tell one client from another,
	 * from 1 to 128
	 * @throws InvalidRateLimitException if a range or the prefix cannot be
	 */
	public ClientAddressResolver(List<String> trustedProxies, int ipv6Prefix) {
		this(trustedProxies, ipv6Prefix, null);
	}

	/**
	 * Creates a resolver.
	 * @param trustedProxies addresses or CIDR ranges of the proxies to believe
	 * @param ipv6Prefix how many bits of an IPv6 address tell one client from another,
	 * from 1 to 128
	 * @param header the header that the proxies maintain: {@code x-forwarded-for},
	 * {@code forwarded}, or the name of one that holds a single address; {@code null} for
	 * whichever of the first two it is
	 * @throws InvalidRateLimitException if a range, the prefix or the header cannot be
	 */
	public ClientAddressResolver(List<String> trustedProxies, int ipv6Prefix, @Nullable String header) {
		this(trustedProxies, ipv6Prefix, header, new RateLimitFindings());
	}

	/**
	 * Creates a resolver.
	 * @param trustedProxies addresses or CIDR ranges of the proxies to believe
	 * @param ipv6Prefix how many bits of an IPv6 address tell one client from another,
	 * from 1 to 128
	 * @param header the header that the proxies maintain, or {@code null} for either list
	 * @param findings where it is added that the proxies are not as they are configured
	 * @throws InvalidRateLimitException if a range, the prefix or the header cannot be
	 */
	public ClientAddressResolver(List<String> trustedProxies, int ipv6Prefix, @Nullable String header,
			RateLimitFindings findings) {
		if (ipv6Prefix < 1 || ipv6Prefix > 128) {
			throw new InvalidRateLimitException("ipv6-prefix", ipv6Prefix, "is not a number of bits from 1 to 128",
					"Use 64, which is what one client usually has, or another number of bits from 1 to 128.");
		}
		this.trusted = new TrustedProxies(trustedProxies);
		this.trustsNobody = this.trusted.size() == 0;
		this.header = header(header, this.trusted);
		this.ipv6Prefix = ipv6Prefix;
		this.forwarded = new ForwardedFieldsWatch(findings);
		this.findings = findings;
	}

	private static ClientHeader header(@Nullable String name, TrustedProxies trusted) {
		if (name == null) {
			return new EitherForwardedList(trusted);
		}
		if (!HEADER_NAME.matcher(name).matches()) {
			throw new InvalidRateLimitException("header", '"' + name + '"', "is no name of a header",
					"Use x-forwarded-for, forwarded, or the name of a header that holds one address, such as X-Real-IP.");
		}
		if (trusted.size() == 0) {
			throw new InvalidRateLimitException("header", name, "has no effect, because no proxy is trusted to set it",
					"Set trusted-proxies to the addresses of your proxies, or remove header.");
		}
		if (name.equalsIgnoreCase(ForwardedList.COMMON)) {
			return ForwardedList.common(trusted);
		}
		if (name.equalsIgnoreCase(ForwardedList.STANDARD)) {
			return ForwardedList.standard(trusted);
		}
		String nearest = Suggestion.nearest(name, LISTS, 2);
		if (nearest != null) {
			throw new InvalidRateLimitException("header", name, "is nearly the name of a known header",
					"Did you mean " + nearest + "?");
		}
		return new SingleAddressHeader(name);
	}

	/**
	 * Finds the client's address.
	 * @param <R> the type of the request
	 * @param peer the address of the connection's other end
	 * @param request the request
	 * @param headers gives the lines of one of its headers
	 * @return as {@link #resolve(String, Function)}
	 */
	public <R> String resolve(@Nullable String peer, R request, BiFunction<R, String, Enumeration<String>> headers) {
		if (this.trustsNobody && peer != null) {
			this.forwarded.look(peer, request, headers);
		}
		return (this.trustsNobody && peer != null && IpAddress.isV4(peer)) ? peer
				: resolve(peer, (name) -> headers.apply(request, name));
	}

	/**
	 * Finds the client's address.
	 * @param peer the address of the connection's other end
	 * @param headers gives the lines of a request header
	 * @return an IPv4 address, or an IPv6 prefix such as {@code 2001:db8:0:7::/64}, or
	 * {@code unknown} for a connection without an address
	 */
	public String resolve(@Nullable String peer, Function<String, Enumeration<String>> headers) {
		if (peer == null || peer.isEmpty()) {
			return UNKNOWN;
		}
		if (this.trustsNobody && IpAddress.isV4(peer)) {
			return peer;
		}
		IpAddress plain = IpAddress.parse(peer);
		IpAddress address = (plain != null) ? plain : forwardedPeer(peer);
		if (address == null) {
			return UNKNOWN;
		}
		boolean proxied = this.trusted.contains(address);
		if (!this.trustsNobody && !this.proxies.isOver()) {
			lookForProxies(proxied, headers);
		}
		return (proxied ? forwarded(address, headers) : address).text(this.ipv6Prefix);
	}

	private void lookForProxies(boolean proxied, Function<String, Enumeration<String>> headers) {
		if (isFailed(this.proxies, proxied, headers)) {
			this.findings.report(FindingCode.UNSEEN_PROXY, null, "proxies",
					"None of the first hundred requests of clients came from a trusted proxy.");
		}
	}

	/**
	 * Writes an address that somebody typed as {@link #resolve} would find it.
	 * @param text an address, perhaps in brackets or with the length of the prefix
	 * @return the address of a client, or the text if it is not an address, or is another
	 * prefix than clients have
	 */
	public String normalize(String text) {
		int slash = text.indexOf('/');
		IpAddress address = ForwardedFor.node(text, 0, (slash >= 0) ? slash : text.length());
		boolean whole = slash < 0
				|| address != null && address.isV6() && text.substring(slash + 1).equals("" + this.ipv6Prefix);
		return (address != null && whole) ? address.text(this.ipv6Prefix) : text;
	}

	private IpAddress forwarded(IpAddress proxy, Function<String, Enumeration<String>> headers) {
		IpAddress client = this.header.client(proxy, headers);
		if (!this.probation.isOver() && isFailed(this.probation, client != proxy, headers)) {
			logger.warn(this.header
					+ " held an address in none of the first hundred requests of clients that came from "
					+ "trusted proxies, such as " + proxy.text(128) + ", so that all of them count as one client. Let "
					+ "the proxies send that header, or set ratelimit.client-address.header to the one that they do "
					+ "send.");
			this.findings.note(FindingCode.PROXY_WITHOUT_ADDRESS, null, "proxies", this.header
					+ " held an address in none of the first hundred requests of clients that came from trusted "
					+ "proxies, so that all of them count as one client.");
		}
		return client;
	}

	private static boolean isFailed(Probation probation, boolean worked,
			Function<String, Enumeration<String>> headers) {
		return probation.isFailedBy(worked,
				worked || Probation.isOfClient((name) -> headers.apply(name).hasMoreElements()));
	}

	/*
	 * Who applies forwarded headers before us passes on whatever stood there: garbage, or
	 * an address with a port, around which Spring puts the brackets of IPv6.
	 */
	private static @Nullable IpAddress forwardedPeer(String peer) {
		IpAddress address = ForwardedFor.node(peer, 0, peer.length());
		boolean bracketed = peer.startsWith("[") && peer.endsWith("]");
		return (address == null && bracketed) ? ForwardedFor.node(peer, 1, peer.length() - 1) : address;
	}

}
