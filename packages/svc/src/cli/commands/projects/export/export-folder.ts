import { mkdir, open, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Project } from '@agent-control-plane/client';
import { CommandFailedError } from '../../../failures.js';

/** The version of the format: docs/export.md. */
const FORMAT = 1;
const STATE = 'export.json';

/** The file with the contents of an export. */
export interface ExportState {
  readonly format: number;
  /** Address of the service. */
  readonly service: string;
  readonly project: Project;
  readonly began_at: string;
  /** Null while files are missing. */
  readonly finished_at: string | null;
  readonly files: readonly { readonly name: string; readonly records: number }[];
  /** Files that the caller may not have. */
  readonly left_out: readonly { readonly name: string; readonly reason: string }[];
}

/** A folder with an export. A file has its name when it is complete, so that an export that was interrupted continues with the next one. */
export class ExportFolder {
  private constructor(
    private readonly path: string,
    private current: ExportState,
  ) {}

  get state(): ExportState {
    return this.current;
  }

  /**
   * Opens a new folder, or one with an unfinished export of the same project.
   *
   * @throws CommandFailedError if there is something else
   */
  static async open(path: string, service: string, project: Project, now: Date): Promise<ExportFolder> {
    await mkdir(path, { recursive: true, mode: 0o700 });
    const found = await readState(path);
    if (!found) {
      if ((await readdir(path)).length > 0)
        throw new CommandFailedError(`${path} contains something other than an export: name a new folder`);
      const folder = new ExportFolder(path, {
        format: FORMAT,
        service,
        project,
        began_at: now.toISOString(),
        finished_at: null,
        files: [],
        left_out: [],
      });
      await folder.save();
      return folder;
    }
    if (found.project.id !== project.id || found.service !== service || found.format !== FORMAT)
      throw new CommandFailedError(`${path} contains the export of another project: name a new folder`);
    if (found.finished_at !== null)
      throw new CommandFailedError(
        `${path} holds an export that was finished at ${found.finished_at}: name a new folder`,
      );
    return new ExportFolder(path, found);
  }

  /** Returns true if a file is complete, or was left out. */
  has(name: string): boolean {
    return [...this.current.files, ...this.current.left_out].some((file) => file.name === name);
  }

  /** Writes a file, a page at a time. @returns the number of records */
  async write(name: string, pages: AsyncIterable<readonly object[]>): Promise<number> {
    const temporary = join(this.path, `${name}.part`);
    let records = 0;
    // logs and inputs of runs may be confidential
    const file = await open(temporary, 'w', 0o600);
    try {
      for await (const page of pages) {
        await file.appendFile(page.map((record) => `${JSON.stringify(record)}\n`).join(''));
        records += page.length;
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, join(this.path, name));
    await this.change({ files: [...this.current.files, { name, records }] });
    return records;
  }

  leaveOut(name: string, reason: string): Promise<void> {
    return this.change({ left_out: [...this.current.left_out, { name, reason }] });
  }

  finish(now: Date): Promise<void> {
    return this.change({ finished_at: now.toISOString() });
  }

  private change(change: Partial<ExportState>): Promise<void> {
    this.current = { ...this.current, ...change };
    return this.save();
  }

  private async save(): Promise<void> {
    const temporary = join(this.path, `${STATE}.part`);
    await writeFile(temporary, `${JSON.stringify(this.current, null, 2)}\n`, { mode: 0o600 });
    await rename(temporary, join(this.path, STATE));
  }
}

async function readState(path: string): Promise<ExportState | undefined> {
  let text: string;
  try {
    text = await readFile(join(path, STATE), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as ExportState;
  } catch {
    throw new CommandFailedError(`${join(path, STATE)} can't be read: name a new folder`);
  }
}
