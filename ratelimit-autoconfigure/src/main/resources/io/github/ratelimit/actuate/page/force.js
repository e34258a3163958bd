// What operators have put in force: overrides, bans, and who is exempt or denied.

import { html } from './preact.js';
import { ban, enlist, override, strike, takeBack } from './api.js';
import { Terms, sent, terms, words } from './changes.js';
import { askToEndBan, hits } from './keys.js';
import { Do, Table } from './parts.js';
import { count, limits, moment, until } from './words.js';

const Until = ({ instant, forever }) => instant ? html`${until(instant)}, until <time datetime=${instant}>${moment(instant)}</time>` : forever;

const Why = ({ each: { reason, who, by, since } }) => html`${reason ?? 'no reason given'}${(who ?? by) && ` (${who ?? by})`}${since && html`<br /><small>since ${moment(since)}</small>`}`;

/** The view of all that is in force. */
export function InForce({ data, act, ask, writable }) {
	const overrides = Object.values(data.policies).flatMap((policy) => policy.overrides ?? []);
	const bans = data.bans ?? [];
	const lists = LISTS.filter(([word]) => data[word]);
	const isEmpty = overrides.length + bans.length === 0;
	return html`
		<section aria-labelledby="view">
			<h2 id="view" tabindex="-1">In force</h2>
			${isEmpty && html`<p>No policy is overridden${data.bans && ', and no key is banned by hand'}.</p>`}
			<${Overrides} all=${overrides} policies=${data.policies} writable=${writable} act=${act} ask=${ask} />
			<${Bans} all=${bans} writable=${writable} act=${act} ask=${ask} />
			${lists.map(([word]) => html`<${Listed} word=${word} list=${data[word]} policies=${Object.keys(data.policies)} writable=${writable} act=${act} ask=${ask} />`)}
		</section>`;
}

/** The overrides that are given, if there are any. */
export function Overrides({ all, policies, writable, act, ask }) {
	const back = (each) => ask({
		question: 'Take this override back?', yes: 'Take back',
		detail: each.key && all.some((other) => other.policy === each.policy && !other.key)
			? `${words(each)} is then limited as others are, by the overrides of the policy and its plans.`
			: `For ${words(each)}, ${limits(each.defined.limits)} is then in force again, in the mode ${each.defined.mode}.`,
		action: () => act(() => `The override of ${words(each)} was taken back.`, () => takeBack(each))
	});
	const extend = (each) => ask({
		question: `Change the end of the override of ${words(each)}?`, yes: 'Change its end', detail: 'It is then in force for so long from now on.',
		fields: html`<${Terms} time="2h" reason=${each.reason} />`,
		action: (filled) => act((answer) => `The override of ${words(answer)} is in force ${answer.until ? `until ${moment(answer.until)}` : 'until it is taken back'}.`,
			() => override(each.policy, { key: each.key, plan: each.plan, version: each.version }, { ...numbers(each, policies[each.policy]), ...terms(filled) }))
	});
	return all.length > 0 && html`<h3 id="overrides">Overrides</h3>
		<${Table} title="Overrides" heads=${['What', 'In force', 'Defined', 'Until', 'Why', writable && 'Change']} rows=${all.map((each) => [
			words(each),
			`${limits(each.limits)}, mode ${each.mode}, in ${each.scope}`,
			`${limits(each.defined.limits)}, mode ${each.defined.mode}`,
			html`<${Until} instant=${each.until} forever="it is taken back" />`,
			html`<${Why} each=${each} />`,
			html`<${Do} what="Extend" whom=${`the override of ${words(each)}`} action=${() => extend(each)} />
				<${Do} what="Take back" whom=${`the override of ${words(each)}`} action=${() => back(each)} />`,
		])} />`;
}

/* What of an override is its own: what it leaves as it is defined goes on following that. A key follows its policy then, whatever its plan. */
function numbers(override, policy) {
	const otherwise = override.key ? policy.limits : override.defined.limits;
	const isSame = JSON.stringify(otherwise) === JSON.stringify(override.limits);
	const limits = isSame ? undefined : override.limits.map((each) => sent(each));
	return { limits, mode: isSame || override.mode !== override.defined.mode ? override.mode : undefined };
}

/** The bans that are given, if there are any. */
export function Bans({ all, writable, act, ask }) {
	const extend = (each) => ask({
		question: `Change the end of the ban of ${each.key}?`, yes: 'Change its end', detail: 'It is then banned for so long from now on.',
		fields: html`<${Terms} time="2h" reason=${each.reason} />`,
		action: (filled) => act((answer) => `${each.key} is banned from ${each.policy} until ${moment(answer.until)}.`,
			() => ban(each.policy, { key: each.key }, terms(filled)))
	});
	return all.length > 0 && html`<h3 id="bans">Bans by hand</h3>
		<${Table} title="Bans by hand" heads=${['Key', 'Policy', 'Until', 'Why', writable && 'Change']} rows=${all.map((each) => [
			html`<code>${each.key}</code>`,
			`${each.policy}, in ${each.scope}`,
			html`<${Until} instant=${each.until} forever="it is ended" />`,
			html`<${Why} each=${each} />`,
			html`<${Do} what="Extend" whom=${`the ban of ${each.key}`} action=${() => extend(each)} />
				<${Do} what="End" whom=${`the ban of ${each.key}`} action=${() => ask(askToEndBan(each.policy, each.key, act))} />`,
		])} />`;
}

/* Word, title, and what becomes of those who are in the list. */
const LISTS = [['deny', 'Denied', 'is answered with 403 before anything else'], ['exempt', 'Exempt', 'passes without being limited']];

function Listed({ word, list, policies, writable, act, ask }) {
	const [, title, effect] = LISTS.find(([each]) => each === word);
	const rows = [...(list.addresses ?? []), ...(list.keys ?? [])];
	const name = (each) => each.address ?? `the key ${each.key} of ${each.policy}`;
	const add = (isAddress) => ask({
		question: isAddress ? `${title}: which address?` : `${title}: which key?`, yes: 'Put in force',
		detail: isAddress ? `Whoever comes from it ${effect}.` : `What has this key ${effect}, where the policy would have decided.`,
		fields: html`${isAddress ? html`<label class="wide">Address or range, such as 203.0.113.0/24 <input name="address" required autocomplete="off" spellcheck=${false} /></label>`
			: html`<label>Policy <select name="policy">${policies.map((policy) => html`<option value=${policy}>${policy}</option>`)}</select></label>
				<label>Key <input name="key" required autocomplete="off" spellcheck=${false} /></label>`}
			<${Terms} forever="until it is ended" />`,
		action: ({ address, policy, key, ...filled }) => act((answer) => `${title}: ${name(answer)}.${hits(answer)}`,
			() => enlist(word, { address, policy, key, ...terms(filled) }))
	});
	const end = (each) => ask({
		question: `Remove ${name(each)}?`, yes: 'Remove', detail: `It is then no longer ${title.toLowerCase()}.`,
		action: () => act(() => `${title} no longer: ${name(each)}.`,
			() => strike(word, each.address ? { address: each.address } : { policy: each.policy, key: each.key }))
	});
	return html`
		<h3 id=${word}>${title}</h3>
		${rows.length > 0 ? html`<${Table} title=${title} heads=${['Who', 'Until', 'Why', writable && 'Change']} rows=${rows.map((each) => [
			html`<code>${name(each)}</code><br /><small>${each.scope}</small>`,
			html`<${Until} instant=${each.until} forever=${each.configured ? 'the configuration changes' : 'it is removed'} />`,
			each.configured ? `configured as ratelimit.${word}` : html`<${Why} each=${each} />`,
			!each.configured && html`<${Do} what="Remove" whom=${name(each)} action=${() => end(each)} />`,
		])} />` : html`<p>Nobody.</p>`}
		<p>${list.requests > 0 && `${count(list.requests)} requests since the start.`}</p>
		${writable && html`<div class="row"><button type="button" onClick=${() => add(true)}>${word === 'deny' ? 'Deny' : 'Exempt'} an address</button>
			<button type="button" onClick=${() => add(false)}>${word === 'deny' ? 'Deny' : 'Exempt'} a key</button></div>`}`;
}
