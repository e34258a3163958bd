// Which view is shown, and what of it: all that stands behind the # of the address, so that a link can be sent.

const VIEWS = ['', 'policy', 'in-force', 'findings', 'playground'];

/** Reads a view from the address. What is none is the table of policies. */
export function parse(hash) {
	if (hash.startsWith('#play=')) {
		return { view: 'playground' };
	}
	const [path, query] = hash.replace(/^#?\/?/, '').split('?');
	const [view, policy] = path.split('/');
	const of = new URLSearchParams(query);
	const shown = { find: of.get('find') ?? '', sort: of.get('sort') ?? '', scope: of.get('scope') ?? '' };
	return { ...shown, view: VIEWS.includes(view) ? view : '', policy: view === 'policy' ? decoded(policy) : null };
}

/** Returns the address of a view. The scope goes along from view to view. */
export function link({ view = '', policy, find, sort, scope }) {
	const path = [view, policy].filter((part) => part).map(encodeURIComponent).join('/');
	const query = new URLSearchParams(Object.entries({ find, sort, scope }).filter(([, value]) => value)).toString();
	return `#/${path}${query ? `?${query}` : ''}`;
}

export const toPolicy = (policy, { scope } = {}) => link({ view: 'policy', policy, scope });

function decoded(text = '') {
	try {
		return decodeURIComponent(text);
	}
	catch {
		return '';
	}
}
