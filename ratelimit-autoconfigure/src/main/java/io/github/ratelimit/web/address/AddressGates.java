package io.github.ratelimit.web.address;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitIntervention;
import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.RateLimitInterventions;
import io.github.ratelimit.policy.AddressInterventions;
import org.jspecify.annotations.Nullable;

/**
 * Makes a gate of what operators have decided of addresses, whenever that changes.
 *
 * @since 0.1.0
 */
public final class AddressGates implements AddressInterventions {

	private final ClientAddressResolver clientAddresses;

	private final Consumer<@Nullable AddressGate> enforced;

	private final LongAdder denials = new LongAdder();

	private final LongAdder exemptions = new LongAdder();

	/**
	 * Creates gates.
	 * @param clientAddresses finds the client's address
	 * @param enforced is given the gate that requests pass from now on, or {@code null}
	 * if nothing is in force
	 */
	public AddressGates(ClientAddressResolver clientAddresses, Consumer<@Nullable AddressGate> enforced) {
		this.clientAddresses = clientAddresses;
		this.enforced = enforced;
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * An IPv6 address alone stands for its client, who has the network around it.
	 */
	@Override
	public String canonical(String address) {
		AddressRange range = this.clientAddresses.range(address.strip());
		if (range == null) {
			throw new InvalidRateLimitException("address", '"' + address + '"',
					"is neither an IP address nor a range of them",
					"Use an address such as 192.0.2.1, or a CIDR range such as 10.0.0.0/8 or fd00::/8. "
							+ "Host names are not resolved.");
		}
		if (range.bits() == 0) {
			throw new InvalidRateLimitException("address", '"' + address + '"', "is every address there is",
					"Name those that are meant. To turn all limits off, set ratelimit.enabled to false.");
		}
		return range.canonical().text();
	}

	@Override
	public void enforce(List<RateLimitInterventions.InForce> inForce, RateLimitClock clock) {
		AddressRanges denied = new AddressRanges(clock);
		AddressRanges exempt = new AddressRanges(clock);
		for (RateLimitInterventions.InForce each : inForce) {
			RateLimitIntervention.Target target = each.intervention().target();
			AddressRange range = AddressRange.parse(Objects.requireNonNull(target.address()));
			AddressRanges ranges = (target.kind() == Kind.DENY) ? denied : exempt;
			ranges.add(Objects.requireNonNull(range), each.endNanos());
		}

		AddressGate gate = null;
		if (!denied.isEmpty() || !exempt.isEmpty()) {
			gate = new AddressGate(this.clientAddresses, denied, exempt, this.denials, this.exemptions);
		}
		this.enforced.accept(gate);
	}

	@Override
	public long requests(Kind kind) {
		return switch (kind) {
			case DENY -> this.denials.sum();
			case EXEMPT -> this.exemptions.sum();
			case BAN -> 0;
		};
	}

}
