package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitPolicy;

/**
 * A script as the assembler finishes it, in a form that can be read, and run by
 * {@code redis-cli --eval} with plain numbers.
 *
 * @param name the name of the file
 * @param purpose what the script does
 * @param policies the policies that it is for
 * @param script the script
 * @param example a decision of one permit of each policy
 * @param more what follows the numbers of a policy in an example
 * @param behind what that is, or an empty text
 */
record FinishedScript(String name, String purpose, List<RateLimitPolicy> policies, ScriptCall.Script script,
		ScriptCall example, String more, String behind) {

	private static final String SENT = "\n--: sent\n";

	private static final Pattern NUMBERS = Pattern.compile("^local (.+) = parse\\('<d+', ARGV\\[\\d+]\\)$",
			Pattern.MULTILINE);

	private static final Pattern ANSWER = Pattern.compile("^return pack\\('(<\\w+)', (.+, .+)\\)$", Pattern.MULTILINE);

	/* Numbers that are others in another month. */
	private static final Pattern MOMENT = Pattern.compile("(before|begin|end|after)_\\d+");

	private static final Pattern OPENING = Pattern.compile("\\b(then|do|function|else)\\b");

	private static final Pattern CLOSING = Pattern.compile("\\b(end|else|elseif)\\b");

	private static final String EXAMPLE = "-- redis-cli --eval ";

	/**
	 * The file, with a head that says how to run it.
	 */
	String text() {
		return head() + byHand() + SENT.substring(1) + indented(this.script.text());
	}

	private String head() {
		List<String> lines = new ArrayList<>(List.of(this.purpose, ""));
		templates().forEach(lines::add);
		lines.add("");
		lines.addAll(keys());
		lines.addAll(arguments());
		lines.addAll(answer());
		lines.add("");
		lines.add("ScriptAssembler puts it together, and only what stands under \"sent\" is sent. FinishedScriptTests");
		lines.add("compares the two, and writes this file anew with -Dratelimit.scripts.write=true.");
		lines.add("");
		lines.add("By hand, with plain numbers, for " + described() + ":");
		return lines.stream().map((line) -> line.isEmpty() ? "--\n" : "-- " + line + "\n").collect(Collectors.joining())
				+ EXAMPLE + this.name + " "
				+ Stream
					.concat(Stream.of(this.example.keys()).map(FinishedScript::quoted),
							Stream.concat(Stream.of(","),
									IntStream.range(0, this.policies.size()).mapToObj(this::numbers)))
					.collect(Collectors.joining(" "))
				+ "\n";
	}

	private Stream<String> templates() {
		Stream<String> ban = this.policies.stream().anyMatch((policy) -> policy.ban() != null) ? Stream.of("ban.lua")
				: Stream.empty();
		Stream<String> files = Stream.concat(limits().flatMap((limit) -> limit.files().stream()), ban);
		return files.distinct().flatMap((file) -> {
			List<String> about = ScriptSections.read(file)
				.lines()
				.takeWhile((line) -> line.startsWith("-- "))
				.map((line) -> line.substring(3))
				.toList();
			return Stream.concat(Stream.of("From " + file + ":"), about.stream());
		});
	}

	private Stream<LimitScript> limits() {
		return this.policies.stream().flatMap((policy) -> PolicyScript.of(policy).limits().stream());
	}

	private List<String> keys() {
		List<String> lines = new ArrayList<>();
		for (RateLimitPolicy policy : this.policies) {
			lines.add("KEYS[%d]: the state of the policy %s".formatted(lines.size() + 1, policy.name()));
			for (int i = 0; i < policy.limits().size(); i++) {
				if (PolicyScript.of(policy).limits().get(i).keepsLog()) {
					lines.add("KEYS[%d]: the ring of its limit %d".formatted(lines.size() + 1, i + 1));
				}
			}
			if (policy.ban() != null) {
				lines.add("KEYS[%d]: its ban".formatted(lines.size() + 1));
			}
		}
		return lines;
	}

	private List<String> arguments() {
		List<String> names = names();
		String behind = this.behind.isEmpty() ? ", and behind them the permits unless they are 1" : this.behind;
		return IntStream.range(0, names.size())
			.mapToObj((i) -> "ARGV[%d]: %s%s%s, as little-endian doubles".formatted(i + 1, names.get(i), ofBan(i),
					behind))
			.toList();
	}

	private String ofBan(int policy) {
		return (this.policies.get(policy).ban() != null) ? ", after, within, first, multiplier, longest, most" : "";
	}

	private List<String> names() {
		return NUMBERS.matcher(this.script.text()).results().map((found) -> found.group(1)).toList();
	}

	private List<String> answer() {
		Matcher found = ANSWER.matcher(this.script.text());
		if (!found.find()) {
			return List.of("Answer: an empty string");
		}
		String[] values = found.group(2).split(", ");
		int flags = (int) found.group(1).chars().filter((type) -> type == 'B').count();
		int whose = flags - (int) limits().count();
		String names = Arrays.stream(values).skip(1 + flags).collect(Collectors.joining(", "));
		String others = (whose > 0) ? " for each policy whether it was its key," : "";
		return List.of(
				"Answer, packed as '%s': the time in microseconds, negative where a key held something else,"
					.formatted(found.group(1)),
				"%s 1 for each limit that agrees or 0, and %s".formatted(others, names).strip());
	}

	private String described() {
		return this.policies.stream()
			.flatMap((policy) -> policy.limits().stream())
			.map(RateLimit::toString)
			.collect(Collectors.joining("; "));
	}

	private static String quoted(byte[] key) {
		return "'" + new String(key, StandardCharsets.UTF_8) + "'";
	}

	private String numbers(int policy) {
		byte[] packed = this.example.arguments()[policy];
		ByteBuffer numbers = ByteBuffer.wrap(packed).order(ByteOrder.LITTLE_ENDIAN);
		String[] names = names().get(policy).split(", ");
		return IntStream.range(0, packed.length / Double.BYTES).mapToObj((i) -> {
			String number = Long.toString((long) numbers.getDouble());
			Matcher moment = MOMENT.matcher((i < names.length) ? names[i] : "");
			return moment.matches() ? "$" + moment.group(1) : number;
		}).collect(Collectors.joining(" ")) + this.more;
	}

	/*
	 * A shell can hand over no zero bytes, so that numbers come as text and are packed.
	 */
	private String byHand() {
		int policies = this.policies.size();
		int before = names().stream().limit(policies - 1).mapToInt((names) -> names.split(", ").length).sum();
		StringBuilder packs = new StringBuilder("--: by hand\nif #ARGV > %d then\n  ".formatted(policies));
		if (policies > 1) {
			packs
				.append("ARGV[1], ARGV[2] = struct.pack('<%s', unpack(ARGV, 1, %d)), ".formatted("d".repeat(before),
						before))
				.append("struct.pack('<' .. string.rep('d', #ARGV - %d), unpack(ARGV, %d))".formatted(before,
						before + 1));
		}
		else {
			packs.append("ARGV[1] = struct.pack('<' .. string.rep('d', #ARGV), unpack(ARGV))");
		}
		return packs.append("\nend\n").toString();
	}

	private static String indented(String text) {
		StringBuilder indented = new StringBuilder();
		int depth = 0;
		for (String line : text.lines().map(String::strip).toList()) {
			int closed = CLOSING.matcher(line).lookingAt() ? 1 : 0;
			int goesOn = line.startsWith("and ") || line.startsWith("or ") ? 2 : 0;
			indented.append("  ".repeat(depth - closed + goesOn)).append(line).append('\n');
			depth += count(OPENING, line) - count(CLOSING, line);
		}
		return indented.toString();
	}

	private static int count(Pattern pattern, String line) {
		return (int) pattern.matcher(line).results().count();
	}

	/**
	 * What of a file is sent.
	 */
	static String sent(String file) {
		return stripped(file.substring(file.indexOf(SENT) + SENT.length()));
	}

	/**
	 * A text without its indentation.
	 */
	static String stripped(String text) {
		return text.lines().map((line) -> line.strip() + "\n").collect(Collectors.joining());
	}

	/**
	 * The command that runs a file by hand, as its head says.
	 * @return the keys, a comma, and the arguments
	 */
	static List<String> example(String file) {
		String line = file.lines().filter((each) -> each.startsWith(EXAMPLE)).findFirst().orElseThrow();
		return Stream.of(line.substring(EXAMPLE.length()).split(" "))
			.skip(1)
			.map((word) -> word.replace("'", ""))
			.toList();
	}

}
