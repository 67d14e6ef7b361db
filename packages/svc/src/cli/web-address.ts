import { normalAddress } from './api-address.js';
import type { Context } from './context.js';
import { contextAt } from './contexts.js';
import { UsageError } from './failures.js';

/**
 * The dashboard's address: `SERVICE_WEB_URL`, else that of the context, else port 3000 if the service has port 8000.
 *
 * @throws UsageError if none of them is set
 */
export async function webAddress({ address, config, environment }: Context): Promise<string> {
  const { SERVICE_WEB_URL: named } = environment;
  if (named) return normalAddress(named, 'SERVICE_WEB_URL');
  const kept = contextAt(await config.read(), address.url)?.web_url;
  if (kept !== undefined) return kept;
  const url = new URL(address.url);
  if (url.port !== '8000')
    throw new UsageError(
      `The dashboard of ${address.url} is not known: set SERVICE_WEB_URL, or "svc context add --web-url"`,
    );
  url.port = '3000';
  return url.origin;
}
