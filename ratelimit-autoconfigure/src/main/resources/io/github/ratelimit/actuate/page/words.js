// Numbers, times and limits in words.

const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const shares = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 });
const UNITS = [['day', 86400], ['hour', 3600], ['minute', 60], ['second', 1]];
const SMALL = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];

export const count = (number) => numbers.format(number);

export const counted = (number, noun) => `${count(number)} ${noun}${number === 1 ? '' : 's'}`;

export const spelled = (number) => SMALL[number] ?? count(number);

export const percent = (share) => `${shares.format(share * 100)}\u00a0%`;

/** Returns a sentence's list: “a, b and c”. */
export const list = (words) => words.length > 1 ? `${words.slice(0, -1).join(', ')} and ${words.at(-1)}` : words.join();

export function duration(seconds) {
	if (seconds < 1) {
		return seconds > 0 ? counted(Math.ceil(seconds * 1000), 'millisecond') : 'no time';
	}
	const parts = [];
	let rest = seconds < 60 ? Math.round(seconds * 10) / 10 : Math.round(seconds);
	for (const [unit, length] of UNITS) {
		const number = length > 1 ? Math.floor(rest / length) : rest;
		if (number > 0 && parts.length < 2) {
			parts.push(counted(number, unit));
		}
		rest -= number * length;
	}
	return parts.join(' ');
}

export function limit(limit) {
	const words = [`${count(limit.limit)} ${per(limit)}`];
	if (limit.algorithm === 'leaky-bucket') {
		words.push(`burst ${count(limit.burst)}${limit.nodelay ? ' without waiting'
			: limit.delay > 0 ? `, of which ${count(limit.delay)} need not wait` : ', which waits'}`);
	}
	else if (limit.burst != null) {
		words.push(`burst ${count(limit.burst)}`);
	}
	return words.join(', ');
}

export const algorithm = (limit) => limit.algorithm.replaceAll('-', ' ');

export const limits = (list) => list.map((each) => `${limit(each)} (${algorithm(each)})`).join('; and ') || 'no limit';

/** Limits in so few words that they have room beside others. */
export const inShort = (list) => list.map((each) => `${count(each.limit)} ${per(each)}`).join(' and ') || 'no limit';

/** The override of a policy, or of a plan of it, as a whole and not of one key. */
export const ofPolicy = (overrides, plan) => overrides?.find((each) => !each.key && each.plan == plan);

function per({ window, period, zone, from }) {
	if (period) {
		return `a calendar ${period} in ${zone}${from ? `, from ${from}` : ''}`;
	}
	const unit = UNITS.find(([, length]) => length === window);
	return unit ? `${unit[0] === 'hour' ? 'an' : 'a'} ${unit[0]}` : `in ${duration(window)}`;
}

let ahead = 0;

/** Takes the application's clock for the time from here on, whatever this machine's says. */
export const setClock = (instant) => ahead = instant ? Date.parse(instant) - Date.now() : 0;

export const now = () => Date.now() + ahead;

const seconds = (instant) => Math.max(0, Math.round((now() - Date.parse(instant)) / 1000));

export const until = (instant) => `for another ${duration(Math.max(0, (Date.parse(instant) - now()) / 1000))}`;

export const ago = (instant) => seconds(instant) < 10 ? 'just now' : `${duration(seconds(instant))} ago`;

export const lasting = (instant) => duration(seconds(instant));

const written = (options) => {
	const format = new Intl.DateTimeFormat('en', { hourCycle: 'h23', ...options });
	return (instant) => format.format(new Date(instant));
};

export const moment = written({ dateStyle: 'medium', timeStyle: 'short' });

export const clock = written({ timeStyle: 'medium' });

export const minute = written({ timeStyle: 'short' });
