package io.github.ratelimit.web.mcp;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.request.McpMessage;
import io.github.ratelimit.web.mcp.SentMessage.Refusal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What is read of a message, and which are refused because something else might read them
 * in another way.
 */
class MessageReaderTests {

	private static final String CALL = """
			{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"search","arguments":{"name":"other"}}}""";

	private static SentMessage read(String body, String... fields) {
		return read(body.getBytes(StandardCharsets.UTF_8), fields);
	}

	private static SentMessage read(byte[] body, String... fields) {
		Map<String, List<String>> sent = new HashMap<>();
		for (int i = 0; i < fields.length; i += 2) {
			sent.merge(fields[i], List.of(fields[i + 1]),
					(one, other) -> List.of(one.get(0), other.get(other.size() - 1)));
		}
		return MessageReader.read(body, (name) -> sent.getOrDefault(name, List.of()));
	}

	@Test
	void toolIsTheNameInTheParametersOfACall() {
		assertThat(read(CALL)).isEqualTo(new SentMessage("7", new McpMessage("tools/call", "search"), null));
	}

	@Test
	void membersMayComeInAnyOrder() {
		assertThat(read("""
				{"params":{"arguments":{"params":{"name":"inner"}},"_meta":[1,{"id":2}],"name":"search"},
				"method":"tools/call","id":"a","jsonrpc":"2.0"}""").message())
			.isEqualTo(new McpMessage("tools/call", "search"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', quoteCharacter = '`', textBlock = """
			{"id":1,"method":"tools/list"}                                        ; tools/list
			{"id":1,"method":"prompts/get","params":{"name":"search"}}            ; prompts/get
			{"id":1,"method":"ping","params":[1,2]}                               ; ping
			{"method":"notifications/initialized"}                                ; notifications/initialized
			{"id":1,"method":"to\\u006fls/list"}                                  ; tools/list
			{"id":1,"method":"completion/complete","params":{"name":{"a":1}}}     ; completion/complete
			""")
	void otherMessagesHaveNoTool(String body, String method) {
		assertThat(read(body).message()).isEqualTo(new McpMessage(method, null));
	}

	@Test
	void responseOfTheClientHasNoMethod() {
		assertThat(read("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}").message()).isEqualTo(McpMessage.NONE);
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', quoteCharacter = '`', textBlock = """
			7                     ; 7
			-7.50e3               ; -7.50e3
			"a"                   ; "a"
			"\\"\\\\\\n\\u00e9"   ; "\\"\\\\\\u000a\\u00e9"
			"\\ud800"             ; "\\ud800"
			"<b>"                 ; "\\u003cb>"
			null                  ; null
			true                  ; null
			{"a":1}               ; null
			[7]                   ; null
			""")
	void identifierIsATextOrANumber(String id, String read) {
		SentMessage message = read("{\"id\":" + id + ",\"method\":\"ping\"}");
		assertThat(message.id()).isEqualTo(read);
		assertThat(message.refusal()).isNull();
	}

	@Test
	void longIdentifierIsNotSentBack() {
		assertThat(read("{\"id\":\"" + "x".repeat(257) + "\",\"method\":\"ping\"}").id()).isEqualTo("null");
		assertThat(read("{\"id\":" + "1".repeat(257) + ",\"method\":\"ping\"}").id()).isEqualTo("null");
		assertThat(read("{\"id\":" + "1".repeat(256) + ",\"method\":\"ping\"}").id()).hasSize(256);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "x", "{", "{}}", "{\"id\":1,\"method\":\"ping\"} {}", "{'method':'ping'}",
			"{\"method\":\"ping\",}", "{\"method\":\"ping\" /* */}", "{\"method\":\"pi\u0000ng\"}" })
	void whatIsNotJsonIsRefused(String body) {
		SentMessage message = read(body);
		assertThat(message.refusal()).isIn(Refusal.NO_JSON, Refusal.NO_MESSAGE);
		assertThat(message.id()).isEqualTo("null");
		assertThatIllegalStateException().isThrownBy(message::message);
	}

	@ParameterizedTest
	@ValueSource(strings = { "UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "IBM037" })
	void whatIsNotUtf8IsRefused(String charset) {
		assertThat(read(CALL.getBytes(Charset.forName(charset))).refusal()).isEqualTo(Refusal.NO_JSON);
	}

	@Test
	void identifierOfWhatIsNotJsonIsNotAnswered() {
		SentMessage message = read(CALL.substring(0, CALL.length() - 1));
		assertThat(message.refusal()).isEqualTo(Refusal.NO_JSON);
		assertThat(message.id()).isEqualTo("null");
	}

	@Test
	void bytesThatAreNotUtf8AreRefused() {
		byte[] body = "{\"method\":\"tools/call\",\"params\":{\"name\":\"\u00e9\"}}"
			.getBytes(StandardCharsets.ISO_8859_1);
		assertThat(read(body).refusal()).isEqualTo(Refusal.NO_JSON);
	}

	@ParameterizedTest
	@ValueSource(strings = { "[]", "1", "null", "{}", "{\"id\":1}", "{\"method\":null}", "{\"method\":1}",
			"{\"method\":[\"ping\"]}", "[{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"search\"}}]",
			"{\"method\":\"tools/call\"}", "{\"method\":\"tools/call\",\"params\":{}}",
			"{\"method\":\"tools/call\",\"params\":[\"search\"]}",
			"{\"method\":\"tools/call\",\"params\":{\"name\":null}}", "{\"method\":null,\"result\":{}}" })
	void whatIsNotOneMessageIsRefused(String body) {
		assertThat(read(body).refusal()).isEqualTo(Refusal.NO_MESSAGE);
	}

	@ParameterizedTest
	@ValueSource(strings = { "{\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"name\":\"b\"}}",
			"{\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"n\\u0061me\":\"b\"}}",
			"{\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"Name\":\"b\"}}",
			"{\"method\":\"ping\",\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}}",
			"{\"method\":\"ping\",\"METHOD\":\"tools/call\",\"params\":{\"name\":\"a\"}}",
			"{\"method\":\"tools/call\",\"params\":{\"name\":\"a\"},\"params\":{\"name\":\"b\"}}",
			"{\"method\":\"tools/call\",\"params\":{\"name\":\"a\"},\"Params\":{\"name\":\"b\"}}",
			"{\"id\":1,\"id\":2,\"method\":\"ping\"}" })
	void memberThatIsThereTwiceIsRefused(String body) {
		assertThat(read(body).refusal()).isEqualTo(Refusal.NO_MESSAGE);
	}

	@Test
	void longNamesAreRefused() {
		assertThat(read("{\"method\":\"" + "m".repeat(257) + "\"}").refusal()).isEqualTo(Refusal.NO_MESSAGE);
		assertThat(read(CALL.replace("search", "s".repeat(257))).refusal()).isEqualTo(Refusal.NO_MESSAGE);
		assertThat(read(CALL.replace("search", "s".repeat(256))).refusal()).isNull();
	}

	@Test
	void deepNestingIsRefused() {
		String deep = "[".repeat(100_000) + "]".repeat(100_000);
		assertThat(read("{\"id\":3,\"method\":\"ping\",\"params\":" + deep + "}").refusal()).isEqualTo(Refusal.NO_JSON);
	}

	@Test
	void fieldsThatAgreeAreNoReasonToRefuse() {
		assertThat(read(CALL, "Mcp-Method", "tools/call", "Mcp-Name", "search").refusal()).isNull();
		assertThat(read(CALL, "Mcp-Method", "tools/call", "Mcp-Name", encoded("search")).refusal()).isNull();
		assertThat(read("{\"method\":\"resources/read\",\"params\":{\"uri\":\"file:///a\",\"name\":\"b\"}}", "Mcp-Name",
				"file:///a")
			.refusal()).isNull();
		assertThat(read("{\"method\":\"tasks/get\",\"params\":{\"taskId\":\"1\"}}", "Mcp-Name", "1").refusal())
			.isNull();
	}

	@Test
	void nameThatNoFieldCanHaveIsEncoded() {
		String call = CALL.replace("search", "s\u00fcche \ud83d\ude00");
		assertThat(read(call, "Mcp-Name", encoded("s\u00fcche \ud83d\ude00")).message().tool())
			.isEqualTo("s\u00fcche \ud83d\ude00");
		assertThat(read(call, "Mcp-Name", encoded("suche")).refusal()).isEqualTo(Refusal.HEADER_MISMATCH);
	}

	@ParameterizedTest
	@CsvSource({ "Mcp-Method, tools/list", "Mcp-Method, TOOLS/CALL", "Mcp-Name, other", "Mcp-Name, SEARCH",
			"Mcp-Name, =?base64?b3RoZXI=?=", "Mcp-Name, =?base64?!?=", "Mcp-Name, =?base64?=", "Mcp-Name, ''",
			"Mcp-Method, =?base64?dG9vbHMvY2FsbA==?=" })
	void fieldThatSaysSomethingElseIsRefused(String field, String value) {
		SentMessage message = read(CALL, field, value);
		assertThat(message.refusal()).isEqualTo(Refusal.HEADER_MISMATCH);
		assertThat(message.id()).isEqualTo("7");
	}

	@Test
	void eachValueOfAFieldMustAgree() {
		assertThat(read(CALL, "Mcp-Name", "search", "Mcp-Name", "other").refusal()).isEqualTo(Refusal.HEADER_MISMATCH);
		assertThat(read("{\"id\":1,\"result\":{}}", "Mcp-Method", "ping").refusal()).isEqualTo(Refusal.HEADER_MISMATCH);
	}

	private static String encoded(String text) {
		return "=?base64?" + Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8)) + "?=";
	}

}
