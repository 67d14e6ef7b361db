import { setTimeout as delay } from 'node:timers/promises';
import { isInUse } from './output-pipe.js';
import type { ProcessRecord, ProcessRecords } from './process-records.js';
import { findByEnvironment, killAtOnce, pidNamespace } from './process-table.js';

/** Time for the processes of a container that is being removed to end with it. */
const PATIENCE_MS = 5_000;
const LOOK_MS = 50;

/** An earlier runner's processes are running where this one can neither see nor end them. */
export class HiddenProcessesError extends Error {
  override readonly name = 'HiddenProcessesError';

  constructor(directory: string, pids: readonly number[]) {
    super(
      `Processes of an earlier runner (${pids.join(', ')} there) are at work in another PID namespace, with the ` +
        `state in ${directory}: end the container they are in`,
    );
  }
}

/** Returns true if the pid belongs to another PID namespace, where it may be any process of this one. */
export function isElsewhere({ pid_namespace: namespace }: ProcessRecord): boolean {
  return namespace !== undefined && namespace !== pidNamespace();
}

/** Kills processes with the mark of this state that are not spared, because no runner would manage them any more. */
export async function endStrays(stateId: string, spared: ReadonlySet<string>): Promise<void> {
  for (const { pid, value } of await findByEnvironment(['RUNNER_STATE_ID', stateId], 'REPLICA_ID')) {
    if (pid === process.pid || (value !== undefined && spared.has(value))) continue;
    killAtOnce(pid);
  }
}

/**
 * Waits until no process of another PID namespace has its output pipes open: the replica would run twice.
 *
 * @throws HiddenProcessesError after five seconds
 */
export async function untilNoneIsHidden(records: ProcessRecords): Promise<void> {
  const elsewhere = records.all().filter(isElsewhere);
  const hidden = () =>
    elsewhere.filter(({ replica_id: replicaId }) => records.pipesOf(replicaId).some(isInUse));
  for (const end = performance.now() + PATIENCE_MS; hidden().length > 0; await delay(LOOK_MS))
    if (performance.now() >= end)
      throw new HiddenProcessesError(
        records.directory,
        hidden().map(({ pid }) => pid),
      );
}
