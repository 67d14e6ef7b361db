import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unwrap } from '@agent-control-plane/client';
import { replaceFile } from '@agent-control-plane/client/internal/runtime/atomic-file';
import {
  assertWritable,
  makePrivateDirectory,
} from '@agent-control-plane/client/internal/runtime/private-directory';
import { StateDirectoryError } from '@agent-control-plane/client/runtime';
import type { ServiceLink } from '@agent-control-plane/client/internal/runtime/service-link';

/**
 * The agent of a key. The service is asked once for each key; the answer is then stored, so that an agent's processes
 * start during an outage of the service.
 *
 * @param directory of the stored answers, each under the digest of its key
 * @throws StateDirectoryError before the service is asked; KeyRefusedError, or the signal's reason
 */
export async function agentOfKey(
  key: string,
  directory: string,
  link: ServiceLink,
  signal: AbortSignal,
): Promise<string> {
  const file = join(directory, createHash('sha256').update(key).digest('hex'));
  const kept = readKept(file);
  if (kept !== undefined) return kept;
  prepare(directory);
  const reply = await link.retryTransient(
    (service, ended) => unwrap(service.POST('/agents/register', { body: {}, signal: ended })),
    signal,
  );
  await replaceFile(file, `${reply.agent_id}\n`);
  return reply.agent_id;
}

function prepare(directory: string): void {
  try {
    makePrivateDirectory(directory);
    assertWritable(directory);
  } catch (error) {
    throw new StateDirectoryError(directory, error);
  }
}

function readKept(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
