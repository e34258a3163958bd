package io.github.ratelimit.autoconfigure;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;

/**
 * A Java process that runs one program after the other, each with a class path of its own
 * and nothing else: what they leave behind ends with it.
 */
final class ProgramProcess {

	private static ProgramProcess running;

	private final Process process;

	private final DataOutputStream asked;

	private final DataInputStream answers;

	private ProgramProcess() throws IOException {
		this.process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx512m", "--add-opens=java.base/java.net=ALL-UNNAMED",
				"-cp", testClasses(), ProgramLoop.class.getName())
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		this.asked = new DataOutputStream(this.process.getOutputStream());
		this.answers = new DataInputStream(this.process.getInputStream());
	}

	private static String testClasses() {
		try {
			return Path.of(ProgramLoop.class.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
		}
		catch (URISyntaxException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * The process that runs, or else a new one.
	 */
	static synchronized ProgramProcess running() throws IOException {
		if (running == null || !running.process.isAlive()) {
			running = new ProgramProcess();
		}
		return running;
	}

	static synchronized void end() {
		if (running != null) {
			running.process.destroyForcibly();
			running = null;
		}
	}

	/**
	 * Runs a program.
	 * @return everything that it printed
	 */
	synchronized String run(String classPath, Class<?> program, String... arguments) throws IOException {
		ProgramLoop.write(this.asked, classPath);
		ProgramLoop.write(this.asked, program.getName());
		ProgramLoop.write(this.asked, String.join("\n", arguments));
		this.asked.flush();
		return ProgramLoop.read(this.answers);
	}

}
