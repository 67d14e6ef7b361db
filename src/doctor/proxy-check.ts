import { type Finding, findingsOf } from './finding.js';

const address = findingsOf('address');
const poll = findingsOf('poll');

const HEALTH_MS = 10_000;
/** A poll that comes back so much earlier has not been waited out; seconds. */
const EARLY = 1;
/** A proxy may add so much to a poll; milliseconds. */
const LATE_MS = 30_000;

export interface PolledAddress {
  readonly url: string;
  /** Key of an agent; absent: nothing is polled. */
  readonly agentKey: string | undefined;
  readonly seconds: number;
}

/** The service as the world reaches it, and how long the proxies on that way let a poll wait. */
export async function checkAddress(polled: PolledAddress, version: string): Promise<readonly Finding[]> {
  const reached = await checkHealth(polled.url, version);
  if (reached.status === 'failed') return [reached];
  return [reached, await checkPoll(polled)];
}

async function checkHealth(url: string, version: string): Promise<Finding> {
  try {
    const reply = await fetch(`${url}/health`, { signal: AbortSignal.timeout(HEALTH_MS) });
    const body = (await reply.json().catch(() => undefined)) as { readonly version?: unknown } | undefined;
    if (reply.status !== 200 || typeof body?.version !== 'string') {
      return address.failed(
        `GET ${url}/health replied ${reply.status}, not as the service does`,
        'use the address of the service, not of the dashboard; check the proxy in front of it',
      );
    }
    if (body.version !== version)
      return address.warn(
        `the service at ${url} has the version ${body.version}, and this program ${version}`,
        'use the doctor of the same version',
      );
    return address.ok(`the service at ${url} answers`);
  } catch (error) {
    return address.failed(
      `${url} can't be reached: ${reasonOf(error)}`,
      'check the address, the name, the certificate and the proxy',
    );
  }
}

/** A real poll of an agent, without a byte until its end: the request that proxies end first. */
async function checkPoll({ url, agentKey, seconds }: PolledAddress): Promise<Finding> {
  if (agentKey === undefined) {
    return poll.warn(
      'the time-outs of the proxies were not tested',
      'set SERVICE_AGENT_KEY to the key of an agent created for this: svc agents create --name doctor',
    );
  }
  const begun = performance.now();
  const waited = () => Math.round((performance.now() - begun) / 100) / 10;
  const next =
    'let the proxy wait longer than 60 s, for example 75 (proxy_read_timeout, timeout server, idle timeout)';
  try {
    const reply = await fetch(`${url}/agents/commands?wait=${seconds}`, {
      headers: { Authorization: `Bearer ${agentKey}` },
      signal: AbortSignal.timeout(seconds * 1_000 + LATE_MS),
    });
    const body = (await reply.json().catch(() => undefined)) as { readonly commands?: unknown[] } | undefined;
    if (reply.status === 401 || reply.status === 403)
      return poll.failed(
        `the service refuses SERVICE_AGENT_KEY (${reply.status})`,
        'use the key of an agent',
      );
    if (reply.status !== 200 || !body?.commands)
      return poll.failed(`a poll of ${seconds} s ended after ${waited()} s with ${reply.status}`, next);
    if (waited() < seconds - EARLY)
      return poll.warn(
        `a poll of ${seconds} s was answered after ${waited()} s, with ${body.commands.length} commands`,
        'try again with the key of an agent that has no deployment, while no instance is shutting down',
      );
    return poll.ok(`a poll of ${seconds} s was answered after ${waited()} s`);
  } catch (error) {
    return poll.failed(`a poll of ${seconds} s was cut off after ${waited()} s: ${reasonOf(error)}`, next);
  }
}

/** Node's own error of a request says why in its cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { readonly message?: string; readonly cause?: unknown };
  const { message: inner, code } = (cause ?? {}) as { readonly message?: string; readonly code?: string };
  return inner || code || message || String(error);
}
