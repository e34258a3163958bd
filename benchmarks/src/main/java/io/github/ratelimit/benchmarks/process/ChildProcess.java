package io.github.ratelimit.benchmarks.process;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A Java process that tells its parent what it measures in itself. It ends with its
 * parent, however that ends: see {@link ParentProcess}.
 */
public final class ChildProcess implements AutoCloseable {

	private static final int GRACE_SECONDS = 10;

	private final Process process;

	private final BufferedReader said;

	private final BufferedWriter asked;

	private ChildProcess(Process process) {
		this.process = process;
		this.said = process.inputReader();
		this.asked = process.outputWriter();
	}

	/**
	 * Starts a process.
	 * @param classPath its class path
	 * @param options options of the {@code java} command
	 * @param main the class to run, which calls {@link ParentProcess}
	 * @param arguments its arguments
	 * @return the process, which may not have reached its main method yet
	 * @throws IOException if there is no such process
	 */
	public static ChildProcess start(ClassPath classPath, List<String> options, Class<?> main, List<String> arguments)
			throws IOException {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(options);
		command.addAll(List.of("-classpath", classPath.toString(), main.getName()));
		command.addAll(arguments);
		return new ChildProcess(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
	}

	/**
	 * Waits for figures that the process was asked for, or tells unasked.
	 * @param subject what they are about
	 * @return the figures
	 * @throws IOException if the process ends without telling
	 */
	public long[] await(String subject) throws IOException {
		StringBuilder other = new StringBuilder();
		for (String line = this.said.readLine(); line != null; line = this.said.readLine()) {
			if (line.startsWith(ParentProcess.MARK + subject + " ")) {
				String figures = line.substring(ParentProcess.MARK.length() + subject.length() + 1);
				return Arrays.stream(figures.split(" "))
					.filter((figure) -> !figure.isEmpty())
					.mapToLong(Long::parseLong)
					.toArray();
			}
			other.append(line).append(System.lineSeparator());
		}
		throw new IOException("The process ended without telling its " + subject + ": " + other);
	}

	/**
	 * Asks for figures.
	 * @param subject what they are about
	 * @return the figures
	 * @throws IOException if the process is gone
	 */
	public long[] ask(String subject) throws IOException {
		this.asked.write(subject);
		this.asked.newLine();
		this.asked.flush();
		return await(subject);
	}

	@Override
	public void close() throws IOException {
		this.asked.close();
		try {
			if (!this.process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) {
				this.process.destroyForcibly().waitFor();
			}
		}
		catch (InterruptedException ex) {
			this.process.destroyForcibly();
			Thread.currentThread().interrupt();
		}
	}

}
