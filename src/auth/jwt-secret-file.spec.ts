import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keptJwtSecret } from './jwt-secret-file.js';

describe('keptJwtSecret', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'jwt-secret-'));
  });

  afterEach(() => rm(directory, { recursive: true }));

  it('returns the same secret to concurrent callers, and creates one file that only its owner can read', async () => {
    const dataDir = join(directory, 'not', 'there', 'yet');
    const secrets = await Promise.all(Array.from({ length: 20 }, () => keptJwtSecret(dataDir)));
    expect(new Set(secrets).size).toBe(1);
    expect(Buffer.byteLength(secrets[0] as string)).toBeGreaterThanOrEqual(32);
    expect(await readdir(dataDir)).toEqual(['jwt-secret']);
    expect((await stat(join(dataDir, 'jwt-secret'))).mode & 0o777).toBe(0o600);
    expect(await keptJwtSecret(dataDir)).toBe(secrets[0]);
  });

  it('throws an error with instructions when the directory can not be created', async () => {
    const file = join(directory, 'file');
    await writeFile(file, '');
    await expect(keptJwtSecret(join(file, 'data'))).rejects.toThrow(
      /ENOTDIR.*set JWT_SECRET, or set DATA_DIR/,
    );
  });

  it('refuses a file without a secret and names the file', async () => {
    const path = join(directory, 'jwt-secret');
    await writeFile(path, '\n');
    await expect(keptJwtSecret(directory)).rejects.toThrow(path);
    expect(await readFile(path, 'utf8')).toBe('\n');
  });
});
