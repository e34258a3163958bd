package io.github.ratelimit.enforce;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Takes permits for one request from policies that are asked one after the other.
 */
final class SeparatePermits {

	private SeparatePermits() {
	}

	/**
	 * Takes from all policies or from none.
	 * @param requests what to take, in order
	 * @param waiting whether a policy may delay the request
	 * @param acquisition where to add what each policy says
	 * @return whether all policies allow
	 */
	static boolean take(List<PermitRequest> requests, Waiting waiting, Acquisition acquisition) {
		PermitRequest hopeless = (requests.size() > 1) ? firstWithout(requests, waiting) : null;
		if (hopeless != null && !take(hopeless, waiting, acquisition)) {
			return false;
		}
		for (int i = 0; i < requests.size(); i++) {
			PermitRequest request = requests.get(i);
			if (request != hopeless && !take(request, waiting, acquisition)) {
				return false;
			}
		}
		return true;
	}

	/*
	 * A look at all policies first keeps a request that a later policy rejects from
	 * writing to the earlier ones, so that an attacker cannot buy work with it.
	 */
	private static @Nullable PermitRequest firstWithout(List<PermitRequest> requests, Waiting waiting) {
		for (PermitRequest request : requests) {
			if (request.version().decide(request.key(), 0, waiting.isAskedAtOnce(request)).remaining() < request
				.permits()) {
				return request;
			}
		}
		return null;
	}

	private static boolean take(PermitRequest request, Waiting waiting, Acquisition acquisition) {
		return acquisition.add(request.ask(waiting.isAskedAtOnce(request)));
	}

	/**
	 * Gives back what was taken. The last is given back first: a place in a queue can be
	 * given back only by the last in it.
	 * @param entries what was taken, in order
	 * @return how each policy stands then
	 */
	static List<Acquisition.Entry> giveBack(List<Acquisition.Entry> entries) {
		for (int i = entries.size() - 1; i >= 0; i--) {
			Acquisition.Entry entry = entries.get(i);
			if (entry.taken() > 0) {
				PermitRequest request = entry.request();
				request.version().giveBack(request.key(), entry.taken(), entry.decision());
			}
		}
		return entries.stream().map((entry) -> look(entry.request())).toList();
	}

	private static Acquisition.Entry look(PermitRequest request) {
		return new Acquisition.Entry(request.asLook(), request.version().look(request.key()));
	}

}
