import { type ErrorBody, type ServiceClient, unwrap } from '@agent-control-plane/client';
import { type CodeSource, proveByCode } from './second-factor.js';

/** A middleware of openapi-fetch, which stands between a reply and its caller; the client does not export that type. */
type Middleware = Parameters<ServiceClient['use']>[0];

/**
 * Asks for a code when the service refuses a request of a login that has not proved its second factor lately, and then sends
 * the request again.
 */
export function steppingUp(client: ServiceClient, source: CodeSource): Middleware {
  return {
    async onResponse({ request, response, options }) {
      const refusal = await stepUpRefusal(response);
      if (refusal === undefined) return undefined;
      await proveByCode(source, refusal, (body) => unwrap(client.POST('/auth/step-up', { body })));
      return options.fetch(request);
    },
  };
}

/** The message of a refusal for want of a fresh second factor; undefined for any other reply. */
async function stepUpRefusal(response: Response): Promise<string | undefined> {
  if (response.status !== 403) return undefined;
  const body = (await response
    .clone()
    .json()
    .catch(() => null)) as Partial<ErrorBody> | null;
  return body?.code === 'step_up_required' ? body.detail : undefined;
}
