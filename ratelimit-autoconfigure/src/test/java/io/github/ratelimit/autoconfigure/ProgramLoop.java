package io.github.ratelimit.autoconfigure;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.logging.LogManager;

/**
 * What a {@link ProgramProcess} does: reads which program to run with which class path,
 * answers with what that has printed, and does so until there is nothing more to read.
 */
final class ProgramLoop {

	/* Hooks would keep the classes of each program to the end of the process. */
	private static final String[] ALWAYS = { "--spring.main.register-shutdown-hook=false",
			"--logging.register-shutdown-hook=false" };

	private static String loadedPath = "";

	private static URLClassLoader loaded = new URLClassLoader(new URL[0]);

	private ProgramLoop() {
	}

	public static void main(String[] arguments) throws Exception {
		DataInputStream asked = new DataInputStream(System.in);
		DataOutputStream answers = new DataOutputStream(System.out);
		try {
			while (true) {
				String printed = run(read(asked), read(asked), read(asked));
				write(answers, printed);
				answers.flush();
			}
		}
		catch (EOFException ex) {
			Runtime.getRuntime().halt(0);
		}
	}

	static void write(DataOutputStream out, String text) throws IOException {
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		out.writeInt(bytes.length);
		out.write(bytes);
	}

	static String read(DataInputStream in) throws IOException {
		return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
	}

	/*
	 * What the platform has but once is as in a new process.
	 */
	private static String run(String classPath, String program, String arguments) throws Exception {
		Properties before = (Properties) System.getProperties().clone();
		ByteArrayOutputStream printed = new ByteArrayOutputStream();
		PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
		System.setOut(out);
		System.setErr(out);
		LogManager.getLogManager().readConfiguration();
		URLClassLoader classes = classes(classPath);
		System.setProperty("java.class.path", classPath);
		try {
			/* Spring Boot reports failures in threads of this name only. */
			Thread thread = new Thread(() -> run(classes, program, arguments), "main");
			thread.setContextClassLoader(classes);
			thread.start();
			thread.join();
		}
		finally {
			System.setProperties(before);
		}
		return printed.toString(StandardCharsets.UTF_8);
	}

	/*
	 * Most of what a program takes is to load its classes.
	 */
	private static URLClassLoader classes(String classPath) throws Exception {
		if (!classPath.equals(loadedPath)) {
			loaded.close();
			forgetUrlHandlers();
			loaded = new URLClassLoader(urls(classPath), ClassLoader.getPlatformClassLoader());
			loadedPath = classPath;
		}
		return loaded;
	}

	/*
	 * Tomcat sets a factory, which can be done but once in a process.
	 */
	private static void forgetUrlHandlers() throws ReflectiveOperationException {
		Field factory = URL.class.getDeclaredField("factory");
		factory.setAccessible(true);
		factory.set(null, null);
		Field handlers = URL.class.getDeclaredField("handlers");
		handlers.setAccessible(true);
		((Map<?, ?>) handlers.get(null)).clear();
	}

	private static URL[] urls(String classPath) throws IOException {
		List<URL> urls = new ArrayList<>();
		for (String entry : classPath.split(File.pathSeparator)) {
			urls.add(Path.of(entry).toUri().toURL());
		}
		return urls.toArray(URL[]::new);
	}

	private static void run(ClassLoader classes, String program, String arguments) {
		List<String> all = new ArrayList<>(List.of(ALWAYS));
		arguments.lines().forEach(all::add);
		try {
			Method main = classes.loadClass(program).getDeclaredMethod("main", String[].class);
			main.setAccessible(true);
			main.invoke(null, (Object) all.toArray(String[]::new));
		}
		catch (InvocationTargetException ex) {
			if (ex.getCause() instanceof Error error) {
				throw error;
			}
			throw (ex.getCause() instanceof RuntimeException failure) ? failure
					: new IllegalStateException(ex.getCause());
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
