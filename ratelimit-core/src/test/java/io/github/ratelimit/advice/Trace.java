package io.github.ratelimit.advice;

import java.util.Arrays;
import java.util.PriorityQueue;
import java.util.Random;

/**
 * Requests of many callers, in the order of their time, from a seed.
 */
final class Trace {

	private static final double DAY = 86_400;

	private static final double HOUR = 3600;

	private Trace() {
	}

	/**
	 * Callers who are the less active the higher their number, at any time.
	 */
	static void zipf(long seed, int callers, int requests, Sink sink) {
		Random random = new Random(seed);
		double[] sums = zipf(callers, 1);
		double time = 0;
		for (int i = 0; i < requests; i++) {
			time += exponential(random) * HOUR / requests;
			sink.request(time, key(pick(sums, random)), 1);
		}
	}

	/**
	 * Callers who come for a visit of some pages, each with a burst of requests, in the
	 * day more than at night.
	 */
	static void diurnal(long seed, int callers, Sink sink) {
		Random random = new Random(seed);
		PriorityQueue<Visit> visits = new PriorityQueue<>();
		for (int i = 0; i < callers; i++) {
			double start;
			do {
				start = random.nextDouble() * DAY;
			}
			while (random.nextDouble() > 0.55 - 0.45 * Math.cos(2 * Math.PI * start / DAY));
			visits.add(new Visit(start, key(i), 1 + (int) (exponential(random) * 4), 0));
		}
		while (!visits.isEmpty()) {
			Visit visit = visits.remove();
			sink.request(visit.time, visit.key, 1 + random.nextInt(2));
			if (visit.requests > 0) {
				visits
					.add(new Visit(visit.time + exponential(random) * 0.2, visit.key, visit.pages, visit.requests - 1));
			}
			else if (visit.pages > 0) {
				visits.add(new Visit(visit.time + exponential(random) * 40, visit.key, visit.pages - 1,
						(int) (exponential(random) * 8)));
			}
		}
	}

	/**
	 * Callers as those of {@link #zipf}, and among them some who try again at once as
	 * long as they are on, now and then.
	 */
	static void bots(long seed, int callers, int requests, int bots, Sink sink) {
		Random random = new Random(seed);
		double[] sums = zipf(callers, 0.8);
		PriorityQueue<Visit> retries = new PriorityQueue<>();
		for (int i = 0; i < bots; i++) {
			retries.add(new Visit(random.nextDouble() * DAY, "bot-" + i, random.nextInt(3), 150));
		}
		double time = 0;
		for (int i = 0; i < requests; i++) {
			time += exponential(random) * DAY / requests;
			while (!retries.isEmpty() && retries.element().time < time) {
				Visit bot = retries.remove();
				sink.request(bot.time, bot.key, 1);
				if (bot.requests > 0) {
					retries.add(new Visit(bot.time + 0.05 + exponential(random) * 0.2, bot.key, bot.pages,
							bot.requests - 1));
				}
				else if (bot.pages > 0) {
					retries.add(new Visit(bot.time + exponential(random) * 7200, bot.key, bot.pages - 1, 150));
				}
			}
			sink.request(time, key(pick(sums, random)), 1);
		}
	}

	/**
	 * Callers who come once, with some requests at a time, and callers as those of
	 * {@link #zipf} among them, who make some requests.
	 */
	static void crowd(long seed, int passersBy, int regulars, int requests, Sink sink) {
		Random random = new Random(seed);
		double[] sums = zipf(regulars, 1);
		for (int i = 0; i < passersBy; i++) {
			double time = i * (DAY / passersBy);
			sink.passerBy(time, "passer-by-" + i, 1 + (int) (exponential(random) * 1.3));
			if (random.nextInt(passersBy) < requests) {
				sink.request(time, key(pick(sums, random)), 1);
			}
		}
	}

	private static double[] zipf(int callers, double exponent) {
		double[] sums = new double[callers];
		double sum = 0;
		for (int i = 0; i < callers; i++) {
			sum += Math.pow(i + 1, -exponent);
			sums[i] = sum;
		}
		return sums;
	}

	private static int pick(double[] sums, Random random) {
		int found = Arrays.binarySearch(sums, random.nextDouble() * sums[sums.length - 1]);
		return (found < 0) ? -found - 1 : found;
	}

	private static double exponential(Random random) {
		return -Math.log(1 - random.nextDouble());
	}

	private static String key(int number) {
		return "caller-" + number;
	}

	/**
	 * Takes the requests.
	 */
	interface Sink {

		void request(double seconds, String key, long permits);

		/**
		 * All requests of a caller, at once.
		 */
		void passerBy(double seconds, String key, int requests);

	}

	private record Visit(double time, String key, int pages, int requests) implements Comparable<Visit> {

		@Override
		public int compareTo(Visit other) {
			return Double.compare(this.time, other.time);
		}

	}

}
