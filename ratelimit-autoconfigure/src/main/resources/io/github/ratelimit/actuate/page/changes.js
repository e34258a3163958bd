// What can be changed: the dialog that asks first, the form for overrides, and how long something holds.

import { html, useEffect, useRef, useState } from './preact.js';
import { override } from './api.js';
import { limits, now } from './words.js';

/** The dialog focuses its button to cancel, so that the first key that is pressed changes nothing. It stays open while that fails. */
export function Confirmation({ question, detail, fields, yes, action, close }) {
	const dialog = useRef(null);
	const [failed, setFailed] = useState('');
	const [busy, setBusy] = useState(false);
	useEffect(() => {
		const element = dialog.current;
		const before = document.activeElement;
		element.showModal();
		element.querySelector('button').focus();
		return () => {
			element.close();
			before?.focus();
		};
	}, []);
	const submit = async (event) => {
		event.preventDefault();
		setBusy(true);
		const failure = await action(filled(event.target));
		setBusy(false);
		if (failure) {
			setFailed(failure);
		}
		else {
			close();
		}
	};
	return html`<dialog ref=${dialog} aria-labelledby="question" onCancel=${close}>
		<form onSubmit=${submit}>
			<h2 id="question">${question}</h2>
			<p>${detail}</p>
			${fields && html`<div class="fields">${fields}</div>`}
			${failed && html`<p role="alert" class="error">${failed}</p>`}
			<button type="button" onClick=${close}>Cancel</button>
			<button class="danger" disabled=${busy}>${yes}</button>
		</form>
	</dialog>`;
}

/** The fields of a form that have something in them. */
const filled = (form) => Object.fromEntries([...new FormData(form)].filter(([, text]) => text));

/** How long something holds, and why. */
export function Terms({ time = '', forever, reason = '' }) {
	return html`
		<label>For, such as 2h <input name="for" defaultValue=${time} placeholder=${forever} autocomplete="off" /></label>
		<label>or until <input name="until" type="datetime-local" /></label>
		<label class="wide">Reason <input name="reason" defaultValue=${reason} maxlength="500" autocomplete="off" /></label>`;
}

/** What is sent of the terms: a time until then, if that is filled in. */
export const terms = ({ for: time, until, reason }) =>
	({ for: until ? `${Math.round((new Date(until) - now()) / 1000)}s` : time, reason });

/* What a limit of each algorithm has beside its permits and window. */
const NUMBERS = {
	'token-bucket': ['burst'], 'leaky-bucket': ['burst', 'delay', 'nodelay'], 'fixed-window-counter': [],
	'sliding-window-counter': [], 'sliding-window-log': ['countRejected']
};

const PERIODS = { day: 'P1D', week: 'P1W', month: 'P1M', year: 'P1Y' };

const TIMES = [[10, 'ten times as much'], [2, 'twice as much'], [0.5, 'half as much'], [0.1, 'a tenth']];

/** A limit as it is sent, so many times as large. */
export function sent({ window, period, ...limit }, times = 1) {
	const numbers = Object.fromEntries(['limit', 'burst', 'delay'].filter((name) => limit[name] != null)
		.map((name) => [name, Math.max(name === 'limit' ? 1 : 0, Math.round(limit[name] * times))]));
	return { ...limit, ...numbers, window: period ? PERIODS[period] : `${Math.round(window * 1000)}ms` };
}

export const words = ({ policy, key, plan }) => key ? `the key ${key} of ${policy}` : plan ? `the plan ${plan} of ${policy}` : policy;

/** The form for an override, which opens for a key when one is given in `wanted`. */
export function Override(props) {
	const [number, setNumber] = useState(0);
	const [key, setKey] = useState(null);
	const details = useRef(null);
	const { wanted } = props;
	useEffect(() => {
		if (wanted) {
			setKey(wanted);
			setNumber(number + 1);
			details.current.open = true;
		}
	}, [wanted]);
	const close = () => {
		details.current.open = false;
		details.current.firstElementChild.focus();
		setKey(null);
		setNumber(number + 1);
	};
	return html`
		<details ref=${details}>
			<summary>Override its numbers or mode</summary>
			<${OverrideForm} key=${number} ...${props} wanted=${key} close=${close} />
		</details>`;
}

/* Preact empties the value of an option that is given none, and a form's reset does not know what Preact selected. */
function OverrideForm({ name, policy, act, close, wanted }) {
	const [plan, setPlan] = useState('');
	const [chosen, setChosen] = useState('');
	const [times, setTimes] = useState('');
	const form = useRef(null);
	useEffect(() => {
		if (wanted) {
			form.current.scrollIntoView({ block: 'nearest' });
			(form.current.elements.times ?? form.current.elements.limit).focus();
		}
	}, []);
	const defined = wanted?.limits ?? (plan ? policy.plans[plan] : policy).limits;
	const own = defined[0] ?? { algorithm: 'token-bucket' };
	const submit = async (event) => {
		event.preventDefault();
		const { key, plan, mode, times, for: time, until, reason, ...typed } = filled(event.target);
		const limits = times ? defined.map((each) => sent(each, Number(times))) : given(typed, chosen || own.algorithm, own);
		if (!await act((answer) => `${words(answer)} is overridden: ${inForce(answer)}.`,
			() => override(name, { key, plan }, { limits, mode, ...terms({ for: time, until, reason }) }))) {
			close();
		}
	};
	return html`
		<form class="fields" ref=${form} onSubmit=${submit}>
			<label>Only for the key <input name="key" defaultValue=${wanted?.key ?? ''} autocomplete="off" /></label>
			${policy.plans && html`<label>Only for the plan <select name="plan" value=${plan} onChange=${(event) => setPlan(event.target.value)}>
				<option value="">–</option>${Object.keys(policy.plans).map((each) => html`<option value=${each}>${each}</option>`)}</select></label>`}
			${defined.length > 0 && html`<label>Numbers <select name="times" value=${times} onChange=${(event) => setTimes(event.target.value)}>
				<option value="">as follows</option>${TIMES.map(([number, words]) => html`<option value=${number}>${words}</option>`)}</select></label>`}
			${times ? html`<p class="wide">That is ${limits(defined.map((each) => scaled(each, Number(times))))}.</p>`
				: html`<${Numbers} own=${own} chosen=${chosen} choose=${setChosen} replaced=${defined.length} />`}
			<label>Mode <select name="mode"><option value="">as defined: ${policy.mode}</option><option value="enforce">enforce</option>
				<option value="inform">inform</option><option value="shadow">shadow</option></select></label>
			<${Terms} forever="until taken back" />
			<button>Override</button>
		</form>`;
}

const inForce = (answer) => `${limits(answer.limits)}, mode ${answer.mode}`;

const scaled = (limit, times) => ({ ...sent(limit, times), window: limit.window, period: limit.period });

/* What is left as it is in the form is that of the defined limit, if it has the same algorithm. */
function given(limit, algorithm, own) {
	if (Object.keys(limit).length === 0) {
		return undefined;
	}
	const defined = algorithm === own.algorithm ? own : {};
	limit.algorithm = algorithm;
	choices(algorithm).forEach((choice) => limit[choice] ??= Boolean(defined[choice]));
	limit.burst ??= burst(defined);
	if (String(limit.nodelay) === 'false') {
		limit.delay ??= defined.delay;
	}
	return [limit];
}

const choices = (algorithm) => ['nodelay', 'countRejected'].filter((choice) => NUMBERS[algorithm].includes(choice));

/* The burst of a token bucket follows its limit, unless it has one of its own. */
const burst = ({ algorithm, burst, limit }) => algorithm === 'token-bucket' && burst === limit ? undefined : burst;

function Numbers({ own, chosen, choose, replaced }) {
	const algorithm = chosen || own.algorithm;
	const has = (number) => NUMBERS[algorithm].includes(number);
	const defined = algorithm === own.algorithm ? own : {};
	return html`
		<label>Limit, permits <input name="limit" type="number" min="1" /></label>
		<label>in each, such as 2h <input name="window" /></label>
		<label>Algorithm <select name="algorithm" value=${chosen} onChange=${(event) => choose(event.target.value)}>
			<option value="">as defined: ${own.algorithm}</option>
			${Object.keys(NUMBERS).map((each) => html`<option value=${each}>${each}</option>`)}</select></label>
		${has('burst') && html`<label>Burst, permits <input name="burst" type="number" min="0" placeholder=${burst(defined)} /></label>`}
		${has('delay') && html`<label>Delay, permits of the burst <input name="delay" type="number" min="0" placeholder=${defined.delay} /></label>`}
		${choices(algorithm).map((choice) => html`<label key=${choice}>${choice === 'nodelay' ? 'Without delay' : 'Rejected requests count'}
			<select name=${choice}><option value="">${defined[choice] ? 'yes' : 'no'}</option>
				<option value=${!defined[choice]}>${defined[choice] ? 'no' : 'yes'}</option></select></label>`)}
		${replaced > 1 && html`<p class="wide">A new limit replaces all ${replaced} of these.</p>`}`;
}
