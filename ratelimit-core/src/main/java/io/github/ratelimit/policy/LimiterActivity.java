package io.github.ratelimit.policy;

import java.util.EnumSet;
import java.util.Set;

import io.github.ratelimit.RateLimitIntervention.Kind;
import org.jspecify.annotations.Nullable;

/**
 * What a limiter has begun to do since the start, also under a plan or an override, for
 * those who count and for those who wait. It stays so, because what was counted stays.
 */
final class LimiterActivity {

	private volatile boolean enforced;

	private volatile boolean informed;

	private volatile boolean delaying;

	private volatile Set<Kind> interventions = Set.of();

	private volatile @Nullable Runnable observer;

	/**
	 * Notes that numbers are in force.
	 * @return whether something begins with them
	 */
	boolean note(EffectivePolicy effective) {
		boolean enforcesFirst = !this.enforced && effective.isEnforced();
		boolean informsFirst = !this.informed && effective.isInforming();
		boolean delaysFirst = !this.delaying && effective.policy.delays();

		if (enforcesFirst) {
			this.enforced = true;
		}
		if (informsFirst) {
			this.informed = true;
		}
		if (delaysFirst) {
			this.delaying = true;
		}
		return enforcesFirst || informsFirst || delaysFirst;
	}

	/**
	 * Notes what operators decide of keys.
	 * @return whether they decide something for the first time
	 */
	boolean note(Set<Kind> interventions) {
		Set<Kind> known = this.interventions;
		if (known.containsAll(interventions)) {
			return false;
		}
		Set<Kind> all = EnumSet.copyOf(interventions);
		all.addAll(known);
		this.interventions = all;
		return true;
	}

	/**
	 * Has an observer notified when something begins.
	 */
	void observe(Runnable observer) {
		this.observer = observer;
	}

	void notifyObserver() {
		Runnable observer = this.observer;
		if (observer != null) {
			observer.run();
		}
	}

	boolean hasEnforced() {
		return this.enforced;
	}

	boolean hasInformed() {
		return this.informed;
	}

	boolean isDelaying() {
		return this.delaying;
	}

	boolean isIntervening(Kind kind) {
		return this.interventions.contains(kind);
	}

}
