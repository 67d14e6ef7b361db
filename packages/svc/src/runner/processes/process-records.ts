import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StateDirectoryError } from '@agent-control-plane/client/runtime';
import { replaceFile } from '@agent-control-plane/client/internal/runtime/atomic-file';
import { makePrivateDirectory } from '@agent-control-plane/client/internal/runtime/private-directory';
import { removePipes } from './output-pipe.js';

/** The files by which a runner learns how a process has ended that an earlier runner has started. */
export interface ExitFiles {
  /** A named pipe, at which the process waits for a runner. */
  readonly gate: string;
  /** The exit code of the program, written by the shell that waits for it. */
  readonly exitCode: string;
}

const FORMAT = 1;

/** The record of a process, from which the next runner finds it. */
export interface ProcessRecord {
  /** Mark of this start of a replica, which is also in the process's environment. */
  readonly replica_id: string;
  readonly deployment_id: string;
  readonly index: number;
  readonly start_generation: number;
  /** The port of its readiness check, if that uses one. */
  readonly port?: number | undefined;
  readonly pid: number;
  readonly identity: string;
  /** The PID namespace of the pid; absent on systems without them. */
  readonly pid_namespace?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly started_at: number;
  /** The process has ended well, and its replica is not to start again. */
  readonly is_completed?: true;
}

/**
 * When the process of a record started, by `performance.now()`. Its age is measured on from there, because the machine's
 * clock may jump. Only the time until this runner took it over is by that clock.
 */
export function startOf({ started_at: startedAt }: Pick<ProcessRecord, 'started_at'>): number {
  return performance.now() - Math.max(0, Date.now() - startedAt);
}

/** A process of an earlier runner. */
export type Leftover = ProcessRecord & {
  /** The process runs, and its output can be read. */
  readonly is_running: boolean;
};

interface Contents {
  readonly format: number;
  readonly state_id: string;
  readonly processes: readonly ProcessRecord[];
}

/** The running processes, as files on the disk from which a restarted runner finds them. */
export class ProcessRecords {
  private readonly records = new Map<string, ProcessRecord>();
  private writing: Promise<void> = Promise.resolve();
  private waiting: Promise<void> | undefined;

  private constructor(
    readonly directory: string,
    /** Mark of all processes that were started with this state. */
    readonly stateId: string,
  ) {}

  /** Reads the records; an unreadable file counts as empty, because the processes carry a mark. */
  static async open(directory: string): Promise<ProcessRecords> {
    makePrivateDirectory(join(directory, 'pipes'));
    const kept = read(join(directory, 'processes.json'));
    // a separate file, so that damaged records never make the processes unrecognisable
    const idFile = join(directory, 'state-id');
    const stateId = readText(idFile) ?? kept?.state_id ?? randomUUID();
    if (readText(idFile) === undefined) await replaceFile(idFile, stateId);
    const opened = new ProcessRecords(directory, stateId);
    for (const record of kept?.processes ?? []) opened.records.set(record.replica_id, record);
    return opened;
  }

  all(): ProcessRecord[] {
    return [...this.records.values()];
  }

  /** The pipes of a process: its standard output and its standard error. */
  pipesOf(replicaId: string): [stdout: string, stderr: string] {
    const base = join(this.directory, 'pipes', replicaId);
    return [`${base}.out`, `${base}.err`];
  }

  /** Resolves when the record is on the disk. */
  add(record: ProcessRecord): Promise<void> {
    this.records.set(record.replica_id, record);
    return this.save();
  }

  /** The files by which the exit code of a process outlives its runner. */
  exitFilesOf(replicaId: string): ExitFiles {
    const base = join(this.directory, 'pipes', replicaId);
    return { gate: `${base}.gate`, exitCode: `${base}.exit` };
  }

  /** Resolves when the disk says that the process has ended well. */
  complete(replicaId: string): Promise<void> {
    const record = this.records.get(replicaId);
    return record ? this.add({ ...record, is_completed: true }) : Promise.resolve();
  }

  async remove(replicaId: string): Promise<void> {
    if (this.records.delete(replicaId)) await this.save();
    const { gate, exitCode } = this.exitFilesOf(replicaId);
    removePipes([gate, exitCode]);
  }

  private save(): Promise<void> {
    this.waiting ??= this.writing
      .catch(() => undefined)
      .then(() => {
        this.waiting = undefined;
        return (this.writing = this.write());
      });
    return this.waiting;
  }

  private async write(): Promise<void> {
    const contents: Contents = { format: FORMAT, state_id: this.stateId, processes: this.all() };
    const file = join(this.directory, 'processes.json');
    await replaceFile(file, `${JSON.stringify(contents)}\n`).catch((error: unknown) => {
      throw new StateDirectoryError(this.directory, error);
    });
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function read(file: string): Contents | undefined {
  try {
    const contents = JSON.parse(readText(file) ?? '') as Contents;
    return contents.format === FORMAT ? contents : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
