import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { constants as system } from 'node:os';
import { makePipes } from './output-pipe.js';
import type { ExitFiles } from './process-records.js';
import type { Command } from './program-start.js';
import { type Exit, type ProcessOrder, ReplicaProcess } from './replica-process.js';

/**
 * Begins when the runner says so through the gate, after it has written the process down: a runner that is killed before has
 * not begun the program. Waits for the program and writes down its exit code, which only a parent gets: a runner that was killed is no parent of it
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

/** The shell that runs a program and keeps its exit code. */
export function commandOf(program: readonly string[], { gate, exitCode }: ExitFiles): Command {
  return ['/bin/sh', '-c', WAIT_FOR_PROGRAM, gate, exitCode, ...program];
}

/**
 * Starts the process of a {@link commandOf}, whose program begins when it is written down.
 *
 * @param keep writes the process down @throws if it can't be started or written down
 */
export async function spawnKept(
  order: ProcessOrder,
  files: ExitFiles,
  keep: (process: ReplicaProcess) => Promise<void>,
): Promise<ReplicaProcess> {
  await makePipes([files.gate]);
  const gate = openGate(files);
  try {
    const process = await ReplicaProcess.spawn(order);
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
export function letPass(process: ReplicaProcess, files: ExitFiles): void {
  const gate = openGate(files);
  // its runner may have been killed before it said that the program begins; afterwards nobody reads this
  writeSync(gate, '\n');
  void process.ended.then(() => closeSync(gate));
}

/** The end of a program. Null if it was not written down: the shell was ended as well, or has not begun. */
export function keptExit({ exitCode }: ExitFiles): Exit | null {
  try {
    const text = readFileSync(exitCode, 'utf8');
    return text === '' ? null : exitOfCode(Number(text));
  } catch {
    return null;
  }
}

/** The end of a process by the exit code of a shell, which is 128 and the number of a signal that has ended it. */
export function exitOfCode(code: number): Exit {
  const signal = Object.entries(system.signals).find(([, number]) => number === code - 128)?.[0];
  return signal === undefined ? { code, signal: null } : { code: null, signal: signal as NodeJS.Signals };
}

/** Open for reading and writing, so that it never waits for the other end. */
function openGate({ gate }: ExitFiles): number {
  return openSync(gate, constants.O_RDWR | constants.O_NONBLOCK);
}
