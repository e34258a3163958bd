package io.github.ratelimit.integration.securitysession;

import java.nio.charset.StandardCharsets;

import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

import com.nimbusds.jose.jwk.source.ImmutableSecret;

import org.springframework.security.oauth2.jose.jws.MacAlgorithm;
import org.springframework.security.oauth2.jwt.JwsHeader;
import org.springframework.security.oauth2.jwt.JwtClaimsSet;
import org.springframework.security.oauth2.jwt.JwtEncoderParameters;
import org.springframework.security.oauth2.jwt.NimbusJwtEncoder;

/**
 * Signs tokens.
 */
final class Tokens {

	static final SecretKey KEY = new SecretKeySpec(
			"a key that signs the tokens of these tests".getBytes(StandardCharsets.US_ASCII), "HmacSHA256");

	private static final NimbusJwtEncoder ENCODER = new NimbusJwtEncoder(new ImmutableSecret<>(KEY));

	private Tokens() {
	}

	static String of(String subject, String tenant) {
		JwtClaimsSet claims = JwtClaimsSet.builder().subject(subject).claim("tenant", tenant).build();
		return ENCODER.encode(JwtEncoderParameters.from(JwsHeader.with(MacAlgorithm.HS256).build(), claims))
			.getTokenValue();
	}

}
