import { VarveDB, VarveError } from 'varvedb';
import { button, byId, element } from './ui/dom';
import { problemParagraphs } from './ui/problem';

const STORE = 'idb://varvedb-demo';

/** Opens the demo's store; as long as that fails, says why and offers to try again. */
export async function openStore(): Promise<VarveDB> {
  const state = byId('store-state', HTMLParagraphElement);
  const notice = byId('open-problem', HTMLElement);
  for (;;) {
    state.textContent = 'Opening…';
    try {
      const db = await VarveDB.create(STORE);
      notice.hidden = true;
      state.textContent = `${STORE} is open`;
      return db;
    } catch (problem) {
      state.textContent = 'Not open';
      await shownUntilRetry(notice, problem);
    }
  }
}

/**
 * Resolves when the user asks for another try. The button stays until that has failed too, and says that it
 * takes no click meanwhile: one would be lost.
 */
function shownUntilRetry(notice: HTMLElement, problem: unknown): Promise<void> {
  const isLocked = problem instanceof VarveError && problem.code === 'store_locked';
  const title = isLocked
    ? 'This database is open in another tab'
    : 'The database could not be opened';
  const explanation = isLocked
    ? [element('p', {}, 'Only one tab at a time can have it. Close the other one, then try again.')]
    : problemParagraphs(problem);
  return new Promise((resolve) => {
    const hadFocus = notice.contains(document.activeElement);
    const again = () => {
      // Not `disabled`, which would drop the keyboard's focus.
      retry.setAttribute('aria-disabled', 'true');
      resolve();
    };
    const retry = button('Try again', again, { class: 'primary' });
    notice.replaceChildren(element('h2', {}, title), ...explanation, retry);
    notice.hidden = false;
    if (hadFocus) retry.focus();
  });
}
