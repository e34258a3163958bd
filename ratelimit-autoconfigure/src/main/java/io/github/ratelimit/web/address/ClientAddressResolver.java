package io.github.ratelimit.web.address;

import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.support.Suggestion;
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

	private static final String UNKNOWN = "unknown";

	private static final List<String> LISTS = List.of("x-forwarded-for", "forwarded");

	/* The lists as peers send them that are trusted for nothing. */
	private static final List<ForwardedList> UNTRUSTED = Stream.of(ForwardedList.COMMON, ForwardedList.STANDARD)
		.map((name) -> new ForwardedList(name, new TrustedProxies(List.of())))
		.toList();

	private static final Pattern HEADER_NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

	private final TrustedProxies trusted;

	private final boolean trustsNobody;

	private final ClientHeader header;

	private final int ipv6Prefix;

	private final ProxyWatch watch;

	/**
	 * Creates a resolver.
	 * @param trustedProxies addresses or CIDR ranges of the proxies to believe
	 * @param ipv6Prefix how many bits of an IPv6 address tell one client from another,
	 * from 1 to 128
	 * @param header the header that the proxies maintain: {@code x-forwarded-for},
	 * {@code forwarded}, or the name of one that holds a single address; {@code null} for
	 * whichever of the first two it is
	 * @param findings told about proxies that differ from the configured ones
	 * @throws InvalidRateLimitException if a range, the prefix or the header is invalid
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
		this.watch = new ProxyWatch(findings);
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
			return new ForwardedList(ForwardedList.COMMON, trusted);
		}
		if (name.equalsIgnoreCase(ForwardedList.STANDARD)) {
			return new ForwardedList(ForwardedList.STANDARD, trusted);
		}

		String nearest = Suggestion.nearest(name, LISTS, 2);
		if (nearest != null) {
			throw new InvalidRateLimitException("header", name, "is nearly the name of a known header",
					"Did you mean " + nearest + "?");
		}
		return new SingleAddressHeader(name);
	}

	/**
	 * Finds the client's address where there is no servlet request.
	 * @param peer the connection's other end
	 * @param headers gives the lines of a header of the request, or of the handshake
	 * @return the same as for a servlet request
	 */
	public String resolve(@Nullable InetSocketAddress peer, Function<String, List<String>> headers) {
		String host = (peer != null) ? peer.getHostString() : null;
		return resolve(host, (name) -> Collections.enumeration(headers.apply(name)));
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
		if (this.trustsNobody) {
			return connectionAddress(peer, headers);
		}
		return forwardedAddress(peer, headers);
	}

	private String connectionAddress(String peer, Function<String, Enumeration<String>> headers) {
		this.watch.notePeer(peer, headers);
		if (IpAddress.isV4(peer)) {
			return peer;
		}
		IpAddress address = parsePeer(peer);
		return (address != null) ? address.text(this.ipv6Prefix) : UNKNOWN;
	}

	private String forwardedAddress(String peer, Function<String, Enumeration<String>> headers) {
		IpAddress address = parsePeer(peer);
		if (address == null) {
			return UNKNOWN;
		}

		boolean proxied = this.trusted.find(address) >= 0;
		this.watch.noteProxy(proxied, headers);
		if (!proxied) {
			return address.text(this.ipv6Prefix);
		}

		IpAddress client = this.header.client(address, headers).address();
		this.watch.noteClient(client != address, this.header, address, headers);
		return client.text(this.ipv6Prefix);
	}

	/**
	 * Finds the client's whole address.
	 * @param peer the address of the connection's other end
	 * @param headers gives the lines of a request header
	 * @return the address, or {@code null} for a connection without one
	 */
	@Nullable FoundClient find(String peer, Function<String, Enumeration<String>> headers) {
		IpAddress address = parsePeer(peer);
		if (address == null) {
			return null;
		}
		if (this.trusted.find(address) >= 0) {
			return this.header.client(address, headers);
		}

		// somebody may forward for others who is not trusted to say for whom
		return new FoundClient(address, !mayBeForwarded(address, headers), List.of());
	}

	/*
	 * What has applied a forwarded field before us may have left it there: then it names
	 * the peer and nobody else.
	 */
	private boolean mayBeForwarded(IpAddress peer, Function<String, Enumeration<String>> headers) {
		for (ForwardedList list : UNTRUSTED) {
			for (String line : list.lines(headers)) {
				FoundClient named = list.client(peer, List.of(line));
				if (line.indexOf(',') >= 0 || !named.certain() || !named.address().equals(peer)) {
					return true;
				}
			}
		}
		return this.header instanceof SingleAddressHeader single && headers.apply(single.name).hasMoreElements();
	}

	/**
	 * Reads which clients somebody means who writes an address or a range.
	 * @param text an address in any notation, or a CIDR range
	 * @return the range, of an IPv6 address the network of one client; {@code null} if
	 * the text is neither
	 */
	@Nullable AddressRange range(String text) {
		if (text.indexOf('/') >= 0) {
			return AddressRange.parse(text);
		}
		IpAddress address = IpAddress.parseNode(text);
		if (address == null) {
			return null;
		}
		int bits = address.isV6() ? this.ipv6Prefix : address.bits();
		return new AddressRange(address, bits);
	}

	/**
	 * Whether a request comes, or may come, from a range of addresses.
	 * @param range an address or a CIDR range
	 * @param peer the connection's other end
	 * @param headers gives the lines of a request header
	 * @return {@code false} if its client is elsewhere, or the range is none
	 */
	public boolean isFrom(String range, @Nullable InetSocketAddress peer, Function<String, List<String>> headers) {
		String host = (peer != null) ? peer.getHostString() : null;
		return isFrom(range, host, (name) -> Collections.enumeration(headers.apply(name)));
	}

	/**
	 * Whether a request comes, or may come, from a range of addresses.
	 * @param range an address or a CIDR range
	 * @param peer the address of the connection's other end
	 * @param headers gives the lines of a request header
	 * @return {@code false} if its client is elsewhere, or the range is none
	 */
	public boolean isFrom(String range, @Nullable String peer, Function<String, Enumeration<String>> headers) {
		AddressRange asked = AddressRange.parse(range);
		FoundClient client = (peer != null) ? find(peer, headers) : null;
		return asked != null && client != null && client.mayBe(asked::contains);
	}

	/**
	 * Writes an address that somebody typed as {@link #resolve} would find it.
	 * @param text an address, perhaps in brackets or with the length of the prefix
	 * @return the address of a client, or the text if it is not an address, or is another
	 * prefix than clients have
	 */
	public String normalize(String text) {
		int slash = text.indexOf('/');
		if (slash < 0) {
			IpAddress address = IpAddress.parseNode(text);
			return (address != null) ? address.text(this.ipv6Prefix) : text;
		}

		IpAddress address = IpAddress.parseNode(text.substring(0, slash));
		boolean ofClient = text.substring(slash + 1).equals(Integer.toString(this.ipv6Prefix));
		if (address == null || !address.isV6() || !ofClient) {
			return text;
		}
		return address.text(this.ipv6Prefix);
	}

	/*
	 * What applies forwarded headers before us passes on whatever stood there: garbage,
	 * or an address with a port, around which Spring puts the brackets of IPv6.
	 */
	private static @Nullable IpAddress parsePeer(String peer) {
		IpAddress address = IpAddress.parseNode(peer);
		if (address == null && peer.startsWith("[") && peer.endsWith("]")) {
			return IpAddress.parseNode(peer.substring(1, peer.length() - 1));
		}
		return address;
	}

	/**
	 * A header in which trusted proxies note for whom they forward a request.
	 */
	interface ClientHeader {

		/**
		 * Returns the header's name, for people.
		 */
		String name();

		/**
		 * Finds the client of a request that a trusted proxy forwarded.
		 * @param proxy the proxy's address
		 * @param headers gives the lines of a request header
		 * @return the client's address, or the proxy's if the header does not say
		 */
		FoundClient client(IpAddress proxy, Function<String, Enumeration<String>> headers);

	}

	/**
	 * A header that holds the client's address and nothing else, such as
	 * {@code X-Real-IP}. The proxy sets it in place of whatever the client sent. One that
	 * is there twice, or that holds something else, was not set so, and is not believed.
	 */
	private static final class SingleAddressHeader implements ClientHeader {

		private static final Log logger = LogFactory.getLog(ClientAddressResolver.class);

		private final String name;

		/* Whether it was logged that it is not one address. */
		private final AtomicBoolean mentioned = new AtomicBoolean();

		SingleAddressHeader(String name) {
			this.name = name;
		}

		@Override
		public String name() {
			return this.name;
		}

		@Override
		public FoundClient client(IpAddress proxy, Function<String, Enumeration<String>> headers) {
			Enumeration<String> lines = headers.apply(this.name);
			if (!lines.hasMoreElements()) {
				return FoundClient.untold(proxy);
			}

			IpAddress address = IpAddress.parseNode(lines.nextElement());
			if (address != null && !lines.hasMoreElements()) {
				return FoundClient.told(address);
			}
			mention(proxy);
			return FoundClient.untold(proxy);
		}

		private void mention(IpAddress proxy) {
			if (this.mentioned.compareAndSet(false, true)) {
				logger.warn("The header " + this.name + " of a request that the trusted proxy " + proxy.text(128)
						+ " forwarded is not one address. The request counts as the proxy's own. The proxy must set the "
						+ "header in place of what the client sent.");
			}
		}

	}

}
