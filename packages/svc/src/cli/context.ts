import type { ServiceClient } from '@agent-control-plane/client';
import type { ApiAddress } from './api-address.js';
import type { Outline } from './command-declaration.js';
import type { ConfigFile } from './config-file.js';
import type { JsonView } from './output/json-view.js';
import type { Prompts } from './prompts.js';
import type { CredentialKind } from './session.js';
import type { Terminal } from './terminal.js';

/** The formats of `-o`. */
export const OUTPUT_FORMATS = ['table', 'wide', 'json', 'yaml', 'name'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** The surroundings of a command. */
export interface Context {
  readonly terminal: Terminal;
  /** The variables of the process. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The service's address. */
  readonly address: ApiAddress;
  readonly config: ConfigFile;
  /** A table for people, or the data itself in the form of the view. */
  readonly output: 'table' | 'json';
  /** True: tables have all of their columns, and nothing is shortened. */
  readonly isWide: boolean;
  /** Selection and form of the data to print. */
  readonly view: JsonView;
  /** `--project`, as it was given. */
  readonly namedProject: string | undefined;
  /** The kind of credential for this address. */
  readonly credential: CredentialKind;
  /** Advice on how to get a credential for this address. */
  readonly loginAdvice: string;
  /** Aborted by SIGINT, SIGTERM and SIGHUP. A second signal ends the process at once, unless `hurry` was called. */
  readonly signal: AbortSignal;
  /** Makes a second signal abort the returned one, for a command that must not be killed. */
  hurry(): AbortSignal;
  readonly now: () => Date;
  /**
   * The id of the project of this command: of `--project`, else the one that the context remembers. Undefined: all of the
   * caller's.
   *
   * @throws CommandFailedError if no project or more than one has the given name
   */
  projectId(): Promise<string | undefined>;
  /** A client with the caller's credential. @throws NotLoggedInError if there is none for this address */
  service(): ServiceClient;
  /**
   * `fetch` with the caller's credential, for a route outside of the API's document.
   *
   * @throws NotLoggedInError if there is none for this address
   */
  authorizedFetch(timeoutMs: number): (request: Request) => Promise<Response>;
  /** As {@link service}, with requests that the signal does not end, for a few seconds: to clean up. */
  lastService(): ServiceClient;
  /** A client without a credential, for open routes. */
  stranger(): ServiceClient;
  /** The prompts for a person, loaded on first use. */
  prompts(): Promise<Prompts>;
  /** All commands, for texts about them. */
  outline(): Promise<Outline>;
}
