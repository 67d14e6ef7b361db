import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unwrap } from '@agent-control-plane/client';
import { replaceFile } from '@agent-control-plane/client/internal/runtime/atomic-file';
import { assertWritable } from '@agent-control-plane/client/internal/runtime/private-directory';
import { StateDirectoryError } from '@agent-control-plane/client/runtime';
import type { ServiceLink } from '@agent-control-plane/client/internal/runtime/service-link';
import { pathId } from './path-id.js';
import { makeStateDirectory } from './state-directory.js';

/**
 * The agent of a key. The service is asked once for each key; the answer is then stored, so that an agent's processes
 * start during an outage of the service.
 *
 * @param directory of the stored answers, each under the digest of its key
 * @throws StateDirectoryError, UnsafeDirectoryError before the service is asked; UnexpectedReplyError; KeyRefusedError, or the signal's reason
 */
export async function agentOfKey(
  key: string,
  directory: string,
  link: ServiceLink,
  signal: AbortSignal,
): Promise<string> {
  const file = join(directory, createHash('sha256').update(key).digest('hex'));
  // first: what another user has put there is not read
  makeStateDirectory(directory);
  const kept = readKept(file);
  if (kept !== undefined) return kept;
  try {
    assertWritable(directory);
  } catch (error) {
    throw new StateDirectoryError(directory, error);
  }
  const reply = await link.retryTransient(
    (service, ended) => unwrap(service.POST('/agents/register', { body: {}, signal: ended })),
    signal,
  );
  const agentId = pathId(reply.agent_id, 'an agent');
  await replaceFile(file, `${agentId}\n`);
  return agentId;
}

/** Undefined for a file that is not there, or that was not written whole. */
function readKept(file: string): string | undefined {
  try {
    return pathId(readFileSync(file, 'utf8').trim(), 'an agent');
  } catch {
    return undefined;
  }
}
