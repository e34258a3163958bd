package io.github.ratelimit.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.github.ratelimit.actuate.SharedCounts.Other;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import io.github.ratelimit.store.SharedOverrides;
import io.github.ratelimit.store.SharedOverrides.PublishedReport;
import io.github.ratelimit.support.ReadableText;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Publishes what this instance has counted, where a store shares it, and reads what the
 * others have when somebody asks. While the store cannot be asked, what was read last
 * stays.
 */
final class InstanceReports {

	private static final Log logger = LogFactory.getLog(InstanceReports.class);

	/* The others publish no more often. */
	private static final Duration FRESH = Duration.ofSeconds(1);

	private final String process = UUID.randomUUID().toString();

	private final StoreRateLimiterRegistry registry;

	private final RunningInstance instance;

	private final RateLimitHistory history;

	private final @Nullable SharedOverrides shared;

	private volatile @Nullable Instant publishedAt;

	private SharedCounts lastRead = new SharedCounts(null, List.of());

	private boolean warned;

	/**
	 * Creates the reports, and has that of this instance published.
	 * @param registry has the limiters whose counters are read, and the store
	 * @param instance this instance
	 * @param history has what was counted lately
	 */
	InstanceReports(StoreRateLimiterRegistry registry, RunningInstance instance, RateLimitHistory history) {
		this.registry = registry;
		this.instance = instance;
		this.history = history;
		this.shared = registry.store().sharedOverrides();
		if (this.shared != null) {
			this.shared.publish(this::report);
		}
	}

	private SharedOverrides.@Nullable Report report() {
		if (!this.instance.isNamed()) {
			return null;
		}
		Instant now = this.instance.moment();
		this.publishedAt = now;

		Map<String, PolicyCounts> policies = new LinkedHashMap<>();
		for (StoreRateLimiter limiter : this.registry.policies()) {
			PolicyCounts counts = PolicyCounts.of(limiter, this.history.recent(limiter.policy().name()));
			if (!counts.isEmpty()) {
				policies.put(limiter.policy().name(), counts);
			}
		}
		Duration uptime = Duration.between(this.instance.startedAt(), now);
		return new SharedOverrides.Report(this.instance.name(),
				new InstanceReport(this.process, uptime, policies).write());
	}

	/**
	 * What the other instances have counted.
	 * @return the counts, or {@code null} if instances share no store that has them
	 */
	synchronized @Nullable SharedCounts read() {
		if (this.shared == null) {
			return null;
		}
		Instant now = this.instance.moment();
		if (isOld(now) && isAvailable()) {
			try {
				List<PublishedReport> reports = this.shared.reports();
				if (reports == null) {
					return null;
				}
				this.lastRead = new SharedCounts(now, others(reports, now));
			}
			catch (RuntimeException ex) {
				logger.debug("What other instances have counted could not be read", ex);
			}
		}
		return this.lastRead;
	}

	private boolean isOld(Instant now) {
		Instant asOf = this.lastRead.asOf();
		return asOf == null || !now.isBefore(asOf.plus(FRESH));
	}

	/* Whoever looks does not wait for a store that is known not to answer. */
	private boolean isAvailable() {
		RateLimitStoreAvailability availability = this.registry.store().availability();
		return availability == null || availability.isAvailable();
	}

	private List<Other> others(List<PublishedReport> reports, Instant now) {
		List<Other> others = new ArrayList<>();
		for (PublishedReport report : reports) {
			try {
				InstanceReport read = InstanceReport.read(report.text());
				Instant publishedAt = now.minus(report.age());
				if (!report.instance().equals(this.instance.name())) {
					others.add(new Other(report.instance(), publishedAt.minus(read.uptime()), publishedAt,
							read.policies()));
				}
				else if (isOfAnother(read, publishedAt)) {
					warnOfSameName();
				}
			}
			catch (RuntimeException ex) {
				logger.debug("What the instance '" + ReadableText.of(report.instance())
						+ "' has published is not as this version of the application writes it", ex);
			}
		}
		return others;
	}

	/* The process that had the name before this one has published before. */
	private boolean isOfAnother(InstanceReport report, Instant publishedAt) {
		Instant own = this.publishedAt;
		return !report.process().equals(this.process) && own != null && publishedAt.isAfter(own);
	}

	private void warnOfSameName() {
		if (!this.warned) {
			this.warned = true;
			logger.warn("Another instance of the application is called '" + this.instance.name()
					+ "', too, so that what both count is not added up. Set ratelimit.instance to another name for each");
		}
	}

}
