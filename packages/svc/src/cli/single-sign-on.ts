import { type Tokens, unwrap } from '@agent-control-plane/client';
import { openBrowser } from './browser.js';
import type { Context } from './context.js';
import { CommandFailedError } from './failures.js';
import { LoopbackCallback } from './loopback-callback.js';

/** Time limit of a sign-in, the same as the service's. */
const PATIENCE_MS = 10 * 60_000;

/**
 * Logs in through the person's browser. The service's one-time code returns to a port of this machine.
 *
 * @param opensBrowser false: the person opens the printed address
 * @throws CommandFailedError if the sign-in was not finished within ten minutes
 */
export async function singleSignOn(context: Context, opensBrowser: boolean): Promise<Tokens> {
  const callback = await LoopbackCallback.listen();
  try {
    const service = context.stranger();
    const body = { loopback_port: callback.port };
    const { authorization_url: url, flow } = await unwrap(service.POST('/auth/sso', { body }));
    const page = pageOf(url);
    context.terminal.note(`Log in in your browser:\n\n  ${page}\n`);
    if (opensBrowser) openBrowser(context, page);
    const query = await comeBack(callback, context);
    return await unwrap(service.POST('/auth/sso/tokens', { body: { flow, query } }));
  } finally {
    callback.close();
  }
}

/** Checks the address before it is printed and opened: only a web page, not a file or a program. */
function pageOf(url: string): string {
  if (/^https?:/i.test(url) && URL.canParse(url)) return new URL(url).href;
  throw new CommandFailedError('The service names no page to log in at');
}

async function comeBack(callback: LoopbackCallback, { signal, terminal }: Context): Promise<string> {
  const timeout = AbortSignal.timeout(PATIENCE_MS);
  const waiting = terminal.showProgress('Waiting for your browser');
  try {
    return await callback.query(AbortSignal.any([signal, timeout]));
  } catch (error) {
    if (!timeout.aborted) throw error;
    throw new CommandFailedError('Nobody has logged in within ten minutes: try again');
  } finally {
    waiting.end();
  }
}
