// npm run backup -- FOLDER: copies the data directory of a service that runs on the embedded PostgreSQL.
import { constants } from 'node:fs';
import {
  appendFile,
  chmod,
  chown,
  copyFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  realpath,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { main, Problem, say } from './project.mjs';

/** PostgreSQL creates these again, or they belong to the running server. The log is copied last. */
const NOT_COPIED =
  /^(postmaster\.(pid|opts)|pg_(wal|replslot|dynshmem|notify|serial|snapshots|stat_tmp|subtrans)\/.+)$/;

/** Settings for the first start of the restored PostgreSQL: it begins a new history at the end of the backup. */
const RECOVERY = "\nrestore_command = 'false'\n";

const dataDir = resolve(process.env.DATA_DIR || '.data');

await main(async () => {
  const [folder] = process.argv.slice(2);
  if (!folder) throw new Problem('Usage: npm run backup -- DIRECTORY, for example /backups/today');
  const target = resolve(folder);
  if (await lstat(target).catch(() => undefined))
    throw new Problem(`${target} exists already: choose another directory`);
  const source = await realpath(join(dataDir, 'postgres')).catch(() => {
    throw new Problem(
      `${dataDir} has no embedded PostgreSQL: set DATA_DIR, or use pg_dump for a database of your own`,
    );
  });
  const client = await connect(source);
  try {
    await copyDataDirectory(target);
    await copyCluster(client, source, join(target, 'postgres'));
  } finally {
    await client.end();
  }
  say(`${target} has everything that was committed until now. To restore, set DATA_DIR to a copy of it`);
  if (process.env.TELEMETRY_DATABASE_URL)
    say(
      'It does not include logs, metrics and spans: back up the database of TELEMETRY_DATABASE_URL separately ' +
        '(pg_dump)',
    );
  return 0;
});

async function connect(source) {
  const file = await readFile(join(source, 'postmaster.pid'), 'utf8').catch(() => {
    throw new Problem(
      `No PostgreSQL runs on ${source}: while the service is not running, copy ${dataDir} as it is`,
    );
  });
  const [, , , port, host] = file.split('\n');
  const client = new pg.Client({ host, port: Number(port), user: 'postgres', database: 'postgres' });
  await client.connect();
  return client;
}

/** Copies the secret that signs tokens, and all other files next to the database. */
async function copyDataDirectory(target) {
  await mkdir(target, { recursive: true });
  await chmod(target, 0o711);
  for (const entry of await readdir(dataDir, { withFileTypes: true }))
    if (entry.isFile()) await copy(join(dataDir, entry.name), join(target, entry.name));
}

/** Copies the cluster like `pg_basebackup`: https://www.postgresql.org/docs/current/continuous-archiving.html */
async function copyCluster(client, source, target) {
  // The slot ends with the connection. Until then PostgreSQL keeps all parts of the log that the copy needs.
  await client.query("SELECT pg_create_physical_replication_slot('backup_' || pg_backend_pid(), true, true)");
  await client.query("SELECT pg_backup_start('npm run backup', true)");
  await copyTree(source, target, '');
  const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)');
  await writeOwned(join(target, 'backup_label'), rows[0].labelfile, source);
  await writeOwned(join(target, 'recovery.signal'), '', source);
  await appendFile(join(target, 'postgresql.auto.conf'), RECOVERY);
  for (const name of await readdir(join(source, 'pg_wal')))
    if (/^[0-9A-F]{24}$/.test(name)) await copy(join(source, 'pg_wal', name), join(target, 'pg_wal', name));
}

async function copyTree(source, target, path) {
  await copy(join(source, path), join(target, path));
  for (const { name } of await readdir(join(source, path), { withFileTypes: true })) {
    const inner = path ? `${path}/${name}` : name;
    if (NOT_COPIED.test(inner)) continue;
    const stats = await lstat(join(source, inner)).catch(ignoreAbsent);
    if (stats?.isDirectory()) await copyTree(source, target, inner);
    else if (stats) await copy(join(source, inner), join(target, inner));
  }
}

/** Copies one entry with its owner and mode; a file that PostgreSQL has just removed is skipped. */
async function copy(source, target) {
  const stats = await lstat(source).catch(ignoreAbsent);
  if (!stats) return;
  if (stats.isDirectory()) await mkdir(target, { recursive: true });
  else if (stats.isSymbolicLink()) return symlink(await readlink(source), target);
  else if (!(await copyFile(source, target, constants.COPYFILE_FICLONE).then(() => true, ignoreAbsent)))
    return;
  await chown(target, stats.uid, stats.gid);
  await chmod(target, stats.mode & 0o7777);
}

async function writeOwned(path, text, like) {
  const { uid, gid } = await lstat(like);
  await writeFile(path, text, { mode: 0o600 });
  await chown(path, uid, gid);
}

function ignoreAbsent(error) {
  if (error.code !== 'ENOENT') throw error;
}
