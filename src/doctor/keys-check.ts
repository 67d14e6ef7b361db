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
        `secrets are sealed under a key that neither WEBHOOK_SECRET_KEY nor WEBHOOK_SECRET_KEY_PREVIOUS is (id ${unknown.join(', ')})`,
        'give that key as WEBHOOK_SECRET_KEY_PREVIOUS, then run the command reseal (docs/operations.md, "Change a key")',
      ),
    ];
  }
  const tried = [];
  for (const texts of stored) tried.push({ name: texts.name, ...(await texts.tryOut(TRIED)) });
  const unreadable = tried.filter((it) => it.unreadable > 0);
  if (unreadable.length > 0) {
    return [
      failed(
        `these can not be opened: ${unreadable.map((it) => `${it.unreadable} ${it.name}`).join(', ')}`,
        'give the key that sealed them as WEBHOOK_SECRET_KEY_PREVIOUS; what was changed in the database comes from a backup',
      ),
    ];
  }
  const count = tried.reduce((sum, { opened }) => sum + opened, 0);
  if (WEBHOOK_SECRET_KEY === '')
    return [
      warn(
        'WEBHOOK_SECRET_KEY is not set: configs and signing secrets are stored in clear',
        'set it to 32 bytes or more, then run the command reseal',
      ),
    ];
  if (rows.some(({ id, is_in_use: isInUse }) => isInUse && id !== known[0]))
    return [
      warn(
        'the instances still seal under WEBHOOK_SECRET_KEY_PREVIOUS',
        'run the command reseal once all instances have both keys',
      ),
    ];
  return [ok(`they open ${count} stored texts, up to ${TRIED} of each kind`)];
}
