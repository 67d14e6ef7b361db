import { hash, randomBytes } from 'node:crypto';
import { type Tokens, unwrap } from '@agent-control-plane/client';
import { openBrowser } from './browser.js';
import type { Context } from './context.js';
import { CommandFailedError } from './failures.js';
import { LoopbackCallback } from './loopback-callback.js';

/** Time limit of a sign-in, the same as the service's. */
const PATIENCE_MS = 10 * 60_000;
const VERIFIER_BYTES = 32;

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
    const code_verifier = randomBytes(VERIFIER_BYTES).toString('base64url');
    const code_challenge = hash('sha256', code_verifier, 'base64url');
    const body = { loopback_port: callback.port, code_challenge };
    const { authorization_url: url, flow } = await unwrap(service.POST('/auth/sso', { body }));
    const page = pageOf(url);
    context.terminal.note(`Log in in your browser:\n\n  ${page}\n`);
    context.terminal.note(`It asks whether you have begun this, and shows the code ${codeOf(page)}`);
    if (opensBrowser) openBrowser(context, page);
    const query = await comeBack(callback, context);
    return await unwrap(service.POST('/auth/sso/tokens', { body: { flow, code_verifier, query } }));
  } finally {
    callback.close();
  }
}

/** The beginning of the state's secret, which the dashboard's page shows before it sends the browser here. */
function codeOf(page: string): string {
  const secret = new URL(page).searchParams.get('state')?.split('.')[1] ?? '';
  return secret
    .replace(/[^A-Za-z0-9]/g, '')
    .slice(0, 8)
    .toUpperCase();
}

/** Checks the address before it is printed and opened: only a web page, not a file or a program. */
function pageOf(url: string): string {
  if (/^https?:/i.test(url) && URL.canParse(url)) return new URL(url).href;
  throw new CommandFailedError('The service has no page for single sign-on');
}

async function comeBack(callback: LoopbackCallback, { signal, terminal }: Context): Promise<string> {
  const timeout = AbortSignal.timeout(PATIENCE_MS);
  const waiting = terminal.showProgress('Waiting for your browser');
  try {
    return await callback.query(AbortSignal.any([signal, timeout]));
  } catch (error) {
    if (!timeout.aborted) throw error;
    throw new CommandFailedError('No login within ten minutes: try again');
  } finally {
    waiting.end();
  }
}
