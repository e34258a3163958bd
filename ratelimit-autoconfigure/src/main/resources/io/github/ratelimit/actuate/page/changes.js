// One key, and what can be changed: resets and overrides.

import { html, useEffect, useRef, useState } from './preact.js';
import { override, read, reset, takeBack } from './api.js';
import { count, counted, duration, limits, moment, until } from './words.js';

/** The dialog focuses its first button. */
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
		<button type="button" onClick=${cancel}>Cancel</button>
		<button type="button" class="danger" onClick=${action}>${yes}</button>
	</dialog>`;
}

export function Key({ policy, wanted, expressions, writable, act, ask }) {
	const [key, setKey] = useState('');
	const [found, setFound] = useState(null);
	const [error, setError] = useState('');
	const look = async (typed) => {
		setError('');
		try {
			const standing = await read(policy, null, { key: typed });
			setFound(standing && { ...standing, at: new Date() });
		}
		catch (ex) {
			setFound(null);
			setError(ex.message);
		}
	};
	useEffect(() => {
		if (wanted) {
			setKey(wanted.key);
			look(wanted.key);
		}
	}, [wanted]);
	const resetKey = () => ask({
		question: `Reset this key of ${policy}?`, yes: 'Reset',
		detail: html`<code>${found.key}</code> then has all its permits${found.banned && ' and is no longer banned'}. This cannot be undone.`,
		action: () => act(() => `The key ${found.key} of ${policy} was reset.`, () => reset(policy, found.key)).then(() => look(found.key))
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
			<p><small>Looked up at ${found.at.toLocaleTimeString('en')}.</small></p>
			${found.override && html`<p>It has an override${found.override.reason && html`: <q>${found.override.reason}</q>`}.</p>`}
			${writable && html`<button type="button" onClick=${resetKey}>${found.banned ? 'Unban and reset' : 'Reset'}</button>`}
		</div>`}`;
}

function later({ nextPermitAfter, resetAfter }) {
	return resetAfter > 0 ? `${nextPermitAfter > 0 ? `, the next one in ${duration(nextPermitAfter)}` : ''}, and all of them in ${duration(resetAfter)}`
		: ', which is all';
}

/* What a limit of each algorithm has beside its permits and window. */
const NUMBERS = {
	'token-bucket': ['burst'], 'leaky-bucket': ['burst', 'delay', 'nodelay'], 'fixed-window-counter': [],
	'sliding-window-counter': [], 'sliding-window-log': ['countRejected']
};

export function Override(props) {
	const [number, setNumber] = useState(0);
	const details = useRef(null);
	const close = () => {
		details.current.open = false;
		details.current.firstElementChild.focus();
		setNumber(number + 1);
	};
	return html`
		<details ref=${details}>
			<summary>Override its numbers or mode</summary>
			${props.policy.limits[1] && html`<p>A new limit replaces all of these.</p>`}
			<${OverrideForm} key=${number} ...${props} close=${close} />
		</details>`;
}

/* Preact empties the value of an option that is given none, and a form's reset does not know what Preact selected. */
function OverrideForm({ name, policy, act, close }) {
	const [plan, setPlan] = useState('');
	const [chosen, setChosen] = useState('');
	const own = (plan ? policy.plans[plan].limits : policy.limits)[0] ?? { algorithm: 'token-bucket' };
	const algorithm = chosen || own.algorithm;
	const has = (number) => NUMBERS[algorithm].includes(number);
	const defined = algorithm === own.algorithm ? own : {};
	/* The burst of a token bucket follows its limit, unless it has one of its own. */
	const burst = algorithm === 'token-bucket' && defined.burst === defined.limit ? undefined : defined.burst;
	const isSet = (choice) => defined[choice];
	const choices = ['nodelay', 'countRejected'].filter(has);
	const submit = async (event) => {
		event.preventDefault();
		const { key, plan, mode, for: time, reason, ...limit } = Object.fromEntries([...new FormData(event.target)].filter(([, text]) => text));
		if (Object.keys(limit).length) {
			limit.algorithm = algorithm;
			choices.forEach((choice) => limit[choice] ??= Boolean(isSet(choice)));
			limit.burst ??= burst;
			if (String(limit.nodelay) === 'false') {
				limit.delay ??= defined.delay;
			}
		}
		if (await act((answer) => `${words(answer)} is overridden: ${limits(answer.limits)}, mode ${answer.mode}.`,
			() => override(name, { key, plan }, { limits: limit.algorithm && [limit], mode, for: time, reason }))) {
			close();
		}
	};
	return html`
		<form class="fields" onSubmit=${submit}>
			<label>Only for the key <input name="key" autocomplete="off" /></label>
			${policy.plans && html`<label>Only for the plan <select name="plan" value=${plan} onChange=${(event) => setPlan(event.target.value)}>
				<option value="">–</option>${Object.keys(policy.plans).map((each) => html`<option value=${each}>${each}</option>`)}</select></label>`}
			<label>Limit, permits <input name="limit" type="number" min="1" /></label>
			<label>in each, such as 2h <input name="window" /></label>
			<label>Algorithm <select name="algorithm" value=${chosen} onChange=${(event) => setChosen(event.target.value)}>
				<option value="">as defined: ${own.algorithm}</option>
				${Object.keys(NUMBERS).map((each) => html`<option value=${each}>${each}</option>`)}</select></label>
			${has('burst') && html`<label>Burst, permits <input name="burst" type="number" min="0" placeholder=${burst} /></label>`}
			${has('delay') && html`<label>Delay, permits of the burst <input name="delay" type="number" min="0" placeholder=${defined.delay} /></label>`}
			${choices.map((choice) => html`<label key=${choice}>${choice === 'nodelay' ? 'Without delay' : 'Rejected requests count'}
				<select name=${choice}><option value="">${isSet(choice) ? 'yes' : 'no'}</option>
					<option value=${!isSet(choice)}>${isSet(choice) ? 'no' : 'yes'}</option></select></label>`)}
			<label>Mode <select name="mode"><option value="">as defined: ${policy.mode}</option><option value="enforce">enforce</option>
				<option value="inform">inform</option><option value="shadow">shadow</option></select></label>
			<label>For, such as 2h <input name="for" placeholder="until taken back" /></label>
			<label class="wide">Reason <input name="reason" maxlength="500" /></label>
			<button>Override</button>
		</form>`;
}

const words = ({ policy, key, plan }) => key ? `the key ${key} of ${policy}` : plan ? `the plan ${plan} of ${policy}` : policy;

export function Overrides({ policies, writable, act, ask }) {
	const all = Object.values(policies).flatMap((policy) => policy.overrides ?? []);
	const back = (each) => ask({
		question: 'Take this override back?', yes: 'Take back',
		detail: each.key && all.some((other) => other.policy === each.policy && !other.key)
			? `${words(each)} is then limited as others are, by the overrides of the policy and its plans.`
			: `For ${words(each)}, ${limits(each.defined.limits)} is then in force again, in the mode ${each.defined.mode}.`,
		action: () => act(() => `The override of ${words(each)} was taken back.`, () => takeBack(each))
	});
	return all.length > 0 && html`
		<section aria-labelledby="overrides">
			<h2 id="overrides">Overrides in force</h2>
			<div class="scroll" tabindex="0" role="region" aria-label="Table of overrides"><table>
				<thead><tr><th scope="col">What</th><th scope="col">In force</th><th scope="col">Defined</th><th scope="col">Until</th>
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
