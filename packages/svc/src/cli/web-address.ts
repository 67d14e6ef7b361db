import { unwrap } from '@agent-control-plane/client';
import { normalAddress } from './api-address.js';
import type { Context } from './context.js';
import { contextAt } from './contexts.js';
import { UsageError } from './failures.js';

/**
 * The dashboard's address: `SERVICE_WEB_URL`, else that of the context, else what the service says.
 *
 * @throws UsageError if none of them names one
 */
export async function webAddress(context: Context): Promise<string> {
  const { address, config, environment } = context;
  const { SERVICE_WEB_URL: named } = environment;
  if (named) return normalAddress(named, 'SERVICE_WEB_URL');
  const kept = contextAt(await config.read(), address.url)?.web_url;
  if (kept !== undefined) return kept;
  const { web_url: told } = await unwrap(context.stranger().GET('/'));
  // the check lets only web pages through: the address is opened
  if (told) return normalAddress(told, "The service's web_url");
  throw new UsageError(
    `The dashboard of ${address.url} is not known: set WEB_PUBLIC_URL of the service, SERVICE_WEB_URL, or "svc context add --web-url"`,
  );
}
