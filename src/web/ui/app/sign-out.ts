import { useEffect } from 'react';
import { signOut } from '../api/session.js';
import { showFailure } from '../components/announce.js';
import { pathHere } from '../components/page-meta.js';

/** The other tabs of this browser, which share the session. Dashboards at other paths of this host have sessions of their own. */
const tabs = new BroadcastChannel(pathHere('session'));

/** Signs out and reloads the page, so that no data of this user stays in memory. */
export async function signOutHere(): Promise<void> {
  try {
    await signOut();
  } catch (error) {
    showFailure('You are still signed in', error);
    return;
  }
  tabs.postMessage('signed out');
  location.assign(pathHere('/sign-in'));
}

/** Takes this tab to the sign-in page when another one has signed out. */
export function useSignOutElsewhere(): void {
  useEffect(() => {
    const leave = () => location.reload();
    tabs.addEventListener('message', leave);
    return () => tabs.removeEventListener('message', leave);
  }, []);
}
