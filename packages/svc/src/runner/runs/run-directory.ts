import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { StateDirectoryError } from '@agent-control-plane/client/runtime';
import { replaceFile } from '@agent-control-plane/client/internal/runtime/atomic-file';
import { makePrivateDirectory } from '@agent-control-plane/client/internal/runtime/private-directory';
import { pathId } from '../path-id.js';
import type { AccountEntry } from '../processes/account-entry.js';
import type { ExitFiles } from '../processes/process-records.js';
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

/** The files of a run that was claimed. */
export interface RunRecord {
  readonly run: ClaimedRun;
  /** Mark of the run's process. Undefined: the run was not begun. */
  readonly replica_id?: string;
  /** Directory of input and output, where its program has another account than the runner. */
  readonly exchange?: string | undefined;
}

/**
 * The files of one attempt of a run. They are there until the service has answered the report of its end, so a runner that
 * starts again neither forgets a run nor carries it out twice.
 */
export class RunDirectory implements ExitFiles {
  /** See {@link RunRecord.exchange}. */
  exchange: string | undefined;

  private constructor(readonly path: string) {}

  /** @param parent is made if it is missing @throws UnexpectedReplyError for a run without an id */
  static of(parent: string, { run_id, attempt }: ClaimedRun): RunDirectory {
    makePrivateDirectory(parent);
    return new RunDirectory(join(parent, `${pathId(run_id, 'a run')}.${Number(attempt)}`));
  }

  /** The directories of earlier runners. */
  static all(parent: string): RunDirectory[] {
    makePrivateDirectory(parent);
    return readdirSync(parent).map((name) => new RunDirectory(join(parent, name)));
  }

  get input(): string {
    return join(this.exchange ?? this.path, 'input.json');
  }

  get output(): string {
    return join(this.exchange ?? this.path, 'output');
  }

  /** See {@link ExitFiles}. */
  get exitCode(): string {
    return join(this.path, 'exit-code');
  }

  /** See {@link ExitFiles}. */
  get gate(): string {
    return join(this.path, 'gate');
  }

  /** @throws StateDirectoryError if it can't be stored */
  async keep(record: Omit<RunRecord, 'exchange'>): Promise<void> {
    const { exchange } = this;
    await this.write('run.json', { ...record, exchange } satisfies RunRecord);
  }

  /**
   * @param as the entry to the program's account, if that is another one than the runner's
   * @throws StateDirectoryError if it can't be stored
   */
  writeInput(input: unknown, as: AccountEntry | undefined): void {
    try {
      writeFileSync(this.input, JSON.stringify(input), { mode: 0o600 });
    } catch (error) {
      throw new StateDirectoryError(dirname(this.input), error);
    }
    if (!as) return;
    // the program can write into it, and not put another file in its place
    writeFileSync(this.output, '', { mode: 0o600, flag: 'wx' });
    as.give([this.input], 0o440);
    as.give([this.output], 0o660);
  }

  /** @throws StateDirectoryError if it can't be stored */
  async keepReport(report: RunReport): Promise<void> {
    await this.write('report.json', report);
  }

  private async write(name: string, content: object): Promise<void> {
    try {
      mkdirSync(this.path, { recursive: true, mode: 0o700 });
      await replaceFile(join(this.path, name), JSON.stringify(content));
    } catch (error) {
      throw new StateDirectoryError(dirname(this.path), error);
    }
  }

  /** Not flushed to the disk: a runner that is killed has written it all the same. */
  keepWords(words: LastWords): void {
    const file = join(this.path, 'words.json');
    writeFileSync(`${file}.new`, JSON.stringify(words), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }

  record(): RunRecord | undefined {
    const record = readJson(join(this.path, 'run.json')) as RunRecord | undefined;
    this.exchange = record?.exchange;
    return record;
  }

  report(): RunReport | undefined {
    return readJson(join(this.path, 'report.json')) as RunReport | undefined;
  }

  words(): LastWords {
    return readJson(join(this.path, 'words.json')) ?? {};
  }

  /** Null if there is none; undefined if it is too large to be read. */
  readOutput(): string | null | undefined {
    const bytes = readAtMost(this.output, MOST_READ_BYTES + 1, this.exchange !== undefined);
    return bytes && bytes.length > MOST_READ_BYTES ? undefined : (bytes?.toString('utf8') ?? null);
  }

  remove(): void {
    if (this.exchange !== undefined) rmSync(this.exchange, { recursive: true, force: true });
    rmSync(this.path, { recursive: true, force: true });
  }
}

/**
 * Reads a file that a program has written.
 *
 * @param isForeign the program has another account, for which no link is followed
 * @returns null for anything but a file: a program may have put a pipe there, which would be waited for
 */
function readAtMost(path: string, most: number, isForeign: boolean): Buffer | null {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  try {
    const fd = openSync(path, O_RDONLY | O_NONBLOCK | (isForeign ? O_NOFOLLOW : 0));
    try {
      const stats = fstatSync(fd);
      if (!stats.isFile()) return null;
      const bytes = Buffer.alloc(Math.min(stats.size, most));
      let length = 0;
      for (let read = -1; read !== 0 && length < bytes.length; length += read)
        read = readSync(fd, bytes, length, bytes.length - length, null);
      return bytes.subarray(0, length);
    } finally {
      closeSync(fd);
    }
  } catch {
    return null;
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
