import { parseArgs } from 'node:util';
import type { Client } from 'pg';
import type { CommandStreams } from './config/command-streams.js';
import { givenVariables } from './config/given-variables.js';
import { runningDatabase } from './config/running-database.js';
import type { Settings } from './config/settings.js';
import { version } from './config/version.js';
import { ConnectionPool } from './database/connection-pool.js';
import { writeBundle } from './doctor/bundle.js';
import {
  checkClock,
  checkConnections,
  checkDatabase,
  type CheckedDatabase,
  checkPooler,
} from './doctor/database-check.js';
import { type Finding, findingsOf, textOf } from './doctor/finding.js';
import { checkKeys } from './doctor/keys-check.js';
import { checkAddress, type PolledAddress } from './doctor/proxy-check.js';
import { checkRights } from './doctor/rights-check.js';
import { checkSchema } from './doctor/schema-check.js';
import { checkServers } from './doctor/servers-check.js';
import { checkSettings } from './doctor/settings-check.js';
import { secretsOf, withoutSecrets } from './doctor/shown-settings.js';
import { migrations } from './schema-migrations.js';
import { entities } from './schema.js';
import { telemetryEntities, telemetryMigrations } from './telemetry-schema.js';
import { sealedTexts } from './sealed-texts.js';

const USAGE = `Usage: npm run doctor -- [--address URL] [--bundle FILE] [--json]

Checks an installation with the service's settings, and changes nothing: the settings, the database and its pooler, clocks, the
schema, rights of the role, whether the keys open what is stored, and the database of the telemetry, if that has its own.

  --address URL      also: the service as the world reaches it, and a real poll through all proxies, with the key of an agent that
                     you make for this in SERVICE_AGENT_KEY
  --poll-seconds N   how long that poll waits, 1 to 60 (60, as agents do)
  --bundle FILE      also: writes a new file for support, with the findings, the settings without secrets, and the state of the database
  --json             the findings as JSON

Exit code: 0 nothing failed, 1 a check failed, 2 the doctor could not do its work`;

const COULD_NOT_RUN = 2;
const STATEMENT_MS = 15_000;
const LONGEST_POLL = 60;

class UsageError extends Error {}

/**
 * Checks an installation. It only reads.
 *
 * @param args the command line, without the program
 * @param environment the settings; absent: those of the process
 * @returns the exit code; an error is written to standard error
 */
export async function doctorCommand(
  args: readonly string[],
  { stdout, stderr }: CommandStreams,
  environment?: NodeJS.ProcessEnv,
): Promise<number> {
  const variables = givenVariables(environment);
  const secrets = secretsOf(variables);
  try {
    const { help, json, bundle, polled } = readOptions(args, variables.SERVICE_AGENT_KEY);
    if (help) {
      stdout.write(`${USAGE}\n`);
      return 0;
    }
    const { settings, findings: first } = checkSettings(variables);
    const { client, findings: second } = settings ? await checkMain(settings) : NOTHING;
    const { client: telemetry, findings: third } = settings ? await checkTelemetry(settings) : NOTHING;
    try {
      const findings = [
        ...first,
        ...second,
        ...(settings ? await checkPooler(settings, client) : []),
        ...(settings && client ? await checkStored(settings, client) : []),
        ...third,
        ...(settings && telemetry ? await checkStoredTelemetry(settings, telemetry) : []),
        ...(polled ? await checkAddress(polled, version) : []),
      ];
      if (bundle !== undefined)
        await writeBundle(bundle, { version, findings, settings, client, telemetry, secrets });
      const text = json ? JSON.stringify(findings, null, 2) : textOf(findings);
      stdout.write(`${withoutSecrets(text, secrets)}\n`);
      return findings.some(({ status }) => status === 'failed') ? 1 : 0;
    } finally {
      for (const it of [client, telemetry]) await it?.end().catch(() => undefined);
    }
  } catch (error) {
    const { message } = error as Error;
    const text = error instanceof UsageError ? `${message}\n\n${USAGE}` : `The doctor stopped: ${message}`;
    stderr.write(`${withoutSecrets(text, secrets)}\n`);
    return COULD_NOT_RUN;
  }
}

const NOTHING = { client: undefined, findings: [] };

type Checks = Readonly<Record<string, () => Promise<readonly Finding[]>>>;

const namesOf = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);

const checkMain = (settings: Settings) =>
  checkDatabase(() => runningDatabase(settings), 'DATABASE_URL, DATABASE_DIRECT_URL');

/** The checks that need the database. */
function checkStored(settings: Settings, client: Client): Promise<readonly Finding[]> {
  return findingsOfAll({
    servers: () => checkServers(runningDatabase(settings)),
    connections: () => checkConnections(client, settings),
    clock: () => checkClock(client),
    schema: () => checkSchema(client, namesOf(migrations)),
    rights: () => checkRights(client, settings.embedded),
    keys: () => openStored(settings, client),
  });
}

/** The telemetry's database, where it has its own. */
async function checkTelemetry({ TELEMETRY_DATABASE_URL: url }: Settings): Promise<CheckedDatabase> {
  if (url === '') return NOTHING;
  const { client, findings } = await checkDatabase(
    () => ({ url }),
    'TELEMETRY_DATABASE_URL',
    'TELEMETRY_DATABASE_URL',
  );
  return { client, findings: ofTelemetry(findings) };
}

async function checkStoredTelemetry(settings: Settings, client: Client): Promise<readonly Finding[]> {
  const findings = await findingsOfAll({
    servers: () => checkServers({ url: settings.TELEMETRY_DATABASE_URL }),
    connections: () => checkConnections(client, settings),
    clock: () => checkClock(client),
    schema: () => checkSchema(client, namesOf(telemetryMigrations)),
    rights: () => checkRights(client, false),
  });
  return ofTelemetry(findings);
}

function ofTelemetry(findings: readonly Finding[]): readonly Finding[] {
  return findings.map((it) => ({ ...it, check: `telemetry ${it.check}` }));
}

/** Makes checks one after the other. One that can't be made is a failure of its own, and the others continue. */
async function findingsOfAll(checks: Checks): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const [name, check] of Object.entries(checks)) {
    try {
      findings.push(...(await check()));
    } catch (error) {
      const { failed } = findingsOf(name);
      findings.push(failed(`not checked: ${(error as Error).message}`, 'correct what failed above first'));
    }
  }
  return findings;
}

async function openStored(settings: Settings, client: Client): Promise<readonly Finding[]> {
  const pool = new ConnectionPool('background', 1, STATEMENT_MS);
  const { TELEMETRY_DATABASE_URL: url } = settings;
  const second = url === '' ? pool : new ConnectionPool('background', 1, STATEMENT_MS);
  try {
    await pool.open(runningDatabase(settings), { entities });
    if (second !== pool) await second.open({ url }, { entities: telemetryEntities });
    return await checkKeys(client, settings, sealedTexts(settings, pool.manager, second.manager));
  } finally {
    await Promise.all([pool.close(), second.close()]);
  }
}

/** @throws UsageError */
function readOptions(args: readonly string[], agentKey: string | undefined) {
  const options = {
    address: { type: 'string' },
    'poll-seconds': { type: 'string', default: String(LONGEST_POLL) },
    bundle: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  } as const;
  try {
    const { address, 'poll-seconds': text, ...others } = parseArgs({ args: [...args], options }).values;
    const seconds = Number(text);
    if (!/^\d+$/.test(text) || seconds < 1 || seconds > LONGEST_POLL)
      throw new UsageError(`--poll-seconds ${text} is not a whole number from 1 to ${LONGEST_POLL}`);
    if (address !== undefined && (!/^https?:\/\//.test(address) || !URL.canParse(address)))
      throw new UsageError('--address must be an address that begins with http:// or https://');
    const polled: PolledAddress | undefined =
      address === undefined ? undefined : { url: address.replace(/(?<!\/)\/+$/, ''), agentKey, seconds };
    return { ...others, polled };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
