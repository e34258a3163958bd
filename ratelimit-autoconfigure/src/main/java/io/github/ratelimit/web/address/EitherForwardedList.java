package io.github.ratelimit.web.address;

import java.util.Enumeration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Function;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Reads {@code Forwarded} or {@code X-Forwarded-For}, where it is not configured which of
 * them the proxies maintain. A proxy passes the other one on as the client sent it, so a
 * client that is believed in either would choose between two budgets.
 * <p>
 * A proxy sends what it maintains with every request, whatever the client does. So a
 * request with one of the headers alone shows that its proxy maintains that one. Until a
 * request has shown it, headers that disagree are not believed, and the budget is that of
 * the proxy.
 */
final class EitherForwardedList implements ClientAddressResolver.ClientHeader {

	private static final Log logger = LogFactory.getLog(ClientAddressResolver.class);

	private static final int STANDARD = 1;

	private static final int COMMON = 2;

	private final TrustedProxies trusted;

	private final ForwardedList standard;

	private final ForwardedList common;

	/* Which headers have come alone, as bits, by the range of the proxy. */
	private final AtomicIntegerArray alone;

	private final AtomicBoolean mentioned = new AtomicBoolean();

	EitherForwardedList(TrustedProxies trusted) {
		this.trusted = trusted;
		this.standard = new ForwardedList(ForwardedList.STANDARD, trusted);
		this.common = new ForwardedList(ForwardedList.COMMON, trusted);
		this.alone = new AtomicIntegerArray(trusted.size());
	}

	@Override
	public FoundClient client(IpAddress proxy, Function<String, Enumeration<String>> headers) {
		List<String> standard = this.standard.lines(headers);
		List<String> common = this.common.lines(headers);
		FoundClient byStandard = this.standard.client(proxy, standard);
		FoundClient byCommon = this.common.client(proxy, common);
		if (common.isEmpty()) {
			if (!standard.isEmpty()) {
				noteAlone(proxy, STANDARD);
			}
			return byStandard;
		}
		if (standard.isEmpty()) {
			noteAlone(proxy, COMMON);
			return byCommon;
		}

		if (byStandard.address().equals(byCommon.address())) {
			return byStandard.certain() ? byCommon : byStandard;
		}
		mention(proxy);
		return switch (this.alone.get(this.trusted.find(proxy))) {
			case STANDARD -> byStandard;
			case COMMON -> byCommon;
			default -> new FoundClient(proxy, false, List.of(byStandard.address(), byCommon.address()));
		};
	}

	private void noteAlone(IpAddress proxy, int header) {
		int range = this.trusted.find(proxy);
		if ((this.alone.get(range) & header) == 0) {
			this.alone.accumulateAndGet(range, header, (known, more) -> known | more);
		}
	}

	private void mention(IpAddress proxy) {
		if (this.mentioned.compareAndSet(false, true)) {
			logger.warn("Forwarded and X-Forwarded-For disagree in a request that the trusted proxy " + proxy.text(128)
					+ " forwarded. A proxy maintains one of them; the other may be forged. Say which one with "
					+ "ratelimit.client-address.header.");
		}
	}

	@Override
	public String name() {
		return ForwardedList.COMMON + " or " + ForwardedList.STANDARD;
	}

}
