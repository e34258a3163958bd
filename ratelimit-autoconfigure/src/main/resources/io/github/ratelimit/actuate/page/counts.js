// What was decided, by what became of it, and which policy is worst.

import { count, inShort, list, ofPolicy } from './words.js';

/* Whose doing it is: the caller's, or the application's. */
const BLAME = { rejected: 'over the limit', banned: 'banned', queue_full: 'queue full', unavailable: 'store unavailable' };

const sum = (values = []) => values.reduce((all, each) => all + each, 0);

const rejections = (requests) => sum(Object.keys(BLAME).map((outcome) => requests[outcome] ?? 0));

/** The mode that decides: that of an override, or else the policy's own. */
const modeOf = (policy) => (ofPolicy(policy.overrides) ?? policy).mode;

/** What rejected, in words, the most first. */
export const blame = (requests) => list(Object.keys(BLAME).filter((outcome) => requests[outcome] > 0)
	.sort((one, other) => requests[other] - requests[one]).map((outcome) => `${count(requests[outcome])} ${BLAME[outcome]}`));

/**
 * What became of the requests of a policy in the last ten minutes, or since the start where nothing keeps a history.
 * `all`: in all instances, as far as these tell it.
 */
export function decided(policy, all) {
	const counted = (all && policy.allInstances) || policy;
	const requests = counted.recent ?? sinceStart(policy, counted);
	const rejected = rejections(requests);
	const wouldBe = requests.wouldBeRejected;
	const asked = requests.allowed + requests.delayed + requests.exceeded + rejected;
	return { requests, rejected, asked, wouldBe, share: rejected / (asked || 1), shadow: Math.min(1, wouldBe / (asked || 1)),
		isRecent: counted.recent != null };
}

/* Since the start, a policy that is not enforced counts what it would have done. */
function sinceStart(policy, { requests, shadow }) {
	const mode = modeOf(policy);
	if (mode === 'inform') {
		return { ...requests, wouldBeRejected: requests.exceeded };
	}
	const tried = shadow?.requests ?? shadow ?? (mode === 'shadow' ? requests : {});
	if (mode === 'enforce') {
		return { ...requests, wouldBeRejected: rejections(tried) };
	}
	const asked = sum(Object.values(tried));
	return { allowed: asked, delayed: 0, exceeded: 0, wouldBeRejected: rejections(tried) };
}

/**
 * When the rejections began that still go on, or null if none do. Five minutes without any are an end.
 * `series`: one number a step, the last of which ends at `end`.
 */
export function since(series = [], end, step) {
	const pause = Math.ceil(300 / step);
	let first = null;
	for (let i = series.length - 1, quiet = 0; i >= 0 && quiet < pause; i--) {
		quiet = series[i] > 0 ? 0 : quiet + 1;
		first = series[i] > 0 ? i : first;
	}
	return first === null ? null : { at: Date.parse(end) - (series.length - first) * step * 1000, isWhole: first === 0 && series.length * step >= 3600 };
}

/** All policies with what is shown of them in one line each. `hour` is what was decided by the minute. */
export function rows({ policies, bans = [], findings = [] }, hour, all) {
	return Object.entries(policies).map(([name, policy]) => {
		const series = hour?.policies?.[name] ?? {};
		const row = { name, policy, series, hourRejected: sum(series.rejected), hourAllowed: sum(series.allowed),
			since: hour && since(series.rejected, hour.end, hour.step), ...decided(policy, all),
			limits: inShort((ofPolicy(policy.overrides) ?? policy).limits),
			marks: marks(policy, bans.filter((each) => each.policy === name), findings.filter((each) => each.policy === name)) };
		row.text = [name, row.limits, policy.key, ...policy.appliedTo.map(({ place, key = '' }) => `${place} ${key}`),
			...row.marks.map(([, words]) => words)].join(' ').toLowerCase();
		return row;
	});
}

function marks(policy, bans, findings) {
	const mode = modeOf(policy);
	const keys = (policy.overrides ?? []).filter((each) => each.key).length;
	const warnings = findings.filter((each) => each.level === 'warning').length;
	return [
		mode !== 'enforce' && ['mode', mode === 'shadow' ? 'in shadow' : 'informs'],
		policy.overrides?.some((each) => !each.key) && ['override', 'overridden'],
		keys > 0 && ['override', `${keys === 1 ? 'one key' : `${count(keys)} keys`} overridden`],
		bans.length > 0 && ['ban', `${count(bans.length)} banned by hand`],
		findings.length > 0 && [warnings > 0 ? 'warning' : 'finding', `${count(findings.length)} finding${findings.length === 1 ? '' : 's'}`],
	].filter(Boolean);
}

const by = (...numbers) => (one, other) => numbers.reduce((found, number) => found || number(other) - number(one), 0)
	|| one.name.localeCompare(other.name, 'en');

/** By what the table is sorted, the default first. A minus reverses it. */
const ORDERS = {
	worst: by((row) => row.rejected, (row) => row.hourRejected, (row) => row.wouldBe, (row) => row.asked),
	name: by(),
	hour: by((row) => row.hourRejected, (row) => row.hourAllowed),
	share: by((row) => row.share, (row) => row.rejected),
	shadow: by((row) => row.shadow, (row) => row.wouldBe),
};

export function sorted(rows, sort) {
	const order = sort.replace('-', '');
	const inOrder = [...rows].sort(Object.hasOwn(ORDERS, order) ? ORDERS[order] : ORDERS.worst);
	return sort.startsWith('-') ? inOrder.reverse() : inOrder;
}
