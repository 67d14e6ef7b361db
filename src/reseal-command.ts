import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { CommandStreams } from './config/command-streams.js';
import { DatabaseNotFoundError, runningDatabase } from './config/running-database.js';
import { readSettings, type Settings, SettingsError } from './config/settings.js';
import { ConnectionPool } from './database/connection-pool.js';
import { failureToOpen } from './database/usable-database.js';
import { entities } from './schema.js';
import { telemetryEntities } from './telemetry-schema.js';
import { sealedTexts } from './sealed-texts.js';
import type { Resealed } from './sealing/resealing.js';
import { announceSealingKeys, SealingKeysRepository } from './sealing/sealing-keys.repository.js';
import { keyIdOf } from './secrets/stored-text-cipher.js';

const USAGE =
  `Usage: npm run reseal -- [--lost]\nMakes WEBHOOK_SECRET_KEY the key with which every instance encrypts ` +
  `configs, signing secrets, secrets of one-time codes,\ncontent of spans and the identity provider's tokens in ` +
  'sessions, and encrypts all stored ones again with it. First give every instance that key, and the previous ' +
  `one as WEBHOOK_SECRET_KEY_PREVIOUS.\n--lost  keys that neither setting has are lost: texts encrypted with ` +
  `them stay unreadable, and /ready no longer waits for them\nExit code: 0 everything is encrypted with the key, ` +
  '1 some texts could not be read, 2 nothing was done';

const NOTHING_DONE = 2;
const CONNECTIONS = 2;
const STATEMENT_MS = 15_000;
/** Every instance has learnt by then which key is in use, and what it was writing before is there; milliseconds. */
const LEARNT_MS = 3_000;

/** An act that is not possible, and the next step. */
class ResealError extends Error {}

/**
 * Seals everything in the database under `WEBHOOK_SECRET_KEY`.
 *
 * @param args the command line, without the program
 * @param environment the settings; absent: those of the process
 * @returns the exit code; an error is written to standard error
 */
export async function resealCommand(
  args: readonly string[],
  { stdout, stderr }: CommandStreams,
  environment?: NodeJS.ProcessEnv,
): Promise<number> {
  try {
    const { lost, help } = readOptions(args);
    if (help) {
      stdout.write(`${USAGE}\n`);
      return 0;
    }
    const settings = readSettings(environment);
    if (settings.WEBHOOK_SECRET_KEY === '') throw new ResealError('Set WEBHOOK_SECRET_KEY to the new key');
    const target = runningDatabase(settings);
    const { TELEMETRY_DATABASE_URL: url } = settings;
    const pool = new ConnectionPool('background', CONNECTIONS, STATEMENT_MS);
    const telemetry = url === '' ? pool : new ConnectionPool('background', CONNECTIONS, STATEMENT_MS);
    try {
      await pool.open(target, { entities });
      if (telemetry !== pool) await telemetry.open({ url }, { entities: telemetryEntities });
      const { sealed, unreadable } = await new Reseal(settings, pool, telemetry).run(lost);
      stdout.write(`${sealed} texts were encrypted with WEBHOOK_SECRET_KEY; ${unreadable} can't be read.\n`);
      return unreadable > 0 && !lost ? 1 : 0;
    } finally {
      await Promise.all([pool.close(), telemetry.close()]);
    }
  } catch (error) {
    stderr.write(`${reasonOf(error)}\n`);
    return NOTHING_DONE;
  }
}

class Reseal {
  private readonly keyId: string;
  private readonly keys = new SealingKeysRepository();

  constructor(
    private readonly settings: Settings,
    private readonly pool: ConnectionPool,
    private readonly telemetry: ConnectionPool,
  ) {
    this.keyId = keyIdOf(settings.WEBHOOK_SECRET_KEY);
  }

  /** @param lost keys that are not known are given up */
  async run(lost: boolean): Promise<Resealed> {
    await this.requireKnownKeys(lost);
    await this.pool.transaction(async (tx) => {
      await this.keys.use(tx, this.keyId);
      await announceSealingKeys(tx);
    });
    const first = await this.pass();
    await delay(LEARNT_MS);
    const second = await this.pass();
    if (lost || second.unreadable === 0) {
      await this.pool.transaction(async (tx) => {
        await this.keys.keepOnly(tx, [this.keyId]);
        await announceSealingKeys(tx);
      });
    }
    return { sealed: first.sealed + second.sealed, unreadable: second.unreadable };
  }

  private async requireKnownKeys(lost: boolean): Promise<void> {
    const { WEBHOOK_SECRET_KEY, WEBHOOK_SECRET_KEY_PREVIOUS } = this.settings;
    const known = [keyIdOf(WEBHOOK_SECRET_KEY), keyIdOf(WEBHOOK_SECRET_KEY_PREVIOUS)];
    const lacking = (await this.keys.list(this.pool.manager)).filter(({ id }) => !known.includes(id));
    if (lacking.length === 0 || lost) return;
    throw new ResealError(
      'Texts are encrypted with a key that is neither WEBHOOK_SECRET_KEY nor WEBHOOK_SECRET_KEY_PREVIOUS: set the ' +
        'latter to that key, or use --lost if it is lost',
    );
  }

  private async pass(): Promise<Resealed> {
    const kinds: Resealed[] = [];
    for (const texts of sealedTexts(this.settings, this.pool.manager, this.telemetry.manager))
      kinds.push(await texts.reseal());
    return {
      sealed: kinds.reduce((sum, { sealed }) => sum + sealed, 0),
      unreadable: kinds.reduce((sum, { unreadable }) => sum + unreadable, 0),
    };
  }
}

/** @throws ResealError */
function readOptions(args: readonly string[]) {
  const options = {
    lost: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new ResealError(`${(error as Error).message}\n\n${USAGE}`);
  }
}

function reasonOf(error: unknown): string {
  if (
    error instanceof ResealError ||
    error instanceof SettingsError ||
    error instanceof DatabaseNotFoundError
  )
    return error.message;
  return `The stored texts can't be encrypted again: ${failureToOpen(error, 'DATABASE_URL')}`;
}
