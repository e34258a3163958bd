package io.github.ratelimit.findings;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what was found since the start, each code once for the same subject, and at most
 * a hundred findings.
 *
 * @since 0.1.0
 */
public final class RateLimitFindings {

	private static final int MAX_FINDINGS = 100;

	private static final String FULL = "There are " + MAX_FINDINGS
			+ " findings. Further ones are not kept, nor logged as findings, until the application starts again.";

	private static final Log logger = LogFactory.getLog(RateLimitFindings.class);

	private final Map<String, RateLimitFinding> findings = new LinkedHashMap<>();

	private final List<Consumer<FindingCode>> observers = new ArrayList<>();

	/* Whether something was found that is not kept. */
	private final AtomicBoolean full = new AtomicBoolean();

	/**
	 * Adds a finding, and logs it, if it is new and there are not too many already.
	 * @param code what it is
	 * @param policy the name of the policy that it concerns, or {@code null}
	 * @param subject what tells it from others of the same code, such as a rule
	 * @param message what was found
	 */
	public void report(FindingCode code, @Nullable String policy, String subject, String message) {
		if (!note(code, policy, subject, message)) {
			return;
		}
		String text = message + " " + code.action() + " (" + code.id() + ")";
		if (code.isWarning()) {
			logger.warn(text);
		}
		else {
			logger.info(text);
		}
	}

	/**
	 * Adds a finding that the log has already, if it is new and there are not too many.
	 * @param code what it is
	 * @param policy the name of the policy that it concerns, or {@code null}
	 * @param subject what tells it from others of the same code
	 * @param message what was found
	 * @return {@code false} if it was found before, or there are too many
	 */
	public boolean note(FindingCode code, @Nullable String policy, String subject, String message) {
		String name = code.id() + " " + subject;
		synchronized (this.findings) {
			if (this.findings.containsKey(name)) {
				return false;
			}
			if (this.findings.size() < MAX_FINDINGS) {
				this.findings.put(name, new RateLimitFinding(code, policy, message));
				this.observers.forEach((observer) -> observer.accept(code));
				return true;
			}
		}

		if (this.full.compareAndSet(false, true)) {
			logger.warn(FULL);
		}
		return false;
	}

	/**
	 * Has an observer told the code of each finding, also of those that there are.
	 * @param observer is called once for each finding, and must not fail
	 */
	public void observe(Consumer<FindingCode> observer) {
		synchronized (this.findings) {
			this.observers.add(observer);
			this.findings.values().forEach((finding) -> observer.accept(finding.code()));
		}
	}

	/**
	 * How many findings there are of a code.
	 * @param code the code
	 * @return the number since the start
	 */
	public long count(FindingCode code) {
		return list().stream().filter((finding) -> finding.code() == code).count();
	}

	/**
	 * All findings.
	 * @return the findings, the first ones first
	 */
	public List<RateLimitFinding> list() {
		synchronized (this.findings) {
			return List.copyOf(this.findings.values());
		}
	}

}
