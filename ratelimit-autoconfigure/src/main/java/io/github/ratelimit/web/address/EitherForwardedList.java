package io.github.ratelimit.web.address;

import java.util.Enumeration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Function;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * {@code Forwarded} or {@code X-Forwarded-For}, where it is not configured which of them
 * the proxies maintain. A proxy passes the other one on as the client sent it, so a
 * client that is believed in either would choose between two budgets.
 * <p>
 * What a proxy maintains it sends with every request, whatever the client does. So a
 * request with one of the headers alone tells that its proxy maintains that one. Where no
 * request has told yet, headers that disagree are not believed, and the budget is that of
 * the proxy.
 */
final class EitherForwardedList implements ClientAddressResolver.ClientHeader {

	private static final Log logger = LogFactory.getLog(ClientAddressResolver.class);

	private static final int STANDARD = 1;

	private static final int COMMON = 2;

	private final TrustedProxies trusted;

	private final ForwardedList standard;

	private final ForwardedList common;

	/* For each range of proxies, which headers have come alone. */
	private final AtomicIntegerArray alone;

	private final AtomicBoolean mentioned = new AtomicBoolean();

	EitherForwardedList(TrustedProxies trusted) {
		this.trusted = trusted;
		this.standard = new ForwardedList(ForwardedList.STANDARD, trusted);
		this.common = new ForwardedList(ForwardedList.COMMON, trusted);
		this.alone = new AtomicIntegerArray(trusted.size());
	}

	@Override
	public IpAddress client(IpAddress proxy, Function<String, Enumeration<String>> headers) {
		List<String> standard = this.standard.lines(headers);
		List<String> common = this.common.lines(headers);
		IpAddress byStandard = this.standard.client(proxy, standard);
		IpAddress byCommon = this.common.client(proxy, common);
		int range = this.trusted.find(proxy);
		if (standard.isEmpty() || common.isEmpty()) {
			int alone = (standard.isEmpty() ? 0 : STANDARD) | (common.isEmpty() ? 0 : COMMON);
			if ((this.alone.get(range) | alone) != this.alone.get(range)) {
				this.alone.accumulateAndGet(range, alone, (known, more) -> known | more);
			}
			return common.isEmpty() ? byStandard : byCommon;
		}
		if (byStandard.text(128).equals(byCommon.text(128))) {
			return byStandard;
		}
		mention(proxy);
		return switch (this.alone.get(range)) {
			case STANDARD -> byStandard;
			case COMMON -> byCommon;
			default -> proxy;
		};
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
