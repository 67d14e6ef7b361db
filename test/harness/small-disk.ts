import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withAdmin } from './cluster.mjs';
import type { TestDatabase } from './test-database.js';

/** More than an empty database needs, but quickly full. */
const SIZE = '40m';

/** A file system in memory for one database, which a test fills. Only root may mount one. */
export class SmallDisk {
  private constructor(
    private readonly directory: string,
    private readonly name: string,
  ) {}

  static get isPossible(): boolean {
    if (process.platform !== 'linux' || process.geteuid?.() !== 0) return false;
    const directory = mkdtempSync(join(tmpdir(), 'acp-mount-'));
    try {
      mount(directory);
      unmount(directory);
      return true;
    } catch {
      return false;
    } finally {
      rmdirSync(directory);
    }
  }

  /** Moves the database there, which must have no connections. */
  static async under({ target }: TestDatabase): Promise<SmallDisk> {
    const directory = mkdtempSync(join(tmpdir(), 'acp-disk-'));
    mount(directory);
    const disk = new SmallDisk(directory, `disk_of_${target.database}`);
    await withAdmin(async (admin) => {
      const [row] = (await admin.query('SHOW data_directory')).rows as [{ data_directory: string }];
      const { uid, gid } = statSync(row.data_directory);
      chownSync(directory, uid, gid);
      await admin.query(`CREATE TABLESPACE ${disk.name} LOCATION '${directory}'`);
      await admin.query(`ALTER DATABASE ${target.database} SET TABLESPACE ${disk.name}`);
    });
    return disk;
  }

  /** Writes until no more page is available. */
  async fill(database: TestDatabase): Promise<void> {
    await database.query('CREATE TABLE filler (page text STORAGE PLAIN)');
    for (const pages of [1_000, 100, 10, 1]) {
      for (let isFull = false; !isFull;) {
        isFull = await database
          .query(`INSERT INTO filler SELECT repeat('x', 8000) FROM generate_series(1, $1)`, [pages])
          .then(
            () => false,
            (error: { code?: string }) => {
              if (error.code !== '53100') throw error;
              return true;
            },
          );
      }
    }
  }

  async free(database: TestDatabase): Promise<void> {
    await database.query('DROP TABLE filler');
  }

  /** Unmounts it, after its database has been dropped. */
  async remove(): Promise<void> {
    await withAdmin((admin) => admin.query(`DROP TABLESPACE ${this.name}`));
    unmount(this.directory);
    rmdirSync(this.directory);
  }
}

function mount(directory: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', directory], { stdio: 'ignore' });
}

function unmount(directory: string): void {
  execFileSync('umount', [directory], { stdio: 'ignore' });
}
