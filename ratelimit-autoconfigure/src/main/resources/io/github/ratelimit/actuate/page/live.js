// What is asked for again and again.

import { useEffect, useRef, useState } from './preact.js';

/**
 * Asks once, and again every so many milliseconds while the page is visible and live, and whenever the function that is
 * returned as well is called. An answer that a later one has overtaken is old. After a failure the last answer stays, but
 * for those who may no longer see it.
 */
export function useAnswer(ask, every, live) {
	const [state, setState] = useState({});
	const asked = useRef(0);
	const again = async () => {
		const turn = ++asked.current;
		const show = (next) => turn === asked.current && setState(next);
		try {
			const answer = await ask();
			show({ answer, at: Date.now() });
		}
		catch (error) {
			show((before) => ({ ...(!error.hides && before), error }));
		}
	};

	useEffect(() => {
		let timer;
		let over = false;
		const next = async () => {
			clearTimeout(timer);
			if (!document.hidden && (live || asked.current === 0)) {
				await again();
			}
			if (live && !over) {
				clearTimeout(timer);
				timer = setTimeout(next, every);
			}
		};
		next();
		document.addEventListener('visibilitychange', next);
		return () => {
			over = true;
			clearTimeout(timer);
			document.removeEventListener('visibilitychange', next);
		};
	}, [live]);
	return [state, again];
}
