// Who: the keys that are rejected most, and one key that is looked up.

import { html, useEffect, useRef, useState } from './preact.js';
import { ban, endBan, read, reset } from './api.js';
import { Terms, terms } from './changes.js';
import { Choice, Do, Table } from './parts.js';
import { ago, clock, count, counted, duration, limits, minute, moment, percent } from './words.js';

/* Longer ones are cut off, so that they would be looked up as other keys. */
const LONGEST_KEY = 128;

/** Whose requests something is about, if that is not one client. */
export const hits = ({ hits }) => hits ? ` It is about ${hits}.` : '';

/** Asks for how long a key is to be banned. It is named by the key itself or by its hash. */
const askToBan = (policy, target, act, then) => ({
	question: `Ban ${target.key ?? `the key with the hash ${target.hash}`} from ${policy}?`, yes: 'Ban',
	detail: 'All its requests are rejected until the ban ends, in whatever mode the policy is. In force, you can end it at any time.',
	fields: html`<${Terms} time="1h" />`,
	action: async (filled) => {
		const failed = await act((answer) => `${answer.key ?? 'The key'} is banned from ${policy} until ${moment(answer.until)}.${hits(answer)}`,
			() => ban(policy, target, terms(filled)));
		return failed || (await then?.(), '');
	}
});

export const askToEndBan = (policy, key, act, then) => ({
	question: 'End this ban?', yes: 'End the ban', detail: html`<code>${key}</code> is then limited by ${policy} as others are.`,
	action: async () => {
		const failed = await act(() => `The ban of ${key} from ${policy} has ended.`, () => endBan(policy, { key }));
		return failed || (await then?.(), '');
	}
});

/** The keys that a policy rejected most, with what can be done about each. `hour`: what it decided by the minute. */
export function Rejected({ policy, rejected, hour, instance, act, ask, ...doing }) {
	const [isHour, setHour] = useState(true);
	if (!rejected) {
		return rejected === null && html`<p>Who is rejected is not known here.</p>`;
	}
	const lately = rejected.hour ?? [];
	const shown = isHour && rejected.hour ? lately : rejected.keys;
	return html`
		<div class="row between"><h3 id="who">Who is rejected most</h3>
			${rejected.hour && html`<${Choice} label="Since when" of=${[[true, 'In the last 30 to 60 minutes'], [false, 'Since the start']]} value=${isHour} choose=${setHour} />`}</div>
		${shown.length === 0 ? html`<p>No key stands out among those that were rejected ${shown === lately ? 'lately' : 'since the start'}${instance && ` by ${instance}`}. If the chart
			shows rejections, many callers reach the limit, which may be too low.</p>`
		: html`
			${shown === lately && html`<${Blame} keys=${lately} hour=${hour} />`}
			<${Table} title="Who is rejected most" heads=${[shown[0].key ? 'Key' : 'Hash of the key', 'Rejections', 'Do', shown[0].first && 'First', shown[0].first && 'Last']}
				rows=${shown.map((each) => line(each, doing, (target) => ask(askToBan(policy, target, act))))} />
			${!shown[0].key && html`<p><small>Set <code>management.endpoint.ratelimits.show-keys</code> to see the keys themselves.</small></p>`}`}`;
}

function line({ key, hash, rejected, error, first, last }, { writable, look }, ban) {
	const isWhole = key?.length < LONGEST_KEY;
	const name = isWhole ? key : hash;
	return [
		isWhole ? html`<button type="button" class="link" onClick=${() => look(key)}>${key}</button>` : html`<code>${key ? `${key}…` : hash}</code>`,
		html`${count(rejected)}${error > 0 && html` <small>or up to ${count(error)} fewer</small>`}`,
		html`${isWhole && html`<${Do} what="Look up" whom=${name} action=${() => look(key)} />`}
			${writable && html`<${Do} what="Ban" whom=${name} action=${() => ban(isWhole ? { key } : { hash })} />`}
			${writable && isWhole && html`<${Do} what="Override" whom=${name} action=${() => look(key, true)} />`}`,
		first && minute(first),
		last && ago(last),
	];
}

/* Whether it is one caller, or the limit, that most rejections come from. */
function Blame({ keys, hour }) {
	const sum = keys.reduce((all, { rejected }) => all + rejected, 0);
	const all = Math.max(hour ? since(keys, hour) : 0, sum);
	const first = (keys[0].rejected - keys[0].error) / all;
	if (first >= 0.5) {
		return html`<p>One key makes <strong>${percent(first)}</strong> of the rejections: look at that caller before you change the limit.</p>`;
	}
	return html`<p>The key that is rejected most makes <strong>${percent(first)}</strong> of the rejections, and these ${counted(keys.length, 'key')} together
		${' '}${percent(sum / all)}: ${sum / all < 0.5 ? 'many callers reach the limit, which may be too low.' : 'a few callers reach the limit.'}</p>`;
}

/* How many requests were rejected since the first rejection that is counted of any of the keys. */
function since(keys, { requests: { rejected = [] }, end, step }) {
	const first = Math.min(...keys.map((each) => Date.parse(each.first)));
	const ends = rejected.map((each, i) => Date.parse(end) - (rejected.length - 1 - i) * step * 1000);
	return rejected.reduce((all, each, i) => ends[i] > first ? all + each : all, 0);
}

/** One key that is looked up, and what can be done about it. `wanted`: one that was chosen elsewhere. */
export function Key({ policy, wanted, expressions, writable, change, act, ask }) {
	const [key, setKey] = useState('');
	const [found, setFound] = useState(null);
	const [error, setError] = useState('');
	const place = useRef(null);
	const look = async (typed) => {
		setError('');
		try {
			const standing = await read(policy, null, { key: typed });
			setFound(standing && { ...standing, at: Date.now() });
			return standing;
		}
		catch (ex) {
			setFound(null);
			setError(ex.message);
			return null;
		}
	};
	const override = (standing) => change({ key: standing.key, limits: standing.limits.map(({ limit }) => limit) });
	useEffect(() => {
		if (wanted) {
			setKey(wanted.key);
			look(wanted.key).then((standing) => {
				place.current.scrollIntoView({ block: 'nearest' });
				if (standing && wanted.isToChange) {
					override(standing);
				}
			});
		}
	}, [wanted]);
	const again = () => look(found.key);
	const isBanned = found?.interventions?.ban != null;
	const resetKey = () => ask({
		question: `Reset this key of ${policy}?`, yes: 'Reset',
		detail: html`<code>${found.key}</code> then has all its permits${found.banned && !isBanned && ' and is no longer banned'}. This cannot be undone.`,
		action: async () => {
			const failed = await act(() => `The key ${found.key} of ${policy} was reset.`, () => reset(policy, found.key));
			return failed || (await again(), '');
		}
	});
	return html`
		<h3>One key</h3>
		<form class="row" onSubmit=${(event) => { event.preventDefault(); look(key); }}>
			<label><span>Key, as ${expressions.map((each, i) => html`${i > 0 && ' or '}<code>${each}</code>`)} computes it</span>
				<input required value=${key} onInput=${(event) => setKey(event.target.value)} autocomplete="off" spellcheck=${false} /></label>
			<button>Look up</button>
		</form>
		${error && html`<p role="alert" class="error">${error}</p>`}
		<div aria-live="polite" ref=${place}>${found && html`<div class="standing">
			<${Standing} found=${found} />
			${writable && html`<div class="row">
				${isBanned ? html`<button type="button" onClick=${() => ask(askToEndBan(policy, found.key, act, again))}>End the ban of this key</button>`
					: html`<button type="button" onClick=${() => ask(askToBan(policy, { key: found.key }, act, again))}>Ban this key</button>`}
				<button type="button" onClick=${() => override(found)}>Override this key</button>
				<button type="button" onClick=${resetKey}>${found.banned && !isBanned ? 'Unban and reset' : 'Reset'}</button></div>`}
		</div>`}</div>`;
}

const DECIDED = { ban: 'It is banned', deny: 'It is denied', exempt: 'It is exempt' };

function Standing({ found }) {
	const { key, plan, standing, banned, override, interventions } = found;
	return html`
		<p><code>${key}</code>${plan && ` has the plan ${plan} and`} ${banned
			? html`<strong class="bad"> is banned</strong> for another ${duration(standing.nextPermitAfter)}.`
			: found.limits.length ? html` has ${counted(standing.remaining, 'permit')} left${later(standing)}.` : ' is not limited.'}</p>
		${found.limits.length > 1 && html`<ul>${found.limits.map((each) => html`<li>${limits([each.limit])}: ${count(each.standing.remaining)} left${later(each.standing)}</li>`)}</ul>`}
		<p><small>Looked up at ${clock(found.at)}.</small></p>
		${Object.entries(interventions ?? {}).map(([word, each]) => html`<p>${DECIDED[word]} by hand${each.reason && html`: <q>${each.reason}</q>`}${each.by && ` (${each.by})`}.</p>`)}
		${override && html`<p>It has an override${override.reason && html`: <q>${override.reason}</q>`}.</p>`}`;
}

function later({ nextPermitAfter, resetAfter }) {
	return resetAfter > 0 ? `${nextPermitAfter > 0 ? `, the next one in ${duration(nextPermitAfter)}` : ''}, and all of them in ${duration(resetAfter)}`
		: ', which is all';
}
