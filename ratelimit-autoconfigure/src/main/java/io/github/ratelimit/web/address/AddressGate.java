package io.github.ratelimit.web.address;

import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

import io.github.ratelimit.RateLimitIntervention.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Decides on a request by its client's address, as operators have decided. There is one
 * only while something is in force, and it does not change.
 *
 * @since 0.1.0
 */
public final class AddressGate {

	/**
	 * Name of the attribute that a request has which was decided on, while rules are
	 * watched: it says nothing of them.
	 */
	public static final String DECIDED = AddressGate.class.getName();

	private final ClientAddressResolver clientAddresses;

	private final AddressRanges denied;

	private final AddressRanges exempt;

	private final LongAdder denials;

	private final LongAdder exemptions;

	/**
	 * Creates a gate.
	 * @param clientAddresses finds the client's address
	 * @param denied whose requests are denied
	 * @param exempt whose requests no policy limits
	 * @param denials counts the former
	 * @param exemptions counts the latter
	 */
	AddressGate(ClientAddressResolver clientAddresses, AddressRanges denied, AddressRanges exempt, LongAdder denials,
			LongAdder exemptions) {
		this.clientAddresses = clientAddresses;
		this.denied = denied;
		this.exempt = exempt;
		this.denials = denials;
		this.exemptions = exemptions;
	}

	/**
	 * Decides on a request, and counts it.
	 * @param peer the connection's other end
	 * @param headers gives the lines of a request header
	 * @return what was decided of its client, or {@code null} if nothing was
	 */
	public @Nullable Kind decide(@Nullable InetSocketAddress peer, Function<String, List<String>> headers) {
		String host = (peer != null) ? peer.getHostString() : null;
		return decide(host, (name) -> Collections.enumeration(headers.apply(name)));
	}

	/**
	 * Decides on a request, and counts it.
	 * @param peer the address of the connection's other end
	 * @param headers gives the lines of a request header
	 * @return what was decided of its client, or {@code null} if nothing was
	 */
	public @Nullable Kind decide(@Nullable String peer, Function<String, Enumeration<String>> headers) {
		FoundClient client = (peer != null) ? this.clientAddresses.find(peer, headers) : null;
		if (client == null) {
			return null;
		}
		if (client.mayBe(this.denied::contain)) {
			this.denials.increment();
			return Kind.DENY;
		}
		// a client that cannot be told from its proxy would pass with whatever it asks
		if (client.certain() && this.exempt.contain(client.address())) {
			this.exemptions.increment();
			return Kind.EXEMPT;
		}
		return null;
	}

}
