import { CommandFailedError } from './failures.js';

export const DEFAULT_API_URL = 'http://127.0.0.1:8000';

/** A context: an address of a service, and the caller's login there. */
export interface Login {
  readonly name: string;
  /** Null in a file written by hand: the default address, and the credential is used for any given address. */
  readonly api_url: string | null;
  /** The access token of a login, or a user API key. It is sent to `api_url` only. */
  readonly api_key: string | null;
  readonly refresh_token: string | null;
  /** The dashboard's address, for `svc open`. */
  readonly web_url?: string;
  /** The project that commands use; absent: all of the caller's. */
  readonly project_id?: string | undefined;
}

/** `~/.svc/config.json`: the current context, and the others. No two have the same name or the same address. */
export interface Config extends Login {
  readonly contexts: readonly Login[];
}

export type Tokens = Pick<Login, 'api_key' | 'refresh_token'>;

const NOBODY: Tokens = { api_key: null, refresh_token: null };
const NO_LOGIN: Login = { name: contextName(DEFAULT_API_URL), api_url: DEFAULT_API_URL, ...NOBODY };
export const NO_CONFIG: Config = { ...NO_LOGIN, contexts: [] };

/** The default name of a context: the address without `http://`. */
export function contextName(address: string): string {
  return address.replace(/^https?:\/\//, '');
}

/** All contexts, the current one first. */
export function contextsOf({ contexts, ...current }: Config): readonly Login[] {
  return [current, ...contexts];
}

/** The context for an address, with or without a credential. */
export function contextAt(config: Config, address: string): Login | undefined {
  const all = contextsOf(config);
  return all.find(({ api_url }) => api_url === address) ?? all.find(({ api_url }) => api_url === null);
}

/** The caller's login at another address of the same machine: `localhost` for `127.0.0.1`. */
export function loginAtTwin(config: Config, address: string): Login | undefined {
  const place = placeOf(address);
  return contextsOf(config).find(
    ({ api_url, api_key }) =>
      api_key !== null && api_url !== null && api_url !== address && placeOf(api_url) === place,
  );
}

/** The config with this login as the current one. */
export function withLogin(config: Config, address: string, tokens: Tokens): Config {
  const known = contextAt(config, address);
  const name = known?.name ?? freeName(config, address);
  return withCurrent(config, { ...known, name, api_url: address, ...tokens });
}

/** The config with renewed tokens of a context; unchanged if a logout has removed its tokens in the meantime. */
export function withTokens(config: Config, address: string, tokens: Tokens): Config {
  const known = contextAt(config, address);
  const renewed = (it: Login) => (it.name === known?.name && it.api_key !== null ? { ...it, ...tokens } : it);
  const [current, ...contexts] = contextsOf(config).map(renewed);
  return { ...current!, contexts };
}

/** The config with the project that commands at an address use; undefined: all of the caller's. */
export function withProject(config: Config, address: string, projectId: string | undefined): Config {
  const known = contextAt(config, address);
  const [current, ...contexts] = contextsOf(config).map((it) =>
    it.name === known?.name ? { ...it, project_id: projectId } : it,
  );
  return { ...current!, contexts };
}

/** @throws CommandFailedError if another context has the name or the address */
export function withContext(
  config: Config,
  context: Pick<Login, 'name' | 'web_url'> & { api_url: string },
): Config {
  const taken = contextsOf(config).find(
    ({ name, api_url }) => name === context.name || api_url === context.api_url,
  );
  if (taken && !isNothing(taken))
    throw new CommandFailedError(
      `The context ${taken.name} is for ${taken.api_url ?? DEFAULT_API_URL}: remove it first with "svc context remove ${taken.name}"`,
    );
  const { contexts } = config;
  const added: Login = { ...context, ...NOBODY };
  return isNothing(config) ? { ...added, contexts } : { ...config, contexts: [...contexts, added] };
}

/** The context with this name or this address. @throws CommandFailedError */
export function contextCalled(config: Config, text: string): Login {
  const all = contextsOf(config);
  const found = all.find(({ name }) => name === text) ?? all.find(({ api_url }) => api_url === text);
  if (found) return found;
  throw new CommandFailedError(
    `No context is called "${text}": there are ${all.map(({ name }) => name).join(', ')}`,
  );
}

/** The config with this context as the current one. */
export function withCurrent(config: Config, context: Login): Config {
  const others = contextsOf(config).filter((it) => it.name !== context.name && !isNothing(it));
  return { ...context, contexts: others };
}

/** The config without a context. Without the current one, commands use the default address. */
export function withoutContext(config: Config, removed: string): Config {
  const others = config.contexts.filter(({ name }) => name !== removed);
  return config.name === removed ? { ...NO_LOGIN, contexts: others } : { ...config, contexts: others };
}

/** Returns true for the default context, without a name or a login. */
function isNothing({ name, api_url, api_key, web_url }: Login): boolean {
  return name === NO_LOGIN.name && api_url === DEFAULT_API_URL && api_key === null && web_url === undefined;
}

function freeName(config: Config, address: string): string {
  const short = contextName(address);
  return contextsOf(config).some((it) => it.name === short && !isNothing(it)) ? address : short;
}

function placeOf(address: string): string {
  const url = new URL(address);
  if (['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)) url.hostname = 'localhost';
  return url.href;
}
