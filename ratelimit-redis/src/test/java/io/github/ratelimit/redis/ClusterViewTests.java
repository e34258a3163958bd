package io.github.ratelimit.redis;

import io.lettuce.core.cluster.models.partitions.ClusterPartitionParser;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What servers of a cluster say of themselves becomes one view.
 */
class ClusterViewTests {

	private static final String OWN = "10.0.0.1:7000";

	private static ClusterView view(String... answers) {
		ClusterView view = new ClusterView();
		for (String answer : answers) {
			LettuceCluster.add(view, ClusterPartitionParser.parse(answer), OWN);
		}
		return view;
	}

	@Test
	void aServerThatHasMetNoOtherDoesNotKnowItsOwnAddress() {
		ClusterView view = view("a :7000@17000 myself,master - 0 0 0 connected 0-16383\n");
		assertThat(view.owners()).containsExactly(OWN);
		assertThat(view.addresses()).containsExactly(OWN);
	}

	@Test
	void aServerThatWasTakenOutOfItsClusterSaysNothingOfTheOthers() {
		assertThat(view("a 10.0.0.1:7000@17000 myself,master - 0 0 0 connected\n").owners()).containsExactly("");
		assertThat(view("a 10.0.0.1:7000@17000 myself,master - 0 0 0 connected 7\n").owners()).contains(OWN, "");
	}

	@Test
	void ofTwoThatHaveASlotItIsTheOneOfTheLaterEpoch() {
		String former = "a 10.0.0.1:7000@17000 myself,master - 0 0 1 connected 0-16383\n";
		String later = "b 10.0.0.2:7000@17000 myself,master - 0 0 2 connected 5\n";
		assertThat(view(former, later).owners()).containsExactlyInAnyOrder("10.0.0.1:7000", "10.0.0.2:7000");
		assertThat(view(later, former).owners()).containsExactlyInAnyOrder("10.0.0.1:7000", "10.0.0.2:7000");
	}

	@Test
	void addressesMayHaveColonsAndHostsMayHaveNames() {
		ClusterView view = view("a ::1:7000@17000 myself,master - 0 0 1 connected 0\n"
				+ "b 10.0.0.2:7001@17001,two.example.org master - 0 0 2 connected 1\n");
		assertThat(view.owners()).containsExactlyInAnyOrder("::1:7000", "two.example.org:7001", "");
	}

}
