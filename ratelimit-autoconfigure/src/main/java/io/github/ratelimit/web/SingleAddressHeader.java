package io.github.ratelimit.web;

import java.util.Enumeration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * A header that holds the client's address and nothing else, such as {@code X-Real-IP}.
 * The proxy sets it in place of whatever the client sent. One that is there twice, or
 * that holds something else, was not set so, and is not believed.
 */
final class SingleAddressHeader implements ClientHeader {

	private static final Log logger = LogFactory.getLog(ClientAddressResolver.class);

	private final String name;

	private final AtomicBoolean mentioned = new AtomicBoolean();

	SingleAddressHeader(String name) {
		this.name = name;
	}

	@Override
	public IpAddress client(IpAddress proxy, Function<String, Enumeration<String>> headers) {
		Enumeration<String> lines = headers.apply(this.name);
		if (!lines.hasMoreElements()) {
			return proxy;
		}
		String line = lines.nextElement();
		IpAddress address = lines.hasMoreElements() ? null : IpAddress.parseNode(line, 0, line.length());
		if (address == null) {
			mention(proxy);
			return proxy;
		}
		return address;
	}

	private void mention(IpAddress proxy) {
		if (this.mentioned.compareAndSet(false, true)) {
			logger.warn("The header " + this.name + " of a request that the trusted proxy " + proxy.text(128)
					+ " forwarded is not one address. The request counts as the proxy's own. The proxy must set the "
					+ "header in place of what the client sent.");
		}
	}

	@Override
	public String toString() {
		return this.name;
	}

}
