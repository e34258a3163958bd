package io.github.ratelimit;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What one request was told by each policy on its way. All policies agree in the end, or
 * nothing stays taken: when one rejects, what the earlier ones gave is given back.
 * <p>
 * Belongs to one request and to one thread at a time.
 */
public final class PermitLedger {

	/* Never changed, but replaced: nearly always it is of one entry. */
	private List<Entry> entries = List.of();

	private final RateLimitClock clock;

	private @Nullable Entry rejection;

	private long readyAtNanos = Long.MIN_VALUE;

	/**
	 * Creates an empty ledger.
	 * @param clock this process' clock, by which delays are waited for
	 */
	public PermitLedger(RateLimitClock clock) {
		this.clock = clock;
	}

	/**
	 * Asks several policies, in order, for permits from all or none.
	 * @param requests what to ask of each policy; those of one policy and key are asked
	 * one after the other
	 * @return {@code true} if all agreed; {@code false} if one rejected, which
	 * {@link #rejection()} then tells, and everything in this ledger was given back
	 */
	public boolean take(List<PermitRequest> requests) {
		PermitRequest hopeless = (requests.size() > 1) ? firstWithout(requests) : null;
		if (hopeless != null && !take(hopeless)) {
			return false;
		}
		for (int i = 0; i < requests.size(); i++) {
			PermitRequest request = requests.get(i);
			if (request != hopeless && !take(request)) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Asks several policies as {@link #take} does, but counts once what a request meets
	 * in more than one place: of a policy and key that has given permits already, only
	 * those beyond are asked for.
	 * @param requests what to ask of each policy
	 * @return {@code true} if all agreed; {@code false} if one rejected, as {@link #take}
	 */
	public boolean takeOnce(List<PermitRequest> requests) {
		if (this.entries.isEmpty() && requests.size() == 1) {
			return take(requests);
		}
		List<PermitRequest> missing = new ArrayList<>(requests.size());
		for (int i = 0; i < requests.size(); i++) {
			PermitRequest request = requests.get(i);
			long permits = request.permits() - taken(request, missing);
			if (permits == request.permits()) {
				missing.add(request);
			}
			else if (permits > 0) {
				missing.add(new PermitRequest(request.limiter(), request.key(), permits));
			}
		}
		return take(missing);
	}

	private long taken(PermitRequest request, List<PermitRequest> soon) {
		long taken = 0;
		for (int i = 0; i < this.entries.size(); i++) {
			PermitRequest earlier = this.entries.get(i).request();
			taken += isSameState(earlier, request) ? earlier.permits() : 0;
		}
		for (int i = 0; i < soon.size(); i++) {
			taken += isSameState(soon.get(i), request) ? soon.get(i).permits() : 0;
		}
		return taken;
	}

	private static boolean isSameState(PermitRequest one, PermitRequest other) {
		return one.limiter() == other.limiter() && one.key().equals(other.key());
	}

	/*
	 * Looking first keeps a request that a later policy rejects from writing to the
	 * earlier ones, so that an attacker cannot buy work with it.
	 */
	private static @Nullable PermitRequest firstWithout(List<PermitRequest> requests) {
		for (PermitRequest request : requests) {
			if (request.limiter().decide(request.key(), 0).remaining() < request.permits()) {
				return request;
			}
		}
		return null;
	}

	private boolean take(PermitRequest request) {
		Entry entry = new Entry(request, request.limiter().decide(request.key(), request.permits()));
		if (entry.decision().allowed()) {
			add(entry);
			long delay = entry.decision().delayNanos();
			if (delay > 0) {
				this.readyAtNanos = Math.max(this.readyAtNanos, this.clock.nanos() + delay);
			}
			return true;
		}
		giveBack();
		add(entry);
		this.rejection = entry;
		return false;
	}

	private void add(Entry entry) {
		if (this.entries.isEmpty()) {
			this.entries = List.of(entry);
			return;
		}
		List<Entry> more = new ArrayList<>(this.entries.size() + 1);
		more.addAll(this.entries);
		more.add(entry);
		this.entries = Collections.unmodifiableList(more);
	}

	/*
	 * The last is given back first: a place in a queue can be given back only by the last
	 * in it.
	 */
	private void giveBack() {
		this.readyAtNanos = Long.MIN_VALUE;
		for (int i = this.entries.size() - 1; i >= 0; i--) {
			PermitRequest request = this.entries.get(i).request();
			request.limiter().giveBack(request.key(), request.permits(), this.entries.get(i).decision());
		}
		this.entries = this.entries.stream()
			.map((entry) -> new Entry(entry.request(), entry.request().limiter().decide(entry.request().key(), 0)))
			.toList();
	}

	/**
	 * What the policies said.
	 * @return an entry for each policy that was asked and answered, in order
	 */
	public List<Entry> entries() {
		return this.entries;
	}

	/**
	 * The entry that ended the request.
	 * @return the rejection, or {@code null} if all policies agreed
	 */
	public @Nullable Entry rejection() {
		return this.rejection;
	}

	/**
	 * How long the request must still wait.
	 * @return nanoseconds until the last of the delays is over, or 0
	 */
	public long delayNanos() {
		return (this.readyAtNanos != Long.MIN_VALUE) ? Math.max(0, this.readyAtNanos - this.clock.nanos()) : 0;
	}

	/**
	 * What one policy was asked and said.
	 *
	 * @param request the question
	 * @param decision the answer; after another policy's rejection, the standing after
	 * everything was given back
	 */
	public record Entry(PermitRequest request, RateLimitDecision decision) {
	}

}
