package io.github.ratelimit.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * A command of a page and what that says that the terminal shows.
 */
record Transcript(String command, List<String> shown) {

	private static final String FENCE = "```";

	static List<Transcript> of(Path markdown) throws IOException {
		List<Transcript> transcripts = new ArrayList<>();
		Iterator<String> lines = Files.readAllLines(markdown).iterator();
		while (lines.hasNext()) {
			if (lines.next().equals(FENCE + "console")) {
				readBlock(lines, transcripts);
			}
		}
		return transcripts;
	}

	private static void readBlock(Iterator<String> lines, List<Transcript> transcripts) {
		String line = lines.next();
		while (!line.equals(FENCE)) {
			if (line.startsWith("$ ")) {
				transcripts.add(new Transcript(line.substring(2), new ArrayList<>()));
			}
			else {
				transcripts.get(transcripts.size() - 1).shown().add(line);
			}
			line = lines.next();
		}
	}

	/*
	 * The command's words, of which those in single quotes are one.
	 */
	List<String> words() {
		List<String> words = new ArrayList<>();
		String[] parts = this.command.split("'");
		for (int i = 0; i < parts.length; i++) {
			if (i % 2 == 1) {
				words.add(parts[i]);
			}
			else if (!parts[i].isBlank()) {
				words.addAll(List.of(parts[i].strip().split(" +")));
			}
		}
		return words;
	}

}
