import { parseArgs } from 'node:util';
import { AuditLogRepository } from './audit-log/audit-log.repository.js';
import { entryOf } from './audit-log/audit-log-writer.js';
import { accountOf } from './audit-log/audited-act.js';
import { FactorChallengesRepository } from './auth/second-factor/factor-challenges.repository.js';
import { RecoveryCodesRepository } from './auth/second-factor/recovery-codes.repository.js';
import { SecondFactorsRepository } from './auth/second-factor/second-factors.repository.js';
import { SessionsRepository } from './auth/sessions/sessions.repository.js';
import type { CommandStreams } from './config/command-streams.js';
import { DatabaseNotFoundError, runningDatabase } from './config/running-database.js';
import { readSettings, type Settings, SettingsError } from './config/settings.js';
import { ConnectionPool } from './database/connection-pool.js';
import { REVOKED_CHANNEL } from './database/revocable-cache.js';
import { rowsOf } from './database/sql.js';
import type { Transaction } from './database/transaction.js';
import { failureToOpen } from './database/usable-database.js';
import { canonicalEmail } from './http/request-fields.js';
import { entities } from './schema.js';
import { UsersRepository } from './users/users.repository.js';

const USAGE =
  `Usage: npm run remove-factors -- EMAIL\nRemoves all second factors and recovery codes of an account, and ends ` +
  `its sessions. Its owner can then log in with the password, and\nadd new ones.\nExit code: 0 the factors were ` +
  'removed, 2 nothing was changed';

const NOTHING_DONE = 2;
const CONNECTIONS = 1;
const STATEMENT_MS = 15_000;

/** An act that is not possible, and the reason. */
class RemovalError extends Error {}

/**
 * Removes the second factors of an account, for the owner of the machine: no other operator may be there to do it.
 *
 * @param args the command line, without the program
 * @param environment the settings; absent: those of the process
 * @returns the exit code; an error is written to standard error
 */
export async function removeFactorsCommand(
  args: readonly string[],
  { stdout, stderr }: CommandStreams,
  environment?: NodeJS.ProcessEnv,
): Promise<number> {
  try {
    const email = readEmail(args);
    if (email === null) {
      stdout.write(`${USAGE}\n`);
      return 0;
    }
    const settings = readSettings(environment);
    const target = runningDatabase(settings);
    const pool = new ConnectionPool('background', CONNECTIONS, STATEMENT_MS);
    try {
      await pool.open(target, { entities });
      const removed = await pool.transaction((tx) => removeAll(tx, email, settings));
      stdout.write(`${removed} second factors of ${email} were removed, and its sessions have ended.\n`);
      return 0;
    } finally {
      await pool.close();
    }
  } catch (error) {
    stderr.write(`${reasonOf(error)}\n`);
    return NOTHING_DONE;
  }
}

/** @returns the number of removed factors @throws RemovalError */
async function removeAll(tx: Transaction, email: string, settings: Settings): Promise<number> {
  const users = new UsersRepository();
  const found = await users.findCredentials(tx, { email });
  if (!found) throw new RemovalError(`No account has the email address ${email}`);
  const { id } = found;
  await users.lock(tx, id);
  const removed = await new SecondFactorsRepository().deleteOf(tx, id);
  await new RecoveryCodesRepository().deleteOf(tx, id);
  await new FactorChallengesRepository().deleteOf(tx, id);
  await users.setHasSecondFactor(tx, id, false);
  const sessions = await new SessionsRepository(settings).deleteOf(tx, id);
  const target = accountOf(id);
  const entry = entryOf({ kind: 'service' }, 'user.remove_factors', target, 'success', { removed });
  await new AuditLogRepository().insert(tx, [entry]);
  // Running instances keep what they have read until they are notified.
  const payloads = [`user:${id}`, ...sessions.map((session) => `session:${session}`)];
  await rowsOf(tx, 'SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload', [
    REVOKED_CHANNEL,
    payloads,
  ]);
  return removed;
}

/** @returns null: the help was asked for @throws RemovalError */
function readEmail(args: readonly string[]): string | null {
  const options = { help: { type: 'boolean', default: false } } as const;
  const given = readOrRefuse(() => parseArgs({ args: [...args], options, allowPositionals: true }));
  if (given.values.help) return null;
  const [email, ...others] = given.positionals;
  if (email === undefined || others.length > 0) throw new RemovalError(USAGE);
  return canonicalEmail(email);
}

function readOrRefuse<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new RemovalError(`${(error as Error).message}\n\n${USAGE}`);
  }
}

function reasonOf(error: unknown): string {
  const isPlain =
    error instanceof RemovalError || error instanceof SettingsError || error instanceof DatabaseNotFoundError;
  return isPlain ? error.message : `The factors can't be removed: ${failureToOpen(error, 'DATABASE_URL')}`;
}
