import type { Client } from 'pg';
import type { Settings } from '../config/settings.js';
import { keyIdOf } from '../secrets/stored-text-cipher.js';
import { type Finding, findingsOf } from './finding.js';

const { ok, warn, failed } = findingsOf('keys');

/** How many texts of each kind are opened. */
const TRIED = 100;

/** Stored texts of one kind, which a key seals. */
interface TriedTexts {
  readonly name: string;
  tryOut(count: number): Promise<{ readonly opened: number; readonly unreadable: number }>;
}

/**
 * Whether the keys of the settings open the stored secrets: by the keys that the database names, and by opening some
 * of each kind.
 */
export async function checkKeys(
  client: Client,
  { WEBHOOK_SECRET_KEY, WEBHOOK_SECRET_KEY_PREVIOUS }: Settings,
  stored: readonly TriedTexts[],
): Promise<readonly Finding[]> {
  const { rows } = await client.query<{ id: string; is_in_use: boolean }>(
    'SELECT id, is_in_use FROM sealing_keys',
  );
  const known = [WEBHOOK_SECRET_KEY, WEBHOOK_SECRET_KEY_PREVIOUS].filter((key) => key !== '').map(keyIdOf);
  const unknown = rows.map(({ id }) => id).filter((id) => !known.includes(id));
  if (unknown.length > 0) {
    return [
      failed(
        'secrets are encrypted with a key that is neither WEBHOOK_SECRET_KEY nor WEBHOOK_SECRET_KEY_PREVIOUS (id ' +
          `${unknown.join(', ')})`,
        'set WEBHOOK_SECRET_KEY_PREVIOUS to that key, then run the command reseal (docs/operations.md, "Change a ' +
          'key")',
      ),
    ];
  }
  const tried = [];
  for (const texts of stored) tried.push({ name: texts.name, ...(await texts.tryOut(TRIED)) });
  const unreadable = tried.filter((it) => it.unreadable > 0);
  if (unreadable.length > 0) {
    return [
      failed(
        `these can't be decrypted: ${unreadable.map((it) => `${it.unreadable} ${it.name}`).join(', ')}`,
        'set WEBHOOK_SECRET_KEY_PREVIOUS to the key that encrypted them; restore from a backup what was changed in ' +
          'the database',
      ),
    ];
  }
  const count = tried.reduce((sum, { opened }) => sum + opened, 0);
  if (WEBHOOK_SECRET_KEY === '')
    return [
      warn(
        'WEBHOOK_SECRET_KEY is not set: configs and signing secrets are stored unencrypted',
        'set it to 32 bytes or more, then run the command reseal',
      ),
    ];
  if (rows.some(({ id, is_in_use: isInUse }) => isInUse && id !== known[0]))
    return [
      warn(
        'the instances still encrypt with WEBHOOK_SECRET_KEY_PREVIOUS',
        'run the command reseal once all instances have both keys',
      ),
    ];
  return [ok(`they decrypt ${count} stored texts, up to ${TRIED} of each kind`)];
}
