package io.github.ratelimit.web;

import java.util.Enumeration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

import io.github.ratelimit.InvalidRateLimitException;
import org.jspecify.annotations.Nullable;

/**
 * Finds the address of the client: the connection's, unless that is a trusted proxy's;
 * then the nearest one that is not, of those that the proxies have noted in
 * {@code Forwarded} or {@code X-Forwarded-For}.
 */
public final class ClientAddressResolver {

	/* More proxies than anybody has in a row; a forged header does not buy more work. */
	private static final int MOST_HOPS = 64;

	private static final String UNKNOWN = "unknown";

	private final List<AddressRange> trusted;

	private final int ipv6Prefix;

	/**
	 * Creates a resolver.
	 * @param trustedProxies addresses or CIDR ranges of the proxies to believe
	 * @param ipv6Prefix how many bits of an IPv6 address tell one client from another,
	 * from 1 to 128
	 * @throws InvalidRateLimitException if a range or the prefix cannot be
	 */
	public ClientAddressResolver(List<String> trustedProxies, int ipv6Prefix) {
		if (ipv6Prefix < 1 || ipv6Prefix > 128) {
			throw new InvalidRateLimitException("ipv6-prefix", ipv6Prefix, "is not a number of bits from 1 to 128",
					"Use 64, which is what one client usually has, or another number of bits from 1 to 128.");
		}
		this.trusted = trustedProxies.stream().map(ClientAddressResolver::range).toList();
		this.ipv6Prefix = ipv6Prefix;
	}

	private static AddressRange range(String text) {
		AddressRange range = AddressRange.parse(text.strip());
		if (range == null) {
			throw new InvalidRateLimitException("trusted-proxies", '"' + text + '"',
					"is neither an IP address nor a range of them",
					"Use an address such as 192.0.2.1, or a CIDR range such as 10.0.0.0/8 or fd00::/8. "
							+ "Host names are not resolved.");
		}
		return range;
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
		if (this.trusted.isEmpty() && IpAddress.isV4(peer)) {
			return peer;
		}
		IpAddress plain = IpAddress.parse(peer);
		IpAddress address = (plain != null) ? plain : forwardedPeer(peer);
		if (address == null) {
			return UNKNOWN;
		}
		return (isTrusted(address) ? forwarded(address, headers) : address).text(this.ipv6Prefix);
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

	/*
	 * A proxy maintains one of the headers and passes the other on as the client sent it.
	 * Where they disagree nobody can tell which one is forged, and neither is believed.
	 */
	private IpAddress forwarded(IpAddress peer, Function<String, Enumeration<String>> headers) {
		ForwardedFor standard = new ForwardedFor(headers.apply("Forwarded"), true);
		ForwardedFor common = new ForwardedFor(headers.apply("X-Forwarded-For"), false);
		if (standard.isEmpty()) {
			return walk(peer, common);
		}
		IpAddress address = walk(peer, standard);
		if (common.isEmpty()) {
			return address;
		}
		IpAddress other = walk(peer, common);
		return Objects.equals(address.text(128), other.text(128)) ? address : peer;
	}

	private IpAddress walk(IpAddress peer, ForwardedFor entries) {
		IpAddress address = peer;
		for (int hop = 0; hop < MOST_HOPS; hop++) {
			IpAddress next = entries.next();
			if (next == null) {
				return address;
			}
			address = next;
			if (!isTrusted(address)) {
				return address;
			}
		}
		return address;
	}

	private boolean isTrusted(IpAddress address) {
		for (int i = 0; i < this.trusted.size(); i++) {
			if (this.trusted.get(i).contains(address)) {
				return true;
			}
		}
		return false;
	}

}
