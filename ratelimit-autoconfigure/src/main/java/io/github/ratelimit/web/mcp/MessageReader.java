package io.github.ratelimit.web.mcp;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

import io.github.ratelimit.request.McpMessage;
import io.github.ratelimit.web.mcp.SentMessage.Refusal;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads a message, as whoever serves it will. Refuses what another library could read in
 * another way, such as a member that is there twice, because a client could then call one
 * tool and be counted for another.
 */
final class MessageReader {

	/* Names that clients make up are not kept for later messages. */
	private static final JsonFactory JSON = JsonFactory.builder()
		.disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
		.build();

	/* No server has longer names, and no longer identifier is sent back. */
	private static final int MAX_LENGTH = 256;

	private static final String ID = "id";

	private static final String METHOD = "method";

	private static final String PARAMS = "params";

	private static final String NAME = "name";

	private static final String URI = "uri";

	private static final Set<String> OF_MESSAGE = Set.of(ID, METHOD, PARAMS, "result", "error");

	private static final Set<String> OF_PARAMS = Set.of(NAME, URI);

	private final Function<String, ? extends List<String>> fields;

	private String id = SentMessage.NO_ID;

	private @Nullable String method;

	private @Nullable String name;

	private @Nullable String uri;

	private MessageReader(Function<String, ? extends List<String>> fields) {
		this.fields = fields;
	}

	/**
	 * Reads a message.
	 * @param body the body of the request
	 * @param fields gives the values of a header field
	 * @return the message, which may be refused
	 */
	static SentMessage read(byte[] body, Function<String, ? extends List<String>> fields) {
		MessageReader reader = new MessageReader(fields);
		try {
			String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
			return reader.finish(reader.read(text));
		}
		catch (CharacterCodingException | JacksonException ex) {
			return reader.finish(Refusal.NO_JSON);
		}
	}

	private @Nullable Refusal read(String text) {
		try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), text)) {
			if (parser.nextToken() != JsonToken.START_OBJECT) {
				return Refusal.NO_MESSAGE;
			}
			Set<String> found = new HashSet<>();
			boolean readAlike = readMembers(parser, OF_MESSAGE, found, this::readOfMessage);
			if (parser.nextToken() != null) {
				return Refusal.NO_JSON;
			}
			if (!readAlike || !isMessage(found)) {
				return Refusal.NO_MESSAGE;
			}
			return contradictsFields() ? Refusal.HEADER_MISMATCH : null;
		}
	}

	/*
	 * Some libraries ignore the case of names.
	 */
	private boolean readMembers(JsonParser parser, Set<String> known, Set<String> found, Member reader) {
		boolean readAlike = true;
		while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
			String member = parser.currentName();
			JsonToken value = parser.nextToken();
			if (known.contains(member)) {
				readAlike &= found.add(member) && reader.read(member, value, parser);
			}
			else {
				readAlike &= known.stream().noneMatch(member::equalsIgnoreCase);
			}
			parser.skipChildren();
		}
		return readAlike;
	}

	private boolean readOfMessage(String member, JsonToken value, JsonParser parser) {
		switch (member) {
			case ID -> this.id = id(value, parser);
			case METHOD -> {
				this.method = text(value, parser);
				return this.method != null;
			}
			case PARAMS -> {
				return value != JsonToken.START_OBJECT
						|| readMembers(parser, OF_PARAMS, new HashSet<>(), this::readOfParams);
			}
			default -> {
			}
		}
		return true;
	}

	private boolean readOfParams(String member, JsonToken value, JsonParser parser) {
		if (member.equals(NAME)) {
			this.name = text(value, parser);
		}
		else if (value == JsonToken.VALUE_STRING) {
			this.uri = parser.getString();
		}
		return true;
	}

	private static @Nullable String text(JsonToken value, JsonParser parser) {
		if (value != JsonToken.VALUE_STRING || parser.getStringLength() > MAX_LENGTH) {
			return null;
		}
		return parser.getString();
	}

	/*
	 * An identifier of JSON-RPC is a text or a number.
	 */
	private static String id(JsonToken value, JsonParser parser) {
		if (!value.isNumeric() && value != JsonToken.VALUE_STRING) {
			return SentMessage.NO_ID;
		}
		if (parser.getStringLength() > MAX_LENGTH) {
			return SentMessage.NO_ID;
		}
		String text = parser.getString();
		return value.isNumeric() ? text : JsonText.quote(text);
	}

	/*
	 * What has no method must be a response of the client.
	 */
	private boolean isMessage(Set<String> found) {
		if (this.method == null) {
			return found.contains("result") || found.contains("error");
		}
		return !isToolCall() || this.name != null;
	}

	private boolean isToolCall() {
		return McpMessages.TOOL_CALL.equals(this.method);
	}

	private boolean contradictsFields() {
		if (!allEqual(this.fields.apply(McpMessages.METHOD_FIELD), this.method)) {
			return true;
		}
		String method = this.method;
		if (method == null) {
			return false;
		}

		List<String> names = this.fields.apply(McpMessages.NAME_FIELD).stream().map(FieldText::decode).toList();
		return switch (method) {
			case McpMessages.TOOL_CALL, "prompts/get" -> !allEqual(names, this.name);
			case "resources/read" -> !allEqual(names, this.uri);
			default -> false;
		};
	}

	private static boolean allEqual(List<String> values, @Nullable String text) {
		return values.stream().allMatch((value) -> value.equals(text));
	}

	private SentMessage finish(@Nullable Refusal refusal) {
		if (refusal == Refusal.NO_JSON) {
			return SentMessage.unread(refusal);
		}
		String tool = isToolCall() ? this.name : null;
		return new SentMessage(this.id, new McpMessage(this.method, tool), refusal);
	}

	/**
	 * Reads a member that is known.
	 */
	private interface Member {

		/**
		 * Reads the member.
		 * @return {@code false} if it has not the type that it must have
		 */
		boolean read(String member, JsonToken value, JsonParser parser);

	}

}
