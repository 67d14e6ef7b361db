import { pathHere } from '../components/page-meta.js';

const KEY = 'approval-notifications';
/** One notification at a time, whatever the number of tabs. */
const TAG = 'approvals';

/** The permissions of the browser and the person for notifications. */
export type Notifying = 'unable' | 'refused' | 'off' | 'on';

export function notifying(): Notifying {
  if (!('Notification' in globalThis)) return 'unable';
  if (Notification.permission === 'denied') return 'refused';
  const isOn = Notification.permission === 'granted' && localStorage.getItem(KEY) !== null;
  return isOn ? 'on' : 'off';
}

export const notifies = (): boolean => notifying() === 'on';

/** Asks the person for the permission, if they have not answered yet. */
export async function beginNotifying(): Promise<Notifying> {
  if ((await Notification.requestPermission()) === 'granted') localStorage.setItem(KEY, 'on');
  return notifying();
}

export function endNotifying(): Notifying {
  localStorage.removeItem(KEY);
  return notifying();
}

/** Says that another question waits, unless the person looks at this page. It quotes nothing: others may see the screen. */
export function notify(count: number): void {
  if (!notifies() || document.hasFocus()) return;
  const body = count === 1 ? 'One approval is waiting' : `${count} approvals are waiting`;
  try {
    const icon = pathHere('/icon.svg');
    const shown = new Notification('An agent needs a decision before it acts', { body, tag: TAG, icon });
    shown.onclick = () => {
      window.focus();
      shown.close();
    };
  } catch {
    // On phones only service workers may notify, and there is none.
  }
}
