package io.github.ratelimit.policy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitIntervention;
import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.RateLimitIntervention.Target;
import io.github.ratelimit.RateLimitInterventions;
import io.github.ratelimit.RateLimitOverrideException;
import io.github.ratelimit.RateLimitOverrideException.Reason;
import io.github.ratelimit.store.SharedOverrides;
import org.jspecify.annotations.Nullable;

/**
 * The interventions of a registry's policies and of addresses. Instances share them as
 * they share overrides: beside these in the store, read with the same call, by the same
 * time, and changed under the same lock. Those that are configured are this instance's.
 */
final class PolicyInterventions implements RateLimitInterventions {

	private final List<Consumer<InterventionChange>> observers = new CopyOnWriteArrayList<>();

	private final List<Runnable> addressObservers = new CopyOnWriteArrayList<>();

	/* Both are never changed, but replaced under the lock of overrides. */
	private volatile Map<Target, InForce> entries = Map.of();

	private volatile Map<Target, InForce> configured = Map.of();

	private volatile @Nullable AddressInterventions addresses;

	private final OverrideLog ignored = new OverrideLog();

	/* It has the lock, the time and what instances share. */
	private final PolicyOverrides overrides;

	private final Map<String, StoreRateLimiter> limiters;

	private final int maximum;

	/**
	 * Creates interventions of which none is in force.
	 * @param overrides shares what they change
	 * @param limiters the policies by name
	 * @param maximum how many may be in force
	 */
	PolicyInterventions(PolicyOverrides overrides, Map<String, StoreRateLimiter> limiters, int maximum) {
		this.overrides = overrides;
		this.limiters = limiters;
		this.maximum = maximum;
	}

	void observe(Consumer<InterventionChange> observer) {
		this.observers.add(observer);
	}

	@Override
	public InForce put(RateLimitIntervention intervention) {
		Target target = canonical(intervention.target());
		RateLimitIntervention checked = new RateLimitIntervention(target, intervention.duration(),
				intervention.reason(), intervention.who());
		synchronized (this.overrides) {
			this.overrides.readChanges();
			Instant since = this.overrides.moment();
			Duration duration = checked.duration();
			write(target, InterventionText.write(checked, since), duration);

			Instant until = (duration != null) ? this.overrides.moment().plus(duration) : null;
			InForce inForce = new InForce(checked, since, until, false);
			Map<Target, InForce> entries = new LinkedHashMap<>(this.entries);
			entries.put(target, inForce);
			replaceEntries(entries, target);
			report(new InterventionChange(inForce, false, checked.who()));
			return inForce;
		}
	}

	@Override
	public @Nullable InForce remove(Target target, @Nullable String who) {
		Target checked = canonical(target);
		synchronized (this.overrides) {
			this.overrides.readChanges();
			InForce removed = find(checked);
			// the store is asked in any case, because it may not have been readable
			write(checked, null, null);
			if (removed == null) {
				checkNotConfigured(checked);
				return null;
			}

			Map<Target, InForce> entries = new LinkedHashMap<>(this.entries);
			entries.remove(checked);
			replaceEntries(entries, checked);
			report(new InterventionChange(removed, true, who));
			return removed;
		}
	}

	private void checkNotConfigured(Target target) {
		if (this.configured.containsKey(target)) {
			String word = target.kind().name().toLowerCase(Locale.ROOT);
			String attribute = (target.key() != null) ? "key" : "address";
			String value = (target.key() != null) ? target.key() : target.address();
			throw new InvalidRateLimitException(attribute, '"' + value + '"', "is configured, and not taken back so",
					"Remove it from the properties under ratelimit." + word + ", and start the application again.");
		}
	}

	/**
	 * The target as it is compared.
	 * @throws InvalidRateLimitException if there is no such policy or address
	 */
	Target canonical(Target target) {
		String address = target.address();
		if (address != null) {
			return Target.ofAddress(target.kind(), addresses(address).canonical(address));
		}
		if (!this.limiters.containsKey(target.policy())) {
			throw InvalidRateLimitException.unknownPolicy(String.valueOf(target.policy()), this.limiters.keySet());
		}
		return target;
	}

	/*
	 * Where nothing serves requests over HTTP, addresses are kept as whoever has written
	 * them wrote them.
	 */
	private Target canonicalIfServed(Target target) {
		if (target.address() != null && this.addresses == null) {
			return target;
		}
		return canonical(target);
	}

	private AddressInterventions addresses(String address) {
		AddressInterventions addresses = this.addresses;
		if (addresses == null) {
			throw new InvalidRateLimitException("address", '"' + address + '"',
					"has no effect, because nothing here serves requests over HTTP", "Name a key of a policy.");
		}
		return addresses;
	}

	private void write(Target target, @Nullable String text, @Nullable Duration lasts) {
		boolean isOneMore = text != null && find(target) == null;
		boolean hasRoom = !isOneMore || size() < this.maximum;
		if (!hasRoom || !this.overrides.writeIntervention(InterventionText.name(target), text, lasts)) {
			throw new RateLimitOverrideException(Reason.FULL,
					"There are " + this.maximum + " bans, exemptions and denials already, which is the maximum. "
							+ "End one, or raise ratelimit.overrides.maximum-size",
					null, null);
		}
	}

	private void report(InterventionChange change) {
		InterventionLog.add(change);
		this.observers.forEach((observer) -> OverrideLog.notifyObserver(() -> observer.accept(change)));
	}

	/**
	 * Puts in force what the configuration says, in place of what it has said before.
	 */
	void configure(List<RateLimitIntervention> configured) {
		synchronized (this.overrides) {
			Instant since = this.overrides.moment();
			Map<Target, InForce> entries = new LinkedHashMap<>();
			for (RateLimitIntervention each : configured) {
				Target target = canonical(each.target());
				entries.put(target,
						new InForce(new RateLimitIntervention(target, null, each.reason(), null), since, null, true));
			}
			this.configured = Collections.unmodifiableMap(entries);
			publish();
		}
	}

	/**
	 * Has interventions about addresses enforced from now on.
	 */
	void enforce(AddressInterventions addresses) {
		synchronized (this.overrides) {
			this.addresses = addresses;
			publishAddresses();
		}
	}

	/**
	 * Puts in force what was read, in place of what was read before.
	 */
	void apply(Map<String, SharedOverrides.Entry> read) {
		replaceAll(interventions(read));
	}

	/**
	 * Puts in force what was read last about a policy that is defined only now. The
	 * others stay as they are.
	 */
	void applyTo(String policy, Map<String, SharedOverrides.Entry> read) {
		Map<Target, InForce> entries = interventions(read);
		entries.keySet().removeIf((target) -> !policy.equals(target.policy()));
		entries.putAll(this.entries);
		replaceAll(entries);
	}

	private Map<Target, InForce> interventions(Map<String, SharedOverrides.Entry> read) {
		Map<Target, InForce> entries = new LinkedHashMap<>();
		read.forEach((name, written) -> {
			try {
				if (InterventionText.isName(name)) {
					InForce inForce = InterventionText.read(name, written);
					entries.put(canonicalIfServed(inForce.intervention().target()), inForce);
				}
			}
			catch (RuntimeException ex) {
				this.ignored.ignoredIntervention(String.valueOf(ex.getMessage()));
			}
		});
		return entries;
	}

	private void replaceAll(Map<Target, InForce> entries) {
		entries.values().removeIf((inForce) -> this.overrides.hasEnded(inForce.until()));

		if (!entries.keySet().equals(this.entries.keySet())) {
			InterventionLog.read(entries.size());
		}
		if (!entries.equals(this.entries)) {
			this.entries = Collections.unmodifiableMap(entries);
			publish();
		}
	}

	/**
	 * Takes those out of the way that have ended.
	 */
	void forgetEnded() {
		Map<Target, InForce> left = new LinkedHashMap<>(this.entries);
		boolean some = left.values().removeIf((inForce) -> this.overrides.hasEnded(inForce.until()));
		if (some) {
			this.entries = Collections.unmodifiableMap(left);
			publish();
		}
	}

	private void replaceEntries(Map<Target, InForce> entries, Target changed) {
		this.entries = Collections.unmodifiableMap(entries);
		StoreRateLimiter limiter = (changed.policy() != null) ? this.limiters.get(changed.policy()) : null;
		if (limiter != null) {
			publish(limiter);
		}
		else {
			publishAddresses();
		}
	}

	private void publish() {
		Map<String, List<InForce>> byPolicy = new HashMap<>();
		all().forEach((inForce) -> {
			String policy = inForce.intervention().target().policy();
			if (policy != null) {
				byPolicy.computeIfAbsent(policy, (same) -> new ArrayList<>()).add(inForce);
			}
		});
		this.limiters.forEach((policy, limiter) -> limiter.effectivePolicies
			.intervene(byPolicy.getOrDefault(policy, List.of()), this.overrides::nanos));
		publishAddresses();
	}

	/**
	 * Puts those of the keys of one policy in force, where the others have not changed.
	 */
	void publish(StoreRateLimiter limiter) {
		String policy = limiter.policy().name();
		List<InForce> ofPolicy = all().filter((inForce) -> policy.equals(inForce.intervention().target().policy()))
			.toList();
		limiter.effectivePolicies.intervene(ofPolicy, this.overrides::nanos);
	}

	private void publishAddresses() {
		AddressInterventions addresses = this.addresses;
		if (addresses == null) {
			return;
		}
		List<InForce> ofAddresses = ofAddresses();
		if (!ofAddresses.isEmpty()) {
			this.addressObservers.forEach(OverrideLog::notifyObserver);
		}
		addresses.enforce(ofAddresses, this.overrides::nanos);
	}

	private List<InForce> ofAddresses() {
		return all().filter((inForce) -> inForce.intervention().target().address() != null).toList();
	}

	/**
	 * Has an observer notified once addresses are exempt or denied.
	 */
	void observeAddresses(Runnable observer) {
		synchronized (this.overrides) {
			this.addressObservers.add(observer);
			if (!ofAddresses().isEmpty()) {
				observer.run();
			}
		}
	}

	private Stream<InForce> all() {
		return Stream.concat(this.configured.values().stream(), this.entries.values().stream());
	}

	/**
	 * How many are in force that operators have decided.
	 */
	int size() {
		return this.entries.size();
	}

	@Override
	public @Nullable InForce find(Target target) {
		InForce inForce = this.entries.get(canonical(target));
		return (inForce != null && !this.overrides.hasEnded(inForce.until())) ? inForce : null;
	}

	@Override
	public List<InForce> inForce() {
		return all().filter((inForce) -> !this.overrides.hasEnded(inForce.until())).toList();
	}

	@Override
	public long requests(Kind kind) {
		long ofKeys = this.limiters.values().stream().mapToLong((limiter) -> limiter.intervened(kind)).sum();
		return ofKeys + addressRequests(kind);
	}

	/**
	 * How many requests were decided on by their address.
	 */
	long addressRequests(Kind kind) {
		AddressInterventions addresses = this.addresses;
		return (addresses != null) ? addresses.requests(kind) : 0;
	}

}
