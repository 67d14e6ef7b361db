import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '@agent-control-plane/client/internal/runtime/atomic-file';
import { makePrivateDirectory } from '@agent-control-plane/client/internal/runtime/private-directory';
import type { ClaimedRun } from './deployment-claims.js';
import type { RunReport } from './run-reports.js';

/** An output that is no larger is read; JSON may have blanks, which are not sent. */
const MOST_READ_BYTES = 1024 * 1024;

/** The last words of a run's process. */
export interface LastWords {
  /** The last line of standard output. */
  readonly line?: string;
  /** The last reason on either stream. */
  readonly stdout?: string;
  readonly stderr?: string;
}

/** What is on the disk of a run that was claimed. */
export interface RunRecord {
  readonly run: ClaimedRun;
  /** Mark of the process that carries it out. Undefined: it was not begun. */
  readonly replica_id?: string;
}

/**
 * The files of one attempt of a run. They are there until the service has answered the report of its end, so a runner that
 * starts again neither forgets a run nor carries it out twice.
 */
export class RunDirectory {
  private constructor(readonly path: string) {}

  /** @param parent is made if it is missing */
  static of(parent: string, { run_id, attempt }: ClaimedRun): RunDirectory {
    makePrivateDirectory(parent);
    return new RunDirectory(join(parent, `${run_id}.${attempt}`));
  }

  /** The directories of earlier runners. */
  static all(parent: string): RunDirectory[] {
    makePrivateDirectory(parent);
    return readdirSync(parent).map((name) => new RunDirectory(join(parent, name)));
  }

  get input(): string {
    return join(this.path, 'input.json');
  }

  get output(): string {
    return join(this.path, 'output');
  }

  /** The exit code, written by the shell that waits for the program. */
  get exitCode(): string {
    return join(this.path, 'exit-code');
  }

  /** A named pipe, see `run-process.ts`. */
  get gate(): string {
    return join(this.path, 'gate');
  }

  /** @throws if it can't be stored */
  async keep(record: RunRecord): Promise<void> {
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
    await replaceFile(join(this.path, 'run.json'), JSON.stringify(record));
  }

  writeInput(input: unknown): void {
    writeFileSync(this.input, JSON.stringify(input), { mode: 0o600 });
  }

  async keepReport(report: RunReport): Promise<void> {
    await replaceFile(join(this.path, 'report.json'), JSON.stringify(report));
  }

  /** Not flushed to the disk: a runner that is killed has written it all the same. */
  keepWords(words: LastWords): void {
    const file = join(this.path, 'words.json');
    writeFileSync(`${file}.new`, JSON.stringify(words), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }

  record(): RunRecord | undefined {
    return readJson(join(this.path, 'run.json')) as RunRecord | undefined;
  }

  report(): RunReport | undefined {
    return readJson(join(this.path, 'report.json')) as RunReport | undefined;
  }

  words(): LastWords {
    return readJson(join(this.path, 'words.json')) ?? {};
  }

  /** Null if the shell has not written it. */
  readExitCode(): number | null {
    const text = readText(this.exitCode);
    return text ? Number(text) : null;
  }

  /** Null if there is none; undefined if it is too large to be read. */
  readOutput(): string | null | undefined {
    const size = statSync(this.output, { throwIfNoEntry: false })?.size ?? 0;
    return size > MOST_READ_BYTES ? undefined : readText(this.output);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** Undefined for a file that is not there, or was not written whole. */
function readJson(file: string): unknown {
  try {
    return JSON.parse(readText(file) ?? '');
  } catch {
    return undefined;
  }
}
