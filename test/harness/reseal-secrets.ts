import { resealCommand } from '../../src/reseal-command.js';
import { urlOf } from './child-service.js';
import type { TestDatabase } from './test-database.js';

/** Runs the command `reseal` on a database. */
export async function resealSecrets(
  { target }: Pick<TestDatabase, 'target'>,
  keys: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const output = { stdout: '', stderr: '' };
  const into = (name: keyof typeof output) => ({ write: (text: string) => void (output[name] += text) });
  const streams = { stdout: into('stdout'), stderr: into('stderr') };
  const code = await resealCommand(args, streams, { DATABASE_URL: urlOf(target), ...keys });
  return { code, ...output };
}
