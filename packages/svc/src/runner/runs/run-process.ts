import { closeSync, constants, openSync, writeSync } from 'node:fs';
import type { ProcessConfig } from '../processes/process-config.js';
import { makePipes } from '../processes/output-pipe.js';
import { type ProcessOrder, ReplicaProcess } from '../processes/replica-process.js';
import type { RunDirectory } from './run-directory.js';

/**
 * Begins when the runner says so through the gate, after it has written the process down: a runner that is killed before has
 * not begun the run. Waits for the program and writes down its exit code, which only a parent gets: a runner that was killed is no parent of it
 * any more. Then it waits at the gate until a runner is there, because what the program wrote last is in pipes that the
 * system empties when nobody has them open.
 */
const WAIT_FOR_PROGRAM = `gate=$0 exit_code=$1
shift
read -r _ <"$gate" || exit
trap : HUP INT TERM
"$@"
code=$?
printf %s "$code" >"$exit_code"
true >"$gate"
exit "$code"`;

/** The shell that runs a run's program. */
export function commandOf(program: readonly string[], directory: RunDirectory): ProcessConfig['command'] {
  return ['/bin/sh', '-c', WAIT_FOR_PROGRAM, directory.gate, directory.exitCode, ...program];
}

/**
 * Starts the process of a run, whose program begins when it is written down.
 *
 * @param keep writes the process down @throws if it can't be started or written down
 */
export async function spawnRun(
  order: ProcessOrder,
  directory: RunDirectory,
  keep: (process: ReplicaProcess) => Promise<void>,
): Promise<ReplicaProcess> {
  await makePipes([directory.gate]);
  const gate = openGate(directory);
  try {
    const process = await ReplicaProcess.spawn({ ...order, input: directory.input });
    await keep(process).catch(async (error: unknown) => {
      await process.end(0);
      throw error;
    });
    writeSync(gate, '\n');
    void process.ended.then(() => closeSync(gate));
    return process;
  } catch (error) {
    closeSync(gate);
    throw error;
  }
}

/** Opens the gate to a process of an earlier runner whose output is read now. */
export function letPass(process: ReplicaProcess, directory: RunDirectory): void {
  const gate = openGate(directory);
  // its runner may have been killed before it said that the program begins; afterwards nobody reads this
  writeSync(gate, '\n');
  void process.ended.then(() => closeSync(gate));
}

/** Open for reading and writing, so that it never waits for the other end. */
function openGate({ gate }: RunDirectory): number {
  return openSync(gate, constants.O_RDWR | constants.O_NONBLOCK);
}
