// What is configured and does nothing, or not what it seems.

import { html } from './preact.js';
import { toPolicy } from './routes.js';

export function Findings({ all, route }) {
	return html`
		<ul class="findings">${all.map((each) => html`
			<li class=${each.level === 'warning' ? 'warning' : 'info'}>
				<strong>${each.level === 'warning' ? 'Warning' : 'Note'} <a href=${each.link}>${each.code}</a></strong>${each.policy && html` (<a href=${toPolicy(each.policy, route)}>${each.policy}</a>)`}:
				${' '}${each.message} ${each.action}
			</li>`)}
		</ul>`;
}
