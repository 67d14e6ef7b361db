import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from './atomic-file.js';
import type { Assignment } from './desired-state.js';
import { assertWritable, makePrivateDirectory } from './private-directory.js';
import { StateDirectoryError } from './runtime-errors.js';
import type { RunReport } from './run-report.js';

const FORMAT = 1;
const FILE = 'runtime.json';
/**
 * Number of stored commands, far more than can be delivered again: at most 1,000 wait for an agent, and each five
 * times.
 */
const REMEMBERED_COMMANDS = 1_000;
/** Number of stored deployments that do not run; those that run are all stored. */
const REMEMBERED_ENDED = 200;

/** Number of stored ends of runs that the service does not know yet. */
const REMEMBERED_RUN_ENDS = 500;

/** The outcome of a command, as it is reported to the service. */
export interface Outcome {
  readonly success: boolean;
  readonly result?: unknown;
  readonly error?: string;
  readonly completed_at: string;
}

/** Null while it is being carried out. */
interface RememberedCommand {
  readonly outcome: Outcome | null;
  /** True if the service has accepted the acknowledgement. */
  readonly acknowledged: boolean;
}

interface Contents {
  readonly format: number;
  readonly agent_id: string | null;
  readonly deployments: Readonly<Record<string, Assignment>>;
  readonly commands: Readonly<Record<string, RememberedCommand>>;
  /** Absent in a file that was written before there were runs. */
  readonly run_ends?: Readonly<Record<string, RunReport>>;
}

/**
 * The state of a runtime: the desired states of its deployments, the commands that it has carried out, and the results
 * that the service has not accepted yet. With a directory it outlives the process; without one it does not.
 */
export class RuntimeState {
  agentId: string | null = null;
  private readonly assignments = new Map<string, Assignment>();
  private readonly commands = new Map<string, RememberedCommand>();
  private readonly runEnds = new Map<string, RunReport>();
  private writing: Promise<void> = Promise.resolve();
  private waiting: Promise<void> | undefined;

  private constructor(private readonly directory: string | undefined) {}

  /**
   * @param directory is created if it is missing, closed to other users; absent: nothing is stored
   * @throws StateDirectoryError if the state can't be read, or the directory is not writable
   */
  static open(directory?: string): RuntimeState {
    const state = new RuntimeState(directory);
    if (directory === undefined) return state;
    const contents = prepared(directory);
    if (!contents) return state;
    state.agentId = contents.agent_id;
    for (const [id, it] of Object.entries(contents.deployments)) state.assignments.set(id, it);
    for (const [id, it] of Object.entries(contents.commands)) state.commands.set(id, it);
    for (const [name, it] of Object.entries(contents.run_ends ?? {})) state.runEnds.set(name, it);
    return state;
  }

  assignment(deploymentId: string): Assignment | undefined {
    return this.assignments.get(deploymentId);
  }

  /** The oldest first. */
  allAssignments(): [deploymentId: string, Assignment][] {
    return [...this.assignments];
  }

  assign(deploymentId: string, assignment: Assignment | undefined): void {
    if (!assignment) {
      this.assignments.delete(deploymentId);
      return;
    }
    this.assignments.set(deploymentId, assignment);
    const ended = [...this.assignments].filter(([, it]) => it.phase !== 'running');
    for (const [id] of ended.slice(0, Math.max(0, ended.length - REMEMBERED_ENDED)))
      this.assignments.delete(id);
  }

  /** @returns true if the deployment was meant to run until now */
  markFailed(deploymentId: string, error: string): boolean {
    const known = this.assignments.get(deploymentId);
    if (known?.phase !== 'running') return false;
    this.assign(deploymentId, { ...known, phase: 'failed', config: '', error });
    return true;
  }

  /** @returns true if the deployment was meant to run until now, in this generation */
  markCompleted(deploymentId: string, generation: number): boolean {
    const known = this.assignments.get(deploymentId);
    if (known?.phase !== 'running' || known.generation !== generation) return false;
    this.assign(deploymentId, { ...known, phase: 'completed', config: '' });
    return true;
  }

  /** The outcome of a command; null if that is unknown; undefined if the command never began. */
  outcomeOf(commandId: string): Outcome | null | undefined {
    return this.commands.get(commandId)?.outcome;
  }

  begin(commandId: string): void {
    this.commands.set(commandId, { outcome: null, acknowledged: false });
    for (const [id, it] of this.commands) {
      if (this.commands.size <= REMEMBERED_COMMANDS) break;
      if (it.acknowledged) this.commands.delete(id);
    }
  }

  settle(commandId: string, outcome: Outcome): void {
    this.commands.set(commandId, { outcome, acknowledged: false });
  }

  markAcknowledged(commandId: string): void {
    const known = this.commands.get(commandId);
    if (known) this.commands.set(commandId, { ...known, acknowledged: true });
  }

  /** Acknowledgements that the service has not accepted yet, the oldest first. */
  unacknowledged(): [commandId: string, Outcome][] {
    return [...this.commands].flatMap(([id, { outcome, acknowledged }]) =>
      outcome && !acknowledged ? [[id, outcome] as [string, Outcome]] : [],
    );
  }

  /** Ends of runs that the service does not know yet, the oldest first. */
  unreportedEnds(): RunReport[] {
    return [...this.runEnds.values()];
  }

  /** @returns the name of the oldest end, if it had to go */
  keepEnd(name: string, report: RunReport): string | undefined {
    this.runEnds.set(name, report);
    if (this.runEnds.size <= REMEMBERED_RUN_ENDS) return undefined;
    const [oldest] = this.runEnds.keys();
    this.runEnds.delete(oldest!);
    return oldest;
  }

  /** Forgets an end that the service knows. The agent may have given a newer one meanwhile, which is kept. */
  dropEnd(name: string, { ended_at: endedAt }: RunReport): void {
    if (this.runEnds.get(name)?.ended_at === endedAt) this.runEnds.delete(name);
  }

  /** Writes the state to the disk. Concurrent calls share a write. @throws StateDirectoryError */
  save(): Promise<void> {
    if (this.directory === undefined) return Promise.resolve();
    this.waiting ??= this.writing
      .catch(() => undefined)
      .then(() => {
        this.waiting = undefined;
        return (this.writing = this.write(this.directory!));
      });
    return this.waiting;
  }

  private async write(directory: string): Promise<void> {
    const contents: Contents = {
      format: FORMAT,
      agent_id: this.agentId,
      deployments: Object.fromEntries(this.assignments),
      commands: Object.fromEntries(this.commands),
      run_ends: Object.fromEntries(this.runEnds),
    };
    await replaceFile(join(directory, FILE), `${JSON.stringify(contents)}\n`).catch((error: unknown) => {
      throw new StateDirectoryError(directory, error);
    });
  }
}

/** Creates the directory, and checks at the start that state can be stored there: a command would fail later. */
function prepared(directory: string): Contents | undefined {
  try {
    makePrivateDirectory(directory);
    assertWritable(directory);
    return read(join(directory, FILE));
  } catch (error) {
    throw new StateDirectoryError(directory, error);
  }
}

/** Reads the state. An unreadable file is renamed, not overwritten, so that its content can be examined. */
function read(file: string): Contents | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const contents = JSON.parse(text) as Contents;
    if (contents.format === FORMAT) return contents;
  } catch {
    // falls through
  }
  renameSync(file, `${file}.unreadable`);
  return undefined;
}
