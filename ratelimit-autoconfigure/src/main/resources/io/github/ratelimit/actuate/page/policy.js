// One policy: its numbers, and what it decided lately.

import { html, useState } from './preact.js';
import { Advice } from './advice.js';
import { read } from './api.js';
import { Override } from './changes.js';
import { Chart } from './chart.js';
import { blame, decided, since } from './counts.js';
import { Bans, Overrides } from './force.js';
import { Key, Rejected } from './keys.js';
import { Choice, Findings, Table, useAnswer } from './parts.js';
import { count, counted, duration, limits, minute, ofPolicy, percent } from './words.js';

const EVERY = 5000;
const SELDOM = 30000;

const SERIES = [['allowed', 'allowed'], ['delayed', 'delayed', [2, 3]], ['rejected', 'rejected', [8, 3]],
	['wouldBeRejected', 'would be rejected', [4, 4]]];
const sum = (values = []) => values.reduce((all, each) => all + each, 0);

/* What is asked for beside the list; whatever fails of it is said once. */
async function readPolicy(name) {
	const [history, rejected] = await Promise.all([read(name, 'history'), read(name, 'rejected')]);
	return { history, rejected };
}

async function readSeldom(name) {
	const [hour, advice] = await Promise.all([read('history'), read(name, 'advice')]);
	return { advice, hour: hour && { ...hour, requests: hour.policies[name] ?? {} } };
}

export function Policy({ name, data, all, route, live, writable, act, ask }) {
	const [wanted, setWanted] = useState(null);
	const [toChange, setToChange] = useState(null);
	const [{ answer: lately, error }] = useAnswer(() => readPolicy(name), EVERY, live);
	const [{ answer: seldom, error: other }] = useAnswer(() => readSeldom(name), SELDOM, live);
	const policy = data.policies[name];
	const bans = (data.bans ?? []).filter((each) => each.policy === name);
	const findings = (data.findings ?? []).filter((each) => each.policy === name);
	const failed = error ?? other;
	return html`
		<section aria-labelledby="view" class="policy">
			<h2 id="view" tabindex="-1">${name}</h2>
			<p class="sum">${limits((ofPolicy(policy.overrides) ?? policy).limits)}. <${Sum} policy=${policy} all=${all} several=${data.instances?.length} hour=${seldom?.hour} /></p>
			${failed && html`<p class="error">Some of what follows is missing or old: ${failed.message}</p>`}
			${findings.length > 0 && html`<${Findings} all=${findings} route=${route} />`}
			<${Charts} lately=${lately?.history} hour=${seldom?.hour} shadow=${policy.shadow} informs=${policy.mode === 'inform'} instance=${data.instance?.name} />
			<${Rejected} policy=${name} rejected=${lately?.rejected} hour=${seldom?.hour} writable=${writable}
				instance=${lately?.rejected?.instance}
				look=${(key, isToChange) => setWanted({ key, isToChange })} act=${act} ask=${ask} />
			<${Key} policy=${name} wanted=${wanted} expressions=${keys(policy)} writable=${writable} change=${setToChange} act=${act} ask=${ask} />
			${writable && html`<${Override} name=${name} policy=${policy} wanted=${toChange} act=${act} />`}
			<${Bans} all=${bans} writable=${writable} act=${act} ask=${ask} />
			<${Overrides} all=${policy.overrides ?? []} policies=${data.policies} writable=${writable} act=${act} ask=${ask} />
			<h3>As it is defined</h3>
			<${Facts} policy=${policy} />
			<${Shadow} policy=${policy} />
			<${Advice} advice=${seldom?.advice} own=${policy.limits[0]} />
		</section>`;
}

function Sum({ policy, all, several, hour }) {
	const began = hour && since(hour.requests.rejected, hour.end, hour.step);
	const { requests, rejected, asked, share, wouldBe, shadow, isRecent } = decided(policy, all);
	const when = isRecent ? 'in the last 10 minutes' : 'since the start';
	const where = several > 1 ? (all ? ', in all instances' : ', in this instance') : '';
	return html`${rejected > 0 ? html`<strong class="bad">${percent(share)} rejected</strong> ${when}${where}: ${count(rejected)} of ${count(asked)} requests, ${blame(requests)}.`
		: `${asked > 0 ? `None of ${counted(asked, 'request')} was rejected` : 'There was no request'} ${when}${where}.`}
		${began && ` It has rejected ${began.isWhole ? 'for an hour or longer' : `since ${minute(began.at)}`}.`}
		${wouldBe > 0 && html` <span class="wouldBeRejected">${percent(shadow)} would be rejected</span>, ${count(wouldBe)} of ${count(asked)}.`}`;
}

// A place may have a key of its own.
const keys = ({ key, appliedTo }) => [...new Set((appliedTo.length ? appliedTo : [{}]).map((place) => place.key ?? key))];

function Facts({ policy }) {
	const { ban, plans, overrides } = policy;
	const inForce = ofPolicy(overrides) ?? policy;
	const mode = ({ mode }) => ({ enforce: 'enforced', inform: 'informs: nothing is rejected, and code may ask',
		shadow: 'in shadow: nothing is rejected' })[mode];
	const facts = [
		['Limits', limits(inForce.limits)],
		['Mode', mode(inForce)],
		inForce !== policy && ['Overridden', `defined is ${limits(policy.limits)}, ${mode(policy)}`],
		['Key', html`<code>${policy.key}</code>`],
		['Applied to', policy.appliedTo.length ? html`<ul>${policy.appliedTo.map(({ place, ...own }) => html`<li><code>${place}</code>
			${Object.entries(own).map(([name, expression]) => html`, ${name} <code>${expression}</code>`)}</li>`)}</ul>`
			: 'nothing but code that asks for it'],
		policy.plan && ['Plan', html`<code>${policy.plan}</code>`],
		plans && ['Plans', html`<ul>${Object.entries(plans).map(([plan, it]) =>
			html`<li>${plan}: ${planned(it, ofPolicy(overrides, plan))}</li>`)}</ul>`],
		ban && ['Ban', `after ${counted(ban.after, 'rejection')} within ${duration(ban.within)}, for ${duration(ban.duration)}`
			+ (ban.multiplier > 1 ? `, each further one ${count(ban.multiplier)} times as long, up to ${duration(ban.max)}` : '')],
		policy.warnAt && ['Warns at', policy.warnAt.join(', ')],
		policy.keys != null && ['Keys', `${count(policy.keys)} with a state`
			+ (policy.evictions ? `, ${count(policy.evictions)} evicted while they still counted` : '')]
	];
	return html`<dl>${facts.filter(Boolean).map(([term, fact]) => html`<div><dt>${term}</dt><dd>${fact}</dd></div>`)}</dl>`;
}

const planned = (plan, override) => override ? `${limits(override.limits)}, overridden`
	: plan.unlimited ? 'unlimited' : limits(plan.limits);

/* Of ten minutes second by second, or of an hour by the minute. */
function Charts({ lately, hour, ...shown }) {
	const [isHour, setHour] = useState(false);
	return html`
		${hour && html`<${Choice} label="What the chart shows" of=${[[false, '10 minutes'], [true, 'One hour']]} value=${isHour} choose=${setHour} />`}
		<${History} history=${isHour ? hour : lately} ...${shown} />`;
}

function History({ history, shadow, informs, instance }) {
	const length = Math.max(0, ...SERIES.map(([name]) => history?.requests[name]?.length ?? 0));
	if (length === 0 && history?.step >= 60) {
		return html`<p>Nothing was decided in the whole minutes of the last hour.</p>`;
	}
	if (length === 0) {
		return html`<p>What is decided appears here after the first ${history ? duration(history.step) : '5 seconds'}.</p>`;
	}
	const { step } = history;
	const requests = Object.fromEntries(SERIES.map(([name]) => [name, history.requests[name] ?? Array(length).fill(0)]));
	const shown = SERIES.filter(([name], i) => i === 0 || i === 2 || name === 'wouldBeRejected' && (shadow || informs) || sum(requests[name]) > 0);
	const said = shown.map(([name, word]) => `${count(sum(requests[name]))} ${word}`).join(', ');
	const time = duration(length * step);
	const end = Date.parse(history.end) / 1000;
	return html`
		<figure>
			<figcaption>Requests in each ${step === 60 ? 'minute' : duration(step)} of the last ${time}${instance && `, of the instance ${history.instance ?? instance}`}</figcaption>
			<${Chart} x=${Array.from({ length }, (each, i) => end + (i + 1 - length) * step)} label=${`In the last ${time}: ${said}`}
				steps=${[60, 120, 300, 600, 1200]} least=${1} xText=${(at) => minute(at * 1000)} yText=${count}
				series=${shown.map(([name, word, dash]) => ({ name, dash, bars: true, values: requests[name] }))} />
			<ul class="legend">${shown.map(([name, word]) => html`<li class=${name}>${count(sum(requests[name]))} ${word}</li>`)}</ul>
		</figure>
		<details>
			<summary>As a table</summary>
			<${ByMinute} shown=${shown} requests=${requests} step=${step} />
		</details>`;
}

function ByMinute({ shown, requests, step }) {
	const steps = Math.max(1, 60 / step);
	const length = requests.allowed.length;
	const rows = Array.from({ length: Math.ceil(length / steps) }, (each, i) => [Math.max(0, length - (i + 1) * steps), length - i * steps]);
	return html`<${Table} title="Requests by the minute" heads=${['Minute', ...shown.map(([, word]) => word)]}
		rows=${rows.map(([from, to], i) => [i === 0 ? 'the last' : `${i * steps * step / 60} ago`, ...shown.map(([name]) => count(sum(requests[name].slice(from, to))))])} />`;
}

function Shadow({ policy: { mode, limits: own, requests, shadow } }) {
	return shadow && html`
		<h3>In shadow</h3>
		<p>${limits(shadow.limits)} would have rejected about ${counted(shadow.rejectedKeys, 'key')} since the start.
			${shadow.dropped > 0 && ` ${counted(shadow.dropped, 'decision')} could not be made.`}</p>
		<${Table} title="In shadow" heads=${['Since the start', mode !== 'shadow' && `${mode === 'enforce' ? 'enforced' : 'informing'}: ${limits(own)}`, `in shadow: ${limits(shadow.limits)}`]}
			rows=${Object.keys(shadow.requests).filter((outcome) => shadow.requests[outcome] + requests[outcome] > 0)
				.map((outcome) => [outcome.replace('_', ' '), count(requests[outcome]), count(shadow.requests[outcome])])} />`;
}
