// One policy: its numbers, and what it decided lately.

import { html, useEffect, useState } from './preact.js';
import { Advice } from './advice.js';
import { read } from './api.js';
import { Key, Override } from './changes.js';
import { Chart } from './chart.js';
import { count, counted, duration, limits, ofPolicy } from './words.js';

const SERIES = [['allowed', 'allowed'], ['delayed', 'delayed', [2, 3]], ['rejected', 'rejected', [8, 3]],
	['wouldBeRejected', 'would be rejected', [4, 4]]];
const sum = (values) => values.reduce((all, each) => all + each, 0);

export function Policy({ name, policy, history, writable, act, ask }) {
	const [wanted, setWanted] = useState(null);
	const [more, setMore] = useState({});
	useEffect(() => {
		const load = () => document.hidden || Promise.all([read(name, 'advice'), read(name, 'rejected')])
			.then(([advice, rejected]) => setMore({ advice, rejected }), (ex) => setMore({ error: ex.message }));
		load();
		const timer = setInterval(load, 30000);
		return () => clearInterval(timer);
	}, [name]);
	return html`
		<section aria-labelledby="policy" class="policy">
			<h2 id="policy">${name}</h2>
			<${Facts} policy=${policy} />
			<${History} history=${history} shadow=${policy.shadow} informs=${policy.mode === 'inform'} />
			<${Shadow} policy=${policy} />
			${more.error && html`<p class="error">Neither advice nor rejected keys: ${more.error}</p>`}
			<${Advice} advice=${more.advice} own=${policy.limits[0]} />
			<${Rejected} rejected=${more.rejected} look=${(key) => setWanted({ key })} />
			<${Key} policy=${name} wanted=${wanted} expressions=${keys(policy)} writable=${writable} act=${act} ask=${ask} />
			${writable ? html`<${Override} name=${name} policy=${policy} act=${act} />`
				: html`<p>Nothing can be changed here without <code>management.endpoint.ratelimits.access: unrestricted</code>.</p>`}
		</section>`;
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

function History({ history, shadow, informs }) {
	if (!history || history.requests.allowed.length === 0) {
		return html`<p>What is decided appears here after the first 5 seconds.</p>`;
	}
	const { step, requests } = history;
	const length = requests.allowed.length;
	const shown = SERIES.filter(([name], i) => i === 0 || i === 2 || name === 'wouldBeRejected' && (shadow || informs) || sum(requests[name]) > 0);
	const said = shown.map(([name, word]) => `${count(sum(requests[name]))} ${word}`).join(', ');
	const minutes = duration(length * step);
	return html`
		<figure>
			<figcaption>Requests in each ${step} seconds of the last ${minutes}</figcaption>
			<${Chart} x=${Array.from({ length }, (each, i) => (i + 1 - length) * step)} label=${`In the last ${minutes}: ${said}`}
				steps=${[10, 30, 60, 120, 300]}
				xText=${(at) => at === 0 ? 'now' : at % 60 ? `${-at} s ago` : `${-at / 60} min ago`} yText=${count}
				series=${shown.map(([name, word, dash]) => ({ name, dash, bars: true, values: requests[name] }))} />
			<ul class="legend">${shown.map(([name, word]) => html`<li class=${name}>${count(sum(requests[name]))} ${word}</li>`)}</ul>
		</figure>
		<details>
			<summary>As a table</summary>
			<${ByMinute} shown=${shown} requests=${requests} steps=${60 / step} />
		</details>`;
}

function ByMinute({ shown, requests, steps }) {
	const length = requests.allowed.length;
	const rows = Array.from({ length: Math.ceil(length / steps) }, (each, i) => [Math.max(0, length - (i + 1) * steps), length - i * steps]);
	return html`<table>
		<thead><tr><th scope="col">Minute</th>${shown.map(([, word]) => html`<th scope="col">${word}</th>`)}</tr></thead>
		<tbody>${rows.map(([from, to], i) => html`<tr>
			<th scope="row">${i === 0 ? 'the last' : `${i} ago`}</th>
			${shown.map(([name]) => html`<td>${count(sum(requests[name].slice(from, to)))}</td>`)}</tr>`)}
		</tbody>
	</table>`;
}

function Shadow({ policy: { mode, limits: own, requests, shadow } }) {
	return shadow && html`
		<h3>In shadow</h3>
		<p>${limits(shadow.limits)} would have rejected about ${counted(shadow.rejectedKeys, 'key')} since the start.
			${shadow.dropped > 0 && ` ${counted(shadow.dropped, 'decision')} could not be made.`}</p>
		<table>
			<thead><tr><th scope="col">Since the start</th>${mode !== 'shadow' && html`<th scope="col">${mode === 'enforce' ? 'enforced' : 'informing'}: ${limits(own)}</th>`}
				<th scope="col">in shadow: ${limits(shadow.limits)}</th></tr></thead>
			<tbody>${Object.keys(shadow.requests).filter((outcome) => shadow.requests[outcome] + requests[outcome] > 0).map((outcome) => html`<tr>
				<th scope="row">${outcome.replace('_', ' ')}</th>${mode !== 'shadow' && html`<td>${count(requests[outcome])}</td>`}
				<td>${count(shadow.requests[outcome])}</td></tr>`)}
			</tbody>
		</table>`;
}

/* Longer ones are cut off, so that they would be looked up as other keys. */
const LONGEST_KEY = 128;

function Rejected({ rejected, look }) {
	if (rejected === undefined) {
		return null;
	}
	return html`
		<h3>Most rejected keys</h3>
		${rejected === null ? html`<p>Set <code>ratelimit.advice.enabled</code> to <code>true</code> and start the application
			again to see who is rejected: only the advisor counts that.</p>`
		: rejected.keys.length === 0 ? html`<p>No key has been rejected since the start.</p>`
		: html`<${RejectedKeys} all=${rejected.keys} look=${look} />`}`;
}

function RejectedKeys({ all, look }) {
	return html`
		<table>
			<thead><tr><th scope="col">${all[0].key ? 'Key' : 'Hash of the key'}</th><th scope="col">Rejections</th></tr></thead>
			<tbody>${all.map(({ key, hash, rejected, error }) => html`<tr>
				<th scope="row">${key?.length < LONGEST_KEY ? html`<button type="button" class="link" onClick=${() => look(key)}>${key}</button>`
					: html`<code>${key ? `${key}…` : hash}</code>`}</th>
				<td>${count(rejected)}${error > 0 && `, or up to ${count(error)} fewer`}</td></tr>`)}
			</tbody>
		</table>
		${!all[0].key && html`<p>Set <code>management.endpoint.ratelimits.show-keys</code> to see the keys themselves.</p>`}`;
}
