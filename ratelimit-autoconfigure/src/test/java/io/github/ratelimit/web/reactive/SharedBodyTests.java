package io.github.ratelimit.web.reactive;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * A body that a server gives once, and several read.
 */
class SharedBodyTests {

	private static final int MAX_SIZE = 8;

	@Test
	void whatSomebodyElseHasReadIsThere() {
		SharedBody body = body(true, "user", "=ada");
		assertThat(text(body.getBody())).isEqualTo("user=ada");
		assertThat(text(body.bytes())).isEqualTo("user=ada");
		assertThat(text(body.getBody())).isEqualTo("user=ada");
		assertThat(text(body.getBody())).isEqualTo("user=ada");
	}

	@Test
	void whatIsReadHereFirstIsThereForOthers() {
		SharedBody body = body(true, "user", "=ada");
		assertThat(text(body.bytes())).isEqualTo("user=ada");
		assertThat(text(body.getBody())).isEqualTo("user=ada");
	}

	@Test
	void bodyThatSomebodyElseHasReadAndFoundEmptyIsEmpty() {
		SharedBody body = body(true);
		assertThat(text(body.getBody())).isEmpty();
		assertThat(body.bytes().block()).isNull();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void bodyThatSomebodyElseHasReadInPartFails(boolean copying) {
		SharedBody body = body(copying, "user", "=ada");
		assertThat(text(body.getBody().take(1))).isEqualTo("user");
		assertThatIllegalStateException().isThrownBy(() -> body.bytes().block());
	}

	@Test
	void bodyThatIsReadTwiceByOthersIsThatOfTheFirst() {
		SharedBody body = body(true, "user", "=ada");
		assertThat(text(body.getBody())).isEqualTo("user=ada");
		assertThat(text(body.getBody())).isEmpty();
		assertThat(text(body.bytes())).isEqualTo("user=ada");
	}

	@Test
	void bodyThatSomebodyElseHasReadAndNobodyHasCopiedIsNotTakenForAnEmptyOne() {
		SharedBody body = body(false, "user", "=ada");
		assertThat(text(body.getBody())).isEqualTo("user=ada");
		assertThatIllegalStateException().isThrownBy(() -> body.bytes().block());
	}

	@Test
	void bodyThatIsTooLargeReachesWhoeverReadsItFirst() {
		SharedBody body = body(true, "user", "=adam", "&x=");
		assertThat(text(body.getBody())).isEqualTo("user=adam&x=");
		assertThatExceptionOfType(ResponseStatusException.class).isThrownBy(() -> body.bytes().block())
			.satisfies((ex) -> assertThat(ex.getStatusCode().value()).isEqualTo(413));
	}

	private static SharedBody body(boolean copying, String... parts) {
		AtomicBoolean given = new AtomicBoolean();
		Flux<DataBuffer> once = Flux
			.defer(() -> given.compareAndSet(false, true) ? Flux.fromArray(parts) : Flux.<String>empty())
			.map((part) -> DefaultDataBufferFactory.sharedInstance.wrap(part.getBytes(StandardCharsets.UTF_8)));
		ServerWebExchange exchange = MockServerWebExchange.from(MockServerHttpRequest.post("/login").body(once));
		return new SharedBody(exchange, MAX_SIZE, copying);
	}

	private static String text(Flux<DataBuffer> body) {
		return text(DataBufferUtils.join(body).map((buffer) -> {
			byte[] bytes = new byte[buffer.readableByteCount()];
			buffer.read(bytes);
			return bytes;
		}));
	}

	private static String text(Mono<byte[]> bytes) {
		return bytes.map((each) -> new String(each, StandardCharsets.UTF_8)).blockOptional().orElse("");
	}

}
