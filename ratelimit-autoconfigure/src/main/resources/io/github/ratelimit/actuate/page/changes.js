// One key, and what can be changed: resets and overrides.

import { html, useEffect, useRef, useState } from './preact.js';
import { override, read, reset, takeBack } from './api.js';
import { count, counted, duration, limits, moment, until } from './words.js';

export function Confirmation({ question, detail, yes, action, cancel }) {
	const dialog = useRef(null);
	useEffect(() => {
		const element = dialog.current;
		element.showModal();
		return () => element.close();
	}, []);
	return html`<dialog ref=${dialog} aria-labelledby="question" onCancel=${cancel}>
		<h2 id="question">${question}</h2>
		<p>${detail}</p>
		<button type="button" class="danger" onClick=${action}>${yes}</button>
		<button type="button" onClick=${cancel}>Cancel</button>
	</dialog>`;
}

export function Key({ policy, given, expressions, writable, act, ask }) {
	const [key, setKey] = useState(given);
	const [found, setFound] = useState(null);
	const [error, setError] = useState('');
	const look = async (wanted) => {
		setError('');
		try {
			setFound(await read(policy, null, { key: wanted }));
		}
		catch (ex) {
			setError(ex.message);
		}
	};
	useEffect(() => {
		if (given) {
			setKey(given);
			look(given);
		}
	}, [given]);
	const resetKey = () => ask({
		question: `Reset this key of ${policy}?`, yes: 'Reset',
		detail: html`<code>${found.key}</code> then has all its permits${found.banned && ' and is no longer banned'}. This cannot be undone.`,
		action: () => act(`The key ${found.key} of ${policy} was reset.`, () => reset(policy, found.key)).then(() => look(found.key))
	});
	return html`
		<h3>One key</h3>
		<form class="row" onSubmit=${(event) => { event.preventDefault(); look(key); }}>
			<label>Key, as ${expressions.map((each, i) => html`${i > 0 && ' or '}<code>${each}</code>`)} computes it
				<input required value=${key} onInput=${(event) => setKey(event.target.value)} autocomplete="off" spellcheck=${false} /></label>
			<button>Look up</button>
		</form>
		${error && html`<p role="alert" class="error">${error}</p>`}
		${found && html`<div aria-live="polite" class="standing">
			<p><code>${found.key}</code>${found.plan && ` has the plan ${found.plan} and`} ${found.banned
				? html`<strong class="bad"> is banned</strong> for another ${duration(found.standing.nextPermitAfter)}.`
				: found.limits.length ? html` has ${counted(found.standing.remaining, 'permit')} left${later(found.standing)}.` : ' is not limited.'}</p>
			${found.limits.length > 1 && html`<ul>${found.limits.map((each) => html`<li>${limits([each.limit])}: ${count(each.standing.remaining)} left${later(each.standing)}</li>`)}</ul>`}
			${found.override && html`<p>It has an override${found.override.reason && html`: <q>${found.override.reason}</q>`}.</p>`}
			${writable && html`<button type="button" onClick=${resetKey}>${found.banned ? 'Unban and reset' : 'Reset'}</button>`}
		</div>`}`;
}

function later({ nextPermitAfter, resetAfter }) {
	return resetAfter > 0 ? `${nextPermitAfter > 0 ? `, the next one in ${duration(nextPermitAfter)}` : ''}, and all of them in ${duration(resetAfter)}`
		: ', which is all';
}

export function Override({ name, policy, act }) {
	const own = policy.limits[0]?.algorithm;
	const submit = async (event) => {
		event.preventDefault();
		const form = event.target;
		const { key, plan, mode, for: time, reason, ...limit } = Object.fromEntries([...new FormData(form)].filter(([, text]) => text));
		const limits = Object.keys(limit)[1] || limit.algorithm !== own ? [limit] : undefined;
		if (await act(`${key ? `The key ${key} of ` : ''}${name} is overridden.`,
			() => override(name, { key, plan }, { limits, mode, for: time, reason }))) {
			form.reset();
			form.closest('details').open = false;
		}
	};
	const plans = Object.keys(policy.plans ?? {});
	return html`
		<details>
			<summary>Override its numbers or mode</summary>
			${policy.limits[1] && html`<p>A new limit replaces all of these.</p>`}
			<form class="fields" onSubmit=${submit}>
				<label>Only for the key <input name="key" autocomplete="off" /></label>
				${plans.length > 0 && html`<label>Only for the plan <select name="plan"><option value="">–</option>${plans.map((plan) => html`<option>${plan}</option>`)}</select></label>`}
				<label>Limit, permits <input name="limit" type="number" min="1" /></label>
				<label>in each, such as 2h <input name="window" /></label>
				<label>Burst <input name="burst" type="number" min="0" /></label>
				<label>Algorithm <select name="algorithm">${['token-bucket', 'leaky-bucket', 'fixed-window-counter', 'sliding-window-counter', 'sliding-window-log']
					.map((each) => html`<option selected=${each === own}>${each}</option>`)}</select></label>
				<label>Mode <select name="mode"><option value="">as it is</option><option>enforce</option><option>shadow</option></select></label>
				<label>For, such as 2h <input name="for" placeholder="until taken back" /></label>
				<label class="wide">Reason <input name="reason" maxlength="500" /></label>
				<button>Override</button>
			</form>
		</details>`;
}

export function Overrides({ policies, writable, act, ask }) {
	const all = Object.values(policies).flatMap((policy) => policy.overrides ?? []);
	const words = ({ policy, key, plan }) => key ? `the key ${key} of ${policy}` : plan ? `the plan ${plan} of ${policy}` : policy;
	const back = (each) => ask({
		question: 'Take this override back?', yes: 'Take back',
		detail: `For ${words(each)}, ${limits(each.defined.limits)} is then in force again, in the mode ${each.defined.mode}.`,
		action: () => act(`The override of ${words(each)} was taken back.`, () => takeBack(each))
	});
	return all.length > 0 && html`
		<section aria-labelledby="overrides">
			<h2 id="overrides">Overrides in force</h2>
			<div class="scroll" tabindex="0" role="region" aria-label="Table of overrides"><table>
				<thead><tr><th scope="col">What</th><th scope="col">In force</th><th scope="col">Otherwise</th><th scope="col">Until</th>
					<th scope="col">Reason</th>${writable && html`<th scope="col">Change</th>`}</tr></thead>
				<tbody>${all.map((each) => html`<tr>
					<th scope="row">${words(each)}</th>
					<td>${limits(each.limits)}, mode ${each.mode}, in ${each.scope}</td>
					<td>${limits(each.defined.limits)}, mode ${each.defined.mode}</td>
					<td>${each.until ? html`${until(each.until)}, until <time datetime=${each.until}>${moment(each.until)}</time>` : 'it is taken back'}</td>
					<td>${each.reason ?? 'none given'}${each.who && ` (${each.who})`}</td>
					${writable && html`<td><button type="button" aria-label=${`Take back the override of ${words(each)}`} onClick=${() => back(each)}>Take back</button></td>`}</tr>`)}
				</tbody>
			</table></div>
		</section>`;
}
