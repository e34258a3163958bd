package io.github.ratelimit.benchmarks.startup;

import java.lang.management.ManagementFactory;
import java.util.Map;

import com.sun.management.OperatingSystemMXBean;
import io.github.ratelimit.benchmarks.process.ParentProcess;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Starts an application, tells that it is ready, and what it took.
 */
public final class StartedProcess {

	/** The subject that is printed once the application is ready. */
	static final String READY = "ready";

	/** The subject of the CPU time that it took, in nanoseconds. */
	static final String CPU = "cpu";

	/** The subject of the number of classes that were loaded. */
	static final String CLASSES = "classes";

	/** The subject of the bytes in use after a collection. */
	static final String HEAP = "heap";

	private StartedProcess() {
	}

	/**
	 * Runs.
	 * @param arguments the application's class, and what it is to be started with
	 * @throws Exception if it cannot be started
	 */
	public static void main(String[] arguments) throws Exception {
		Class<?> application = Class.forName(arguments[0]);
		ConfigurableApplicationContext context = SpringApplication.run(application, arguments);
		ParentProcess.tell(READY);
		ParentProcess
			.serve(Map.of(CPU, StartedProcess::cpu, CLASSES, StartedProcess::classes, HEAP, StartedProcess::heap));
		context.close();
	}

	private static long[] cpu() {
		return new long[] {
				((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime() };
	}

	private static long[] classes() {
		return new long[] { ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount() };
	}

	private static long[] heap() {
		System.gc();
		return new long[] { ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() };
	}

}
