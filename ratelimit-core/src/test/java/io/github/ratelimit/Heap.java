package io.github.ratelimit;

import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;

import javax.management.JMException;
import javax.management.ObjectName;

/**
 * What is reachable in this process, by class.
 */
public final class Heap {

	/* What the collector puts where nothing is left. */
	private static final String FILLER = "jdk.internal.vm.Filler";

	private static final String[] SIGNATURE = { String[].class.getName() };

	/* As it was answered, so that what was counted is no large part of what is. */
	private final String histogram;

	private Heap(String histogram) {
		this.histogram = histogram;
	}

	/**
	 * Collects garbage and counts what is left.
	 */
	public static Heap now() {
		return new Heap(histogram());
	}

	private static String histogram() {
		try {
			return (String) ManagementFactory.getPlatformMBeanServer()
				.invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
						new Object[] { new String[0] }, SIGNATURE);
		}
		catch (JMException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * How many more objects of each class there are than before.
	 */
	public Map<String, Long> growth(Heap before) {
		Map<String, Long> growth = new HashMap<>();
		Map<String, Long> earlier = before.instances();
		instances().forEach((type, count) -> growth.put(type, count - earlier.getOrDefault(type, 0L)));
		return growth;
	}

	private Map<String, Long> instances() {
		Map<String, Long> instances = new HashMap<>();
		this.histogram.lines().map((line) -> line.strip().split("\\s+")).forEach((columns) -> {
			if (columns[0].matches("\\d+:") && !columns[3].contains(FILLER)) {
				instances.merge(columns[3], Long.parseLong(columns[1]), Long::sum);
			}
		});
		return instances;
	}

}
