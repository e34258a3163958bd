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

	private static final String[] SIGNATURE = { String[].class.getName() };

	private final Map<String, Long> instances = new HashMap<>();

	private long bytes;

	private Heap() {
	}

	/**
	 * Collects garbage and counts what is left.
	 */
	public static Heap now() {
		Heap heap = new Heap();
		histogram().lines().map(String::strip).map((line) -> line.split("\\s+")).forEach((columns) -> {
			if (columns[0].matches("\\d+:")) {
				heap.instances.merge(columns[3], Long.parseLong(columns[1]), Long::sum);
				heap.bytes += Long.parseLong(columns[2]);
			}
		});
		return heap;
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

	public long bytes() {
		return this.bytes;
	}

	/**
	 * How many more objects of a package's classes there are than before.
	 */
	public Map<String, Long> growth(Heap before, String prefix) {
		Map<String, Long> growth = new HashMap<>();
		this.instances.forEach((type, count) -> {
			long more = count - before.instances.getOrDefault(type, 0L);
			if (type.startsWith(prefix) && more > 0) {
				growth.put(type, more);
			}
		});
		return growth;
	}

}
