/** Addresses of this machine, which no proxy reaches. */
const OWN_ADDRESSES = 'localhost,127.0.0.1,[::1]';

/**
 * `fetch` through the proxies that the environment names: `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, also in small letters.
 * Node's own `fetch` passes them over unless `NODE_USE_ENV_PROXY` is set, which Node 20 does not know.
 */
export function proxiedFetch(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): (request: Request, init?: RequestInit) => Promise<Response> {
  const valueOf = (name: string) => environment[name] || environment[name.toUpperCase()] || '';
  const [httpProxy, httpsProxy] = ['http_proxy', 'https_proxy'].map((name) => addressOf(valueOf(name)));
  const noProxy = valueOf('no_proxy');
  if ((!httpProxy && !httpsProxy) || noProxy === '*') return (request, init) => fetch(request, init);
  // loaded where there is a proxy alone: it takes longer than the rest of a command
  const dispatcher = async () => {
    const { EnvHttpProxyAgent } = await import('undici');
    return new EnvHttpProxyAgent({ httpProxy, httpsProxy, noProxy: `${noProxy},${OWN_ADDRESSES}` });
  };
  let made: ReturnType<typeof dispatcher> | undefined;
  return async (request, init) => {
    made ??= dispatcher();
    // an option of Node's `fetch`, which the types of browsers do not have
    return fetch(request, { ...init, dispatcher: await made });
  };
}

function addressOf(proxy: string): string {
  return proxy === '' || proxy.includes('://') ? proxy : `http://${proxy}`;
}
