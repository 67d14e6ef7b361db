import { isCredential } from '@agent-control-plane/client/internal/credentials';
import { type AddressCandidates, configuredAddress, namedAddress } from './api-address.js';
import type { Outline } from './command-declaration.js';
import { BrokenConfigError, ConfigFile } from './config-file.js';
import type { Context, OutputFormat } from './context.js';
import { type Config, contextAt, NO_CONFIG } from './contexts.js';
import { UsageError } from './failures.js';
import { ALL_PROJECTS, findProjectId } from './find-project.js';
import type { Prompts } from './prompts.js';
import type { JsonView } from './output/json-view.js';
import { printableLine } from './output/printable.js';
import { Session, type SessionOptions } from './session.js';
import type { Terminal } from './terminal.js';
import { version } from './version.js';

/** Time for the requests of a command that was interrupted; milliseconds. */
const LAST_WORDS_MS = 5_000;

export interface ContextOptions {
  readonly terminal: Terminal;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** `--api-url`. */
  readonly apiUrl: string | undefined;
  /** `--project`. */
  readonly project: string | undefined;
  readonly output: OutputFormat;
  readonly view: JsonView;
  /** True: an unusable config file is renamed. */
  readonly replacesConfig: boolean;
  readonly signal: AbortSignal;
  readonly hurry: () => AbortSignal;
  readonly prompts: () => Promise<Prompts>;
  readonly outline: () => Promise<Outline>;
}

/**
 * Creates the context of a command. The config file is read only if it is needed: in CI, where address and key come
 * from the environment, there may be no home directory.
 *
 * @throws UsageError for an invalid address; CommandFailedError for an unusable config file
 */
export async function createContext(options: ContextOptions): Promise<Context> {
  const { environment, signal } = options;
  const config = ConfigFile.ofUser(environment);
  const candidates: AddressCandidates = { option: options.apiUrl, environment: environment.SERVICE_API_URL };
  const keyFromEnvironment = credentialOf(environment.SERVICE_API_KEY);
  const named = namedAddress(candidates);
  const needsNoFile = named && keyFromEnvironment && !options.replacesConfig;
  const kept = needsNoFile ? undefined : await usableConfig(config, options);
  const address = named ?? configuredAddress(kept!, kept === NO_CONFIG);
  const userAgent = `svc/${version}`;
  const showWaiting = () => options.terminal.showProgress('Waiting for the service');
  const showUnkept = (reason: string) =>
    options.terminal.note(printableLine(`The login was renewed for this command alone: ${reason}`));
  const sessionOptions: SessionOptions = {
    apiUrl: address.url,
    config,
    environment,
    keyFromEnvironment,
    userAgent,
    signal,
    showWaiting,
    codes: {
      given: environment.SERVICE_CODE || undefined,
      terminal: options.terminal,
      prompts: options.prompts,
    },
    showUnkept,
  };
  const session = new Session(sessionOptions, kept);
  // a project in use belongs to the login: a key from the environment may be another person's
  const remembered =
    kept && session.kind !== 'environment' ? contextAt(kept, address.url)?.project_id : undefined;
  let projectId: Promise<string | undefined> | undefined;
  const context: Context = {
    terminal: options.terminal,
    environment,
    address,
    config,
    output: options.output === 'table' || options.output === 'wide' ? 'table' : 'json',
    isWide: options.output === 'wide',
    view: options.view,
    namedProject: options.project,
    credential: session.kind,
    loginAdvice: session.loginAdvice,
    signal,
    hurry: options.hurry,
    now: () => new Date(),
    projectId: () => (projectId ??= chosenProject(context, remembered)),
    service: () => session.client(),
    lastService: () =>
      new Session({ ...sessionOptions, signal: AbortSignal.timeout(LAST_WORDS_MS) }, kept).client(),
    authorizedFetch: (timeoutMs) => session.authorizedFetch(timeoutMs),
    stranger: () => session.stranger(),
    prompts: options.prompts,
    outline: options.outline,
  };
  return context;
}

async function chosenProject(context: Context, remembered: string | undefined): Promise<string | undefined> {
  const { namedProject } = context;
  if (namedProject === undefined) return remembered;
  return namedProject === ALL_PROJECTS ? undefined : findProjectId(context, namedProject);
}

async function usableConfig(file: ConfigFile, { replacesConfig, terminal }: ContextOptions): Promise<Config> {
  try {
    return await file.read();
  } catch (error) {
    if (!(error instanceof BrokenConfigError && replacesConfig)) throw error;
    const path = await file.moveAside();
    terminal.note(printableLine(`The config file could not be used: it is ${path} now`));
    return NO_CONFIG;
  }
}

/**
 * The credential in a variable; an empty one counts as absent. @throws UsageError for a text that is not allowed in a
 * header, without repeating it
 */
function credentialOf(variable: string | undefined): string | undefined {
  const key = variable?.trim() || undefined;
  if (key !== undefined && !isCredential(key))
    throw new UsageError('SERVICE_API_KEY contains characters that no key has: copy it again');
  return key;
}
