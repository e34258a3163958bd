package io.github.ratelimit.enforce;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class WaitingRoomTests {

	@Test
	void hasAsManyPlacesAsItSays() {
		WaitingRoom room = new WaitingRoom(2);
		assertThat(room.maximum()).isEqualTo(2);
		assertThat(room.enter()).isTrue();
		assertThat(room.waiting()).isEqualTo(1);
		assertThat(room.enter()).isTrue();
		assertThat(room.enter()).isFalse();
		assertThat(room.waiting()).isEqualTo(2);
		room.leave();
		assertThat(room.waiting()).isEqualTo(1);
		assertThat(room.enter()).isTrue();
	}

	@Test
	void mayHaveNoPlaces() {
		assertThat(new WaitingRoom(0).enter()).isFalse();
	}

}
