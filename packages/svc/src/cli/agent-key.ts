import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { createServiceClient, ServiceError, unwrap } from '@agent-control-plane/client';
import { isCredential } from '@agent-control-plane/client/internal/credentials';
import { replaceFile } from '@agent-control-plane/client/internal/runtime/atomic-file';
import { messageOf } from '@agent-control-plane/client/internal/runtime/runtime-errors';
import { proxiedFetch } from '@agent-control-plane/client/internal/runtime/proxied-fetch';
import { pathId } from '../runner/path-id.js';
import type { AgentKey } from '../runner/run-agent.js';
import { makeStateDirectory } from '../runner/state-directory.js';
import type { CommandOption } from './command-declaration.js';
import type { Context } from './context.js';
import { CommandFailedError, UsageError } from './failures.js';
import { readDescriptor } from './key-descriptor.js';

/** The agent as which a command acts, or the key that it uses. */
export interface AgentKeySource {
  /** The agent's id: a key is made for the agent with the person's login, and kept. */
  readonly agentId: string | undefined;
  readonly keyFile: string | undefined;
  /** The number of an open file that holds it. */
  readonly keyDescriptor?: number | undefined;
}

/** The folder and the name of a key that is made. */
export interface KeyPlace {
  /** Undefined: the agent's own directory in {@link runDirectory}. */
  readonly stateDir: string | undefined;
  /** `svc run`. */
  readonly maker: string;
}

export const keyFileOption: CommandOption = {
  flags: '--key-file <file>',
  description: "a file with the agent's key; read again if the key is refused",
};

/** Parent of the directories of agents on this machine. */
export function runDirectory({ config }: Context): string {
  return join(dirname(config.path), 'run');
}

/**
 * The key that a file descriptor or a file holds, or SERVICE_AGENT_KEY, or that is made for the agent.
 *
 * @throws UsageError if nothing says which; CommandFailedError for an unusable file; NotLoggedInError
 */
export async function agentKeyOf(
  { agentId, keyFile, keyDescriptor }: AgentKeySource,
  context: Context,
  place: KeyPlace,
): Promise<AgentKey> {
  if (keyDescriptor !== undefined) return keyHandedOver(keyDescriptor, context.signal);
  const key = context.environment.SERVICE_AGENT_KEY?.trim();
  if (keyFile !== undefined) return keyInFile(keyFile);
  if (key) return { current: () => key };
  if (agentId === undefined)
    throw new UsageError(
      'Give the agent: --agent with its name, or its key by --key-file or SERVICE_AGENT_KEY',
    );
  const made = await keyMadeFor(agentId, context, place);
  return { current: () => made };
}

/** A key that can be read once: the program that started this process has to supply another one. */
async function keyHandedOver(fd: number, signal: AbortSignal): Promise<AgentKey> {
  const key = keyIn(await readDescriptor(fd, signal), `file descriptor ${fd}`);
  return { current: () => key };
}

/** @param source for messages @throws CommandFailedError */
function keyIn(text: string, source: string): string {
  // the lines after the first one may be a note of the file's author
  const [line = ''] = text.trim().split(/[\r\n]/, 1);
  const key = line.trimEnd();
  if (isCredential(key)) return key;
  throw new CommandFailedError(
    key === ''
      ? `${source} is empty: it should hold the agent's key`
      : `The first line of ${source} is not a key: it has characters that no key has`,
  );
}

/** A key from a file, which is read again when its key is refused: a rotated key is put there without a restart. */
function keyInFile(file: string): AgentKey {
  const read = () => {
    try {
      return keyIn(readFileSync(file, 'utf8'), file);
    } catch (error) {
      if (error instanceof CommandFailedError) throw error;
      throw new CommandFailedError(
        `${file} can't be read (${(error as NodeJS.ErrnoException).code}): it should hold the agent's key`,
      );
    }
  };
  let current = read();
  return {
    current: () => current,
    renew: async () => {
      try {
        return (current = read());
      } catch {
        // the program that replaces the file may not have finished
        return undefined;
      }
    },
  };
}

/** The key that was made before, if it is still valid; else a new one, created by the logged-in person. */
export async function keyMadeFor(agentId: string, context: Context, place: KeyPlace): Promise<string> {
  const directory = place.stateDir ?? join(runDirectory(context), pathId(agentId, 'an agent'));
  const file = join(directory, 'key');
  // without a directory for it, a new key would be created at each start
  makeOwnDirectory(directory);
  const kept = await readFile(file, 'utf8').then(
    (text) => text.trim(),
    () => '',
  );
  if (kept !== '' && !(await isRefused(kept, agentId, context))) return kept;
  const body = { name: `${place.maker} on ${hostname()}`.slice(0, 100), agent_id: agentId };
  const { key } = await unwrap(context.service().POST('/api-keys', { body, signal: context.signal }));
  await replaceFile(file, `${key}\n`);
  return key;
}

/** @throws CommandFailedError */
function makeOwnDirectory(directory: string): void {
  try {
    makeStateDirectory(directory);
  } catch (error) {
    throw new CommandFailedError(messageOf(error));
  }
}

/** Returns true only if the service itself refuses the key: during an outage the processes shall run all the same. */
async function isRefused(
  key: string,
  agentId: string,
  { address, environment, signal }: Context,
): Promise<boolean> {
  const service = createServiceClient({
    baseUrl: address.url,
    credentials: key,
    retries: 0,
    timeoutMs: 5_000,
    fetch: proxiedFetch(environment),
  });
  try {
    await service.GET('/agents/{agent_id}/status', { params: { path: { agent_id: agentId } }, signal });
    return false;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.isOfProxy) return false;
    return error.status === 401 || error.status === 403;
  }
}
