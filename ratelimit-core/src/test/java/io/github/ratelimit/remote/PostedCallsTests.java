package io.github.ratelimit.remote;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.github.ratelimit.remote.StoreCallException.Blame;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Calls that no caller waits for are bounded, and none counts that is over.
 */
class PostedCallsTests {

	private final PostedCalls calls = new PostedCalls();

	private CompletionStage<String> post(HeldAnswer<String> answer) {
		return this.calls.post((deadline) -> answer, RemoteStore.Answer::await);
	}

	@Test
	void nobodyIsAskedForPermissionWhereThereIsNoRoom() {
		HeldAnswer<String> held = new HeldAnswer<>(Deadline.after(RemoteStoreTest.SETTINGS.timeout()));
		for (int i = 0; i < 256; i++) {
			post(held);
		}
		AtomicInteger asked = new AtomicInteger();
		Supplier<@Nullable Function<RemoteStore.Answer<String>, String>> refusing = () -> {
			asked.incrementAndGet();
			return null;
		};
		assertThat(this.calls.post((deadline) -> held, refusing)).isCompletedExceptionally();
		assertThat(asked).hasValue(0);
		held.complete("answer");
		for (int i = 0; i < 1000; i++) {
			assertThat(this.calls.post((deadline) -> held, refusing)).isCompletedExceptionally();
		}
		assertThat(asked).hasValue(1000);
		assertThat(post(held)).isCompletedWithValue("answer");
	}

	@Test
	void onlySoManyAreUnderWay() {
		HeldAnswer<String> broken = new HeldAnswer<>(Deadline.after(PostedCalls.MAX_WAIT));
		broken.completeExceptionally(new StoreCallException("reset", null, Blame.SERVER));
		for (int i = 0; i < 1000; i++) {
			assertThat(post(broken)).isCompletedExceptionally();
			assertThatIllegalStateException().isThrownBy(() -> this.calls.post((deadline) -> {
				throw new IllegalStateException("not begun");
			}, RemoteStore.Answer::await));
		}
		HeldAnswer<String> held = new HeldAnswer<>(Deadline.after(RemoteStoreTest.SETTINGS.timeout()));
		List<CompletionStage<String>> posted = IntStream.range(0, 256).mapToObj((i) -> post(held)).toList();
		assertThat(post(held)).isCompletedExceptionally();
		assertThat(posted).noneMatch((each) -> each.toCompletableFuture().isDone());
		held.complete("answer");
		assertThat(posted).allMatch((each) -> each.toCompletableFuture().isDone());
		assertThat(post(held)).isCompletedWithValue("answer");
	}

}
