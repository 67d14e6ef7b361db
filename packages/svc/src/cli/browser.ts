import { spawn } from 'node:child_process';
import type { Context } from './context.js';

/**
 * Opens an address in the browser of the person at the terminal, if there is one and a desktop; does not wait for it.
 */
export function openBrowser({ terminal, environment }: Context, url: string): void {
  const isMac = process.platform === 'darwin';
  const hasDesktop = isMac || Boolean(environment.DISPLAY || environment.WAYLAND_DISPLAY);
  if (!terminal.isInteractive || !hasDesktop) return;
  const browser = spawn(isMac ? 'open' : 'xdg-open', [url], { stdio: 'ignore', detached: true });
  // the address has been printed: without a browser it can be copied
  browser.on('error', () => undefined).unref();
}
