package io.github.ratelimit.benchmarks.actuator;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;

import io.github.ratelimit.benchmarks.measure.Goal;
import io.github.ratelimit.benchmarks.measure.Measurement;
import io.github.ratelimit.benchmarks.measure.Table;
import org.jspecify.annotations.Nullable;

/**
 * How large the page is with all that it loads: the files that it names, those that these
 * name, and so on.
 */
final class PageWeight {

	private static final String SITUATION = "the page";

	private static final String SIZE = "size";

	private static final String COMPRESSED = "size as gzip makes it";

	private static final String ALL = "all files";

	private static final String FOLDER = "/io/github/ratelimit/actuate/page/";

	private static final String PAGE = "page.html";

	private static final Pattern NAMED = Pattern.compile("[\"'](?:\\./|page/)?([\\w.-]+\\.\\w+)[\"']");

	private PageWeight() {
	}

	static List<Table> tables() {
		return List.of(Table.ofFigures(SITUATION, SIZE).goal(Goal.atMost(120), ALL),
				Table.ofFigures(SITUATION, COMPRESSED));
	}

	static List<Measurement> measure() throws IOException {
		Map<String, byte[]> files = files();
		List<Measurement> figures = new ArrayList<>();
		long size = 0;
		long compressed = 0;
		for (Map.Entry<String, byte[]> file : files.entrySet()) {
			int gzip = compressed(file.getValue());
			figures.add(figure(file.getKey(), SIZE, file.getValue().length));
			figures.add(figure(file.getKey(), COMPRESSED, gzip));
			size += file.getValue().length;
			compressed += gzip;
		}
		figures.add(figure(ALL, SIZE, size));
		figures.add(figure(ALL, COMPRESSED, compressed));
		return figures;
	}

	/**
	 * Follows the names, beginning with the page itself.
	 * @return the bytes of each file
	 */
	static Map<String, byte[]> files() throws IOException {
		Map<String, byte[]> files = new LinkedHashMap<>();
		List<String> names = new ArrayList<>(List.of(PAGE));
		for (int i = 0; i < names.size(); i++) {
			byte[] bytes = read(names.get(i));
			if (bytes != null) {
				files.put(names.get(i), bytes);
				Matcher named = NAMED.matcher(new String(bytes, StandardCharsets.UTF_8));
				while (named.find()) {
					if (!names.contains(named.group(1))) {
						names.add(named.group(1));
					}
				}
			}
		}
		return files;
	}

	/* Not all that looks like a name is one. */
	private static byte @Nullable [] read(String name) throws IOException {
		try (InputStream file = PageWeight.class.getResourceAsStream(FOLDER + name)) {
			return (file != null) ? file.readAllBytes() : null;
		}
	}

	private static int compressed(byte[] bytes) throws IOException {
		ByteArrayOutputStream compressed = new ByteArrayOutputStream();
		try (GZIPOutputStream gzip = new GZIPOutputStream(compressed)) {
			gzip.write(bytes);
		}
		return compressed.size();
	}

	private static Measurement figure(String file, String metric, long bytes) {
		return new Measurement(SITUATION, file, metric, bytes / 1e3, 0, "kB");
	}

}
