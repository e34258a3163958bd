package io.github.ratelimit.graphql;

import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;

import org.springframework.graphql.server.WebGraphQlRequest;
import org.springframework.http.HttpCookie;
import org.springframework.util.LinkedMultiValueMap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * What expressions see of a GraphQL request.
 */
class GraphQlRequestViewTests {

	@Test
	void cookieIsTheFirstOfItsName() {
		WebGraphQlRequest request = mock();
		LinkedMultiValueMap<String, HttpCookie> cookies = new LinkedMultiValueMap<>();
		cookies.add("visitor", new HttpCookie("visitor", "ann"));
		cookies.add("visitor", new HttpCookie("visitor", "bob"));
		given(request.getCookies()).willReturn(cookies);
		GraphQlRequests.View view = new GraphQlRequests.View(request, "192.0.2.7", null, null, null, false,
				new AtomicReference<>());
		assertThat(view.cookie("visitor")).isEqualTo("ann");
		assertThat(view.cookie("none")).isNull();
	}

}
