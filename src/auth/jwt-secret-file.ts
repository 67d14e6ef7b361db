import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

const SECRET_BYTES = 48;
const MINIMUM_LENGTH = 32;

/**
 * Returns the secret that signs tokens if `JWT_SECRET` is not set: created once, stored next to the data, readable only
 * for its owner. Two processes that start at once get the same secret.
 *
 * @throws if the file can't be created or holds no secret; the message says what to do
 */
export async function keptJwtSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, 'jwt-secret');
  const kept = await readOrMake(dataDir, path);
  if (kept.length < MINIMUM_LENGTH) {
    throw new Error(
      `${path} contains no secret of at least ${MINIMUM_LENGTH} characters: delete the file to generate a new ` +
        'secret',
    );
  }
  return kept;
}

async function readOrMake(dataDir: string, path: string): Promise<string> {
  try {
    return (await readIfThere(path)) ?? (await make(dataDir, path));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The secret that signs tokens can't be stored (${reason}): set JWT_SECRET, or set DATA_DIR to a directory of ` +
        'your own',
      { cause: error },
    );
  }
}

/**
 * The secret is written to another file and then linked: a link never replaces a file, so all processes use the first
 * one.
 */
async function make(dataDir: string, path: string): Promise<string> {
  // The embedded PostgreSQL may run as another user, who has to enter this directory.
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  const temporary = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(randomBytes(SECRET_BYTES).toString('base64url'));
      await file.sync();
    } finally {
      await file.close();
    }
    await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    return (await readFile(path, 'utf8')).trim();
  } finally {
    await rm(temporary, { force: true });
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
