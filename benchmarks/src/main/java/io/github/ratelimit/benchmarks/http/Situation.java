package io.github.ratelimit.benchmarks.http;

/**
 * What becomes of the requests. Even where all are rejected, the day's first is allowed.
 */
enum Situation {

	ALLOWED("all allowed", 1_000_000_000, 200), REJECTED("all rejected", 1, 429);

	private final String title;

	private final int limit;

	private final int status;

	Situation(String title, int limit, int status) {
		this.title = title;
		this.limit = limit;
		this.status = status;
	}

	String title() {
		return this.title;
	}

	/**
	 * How many requests a day the server allows.
	 * @return the limit
	 */
	int limit() {
		return this.limit;
	}

	int status() {
		return this.status;
	}

}
