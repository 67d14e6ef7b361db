import { spawn } from 'node:child_process';

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/**
 * Opens a page in the person's browser, where there is one. Nothing is said where that fails: the caller has shown the
 * address.
 *
 * @param url an `http` or `https` address
 */
export function openInBrowser(url: string): void {
  if (!/^https?:$/.test(new URL(url).protocol)) return;
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}
