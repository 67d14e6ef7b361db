import { readCommandLine } from './command-line.js';
import type { CommandEntry } from './command-table.js';
import { type Command, defineCommand } from './command.js';
import { command as createAgent } from './commands/agents/create.js';
import { command as deleteAgent } from './commands/agents/delete.js';
import { command as listAgents } from './commands/agents/list.js';
import { command as agentLogs } from './commands/agents/logs.js';
import { command as stopAgent } from './commands/agents/stop.js';
import { command as updateAgent } from './commands/agents/update.js';
import { command as createKey } from './commands/api-keys/create.js';
import { command as rotateKey } from './commands/api-keys/rotate.js';
import { command as createDeployment } from './commands/deploy/create.js';
import { command as deploymentEvents } from './commands/deploy/events.js';
import { command as listDeployments } from './commands/deploy/list.js';
import { command as scale } from './commands/deploy/scale.js';
import { command as events } from './commands/events.js';
import { command as login } from './commands/login.js';
import { command as createWebhook } from './commands/webhooks/create.js';
import { command as deliveries } from './commands/webhooks/deliveries.js';
import { command as recover } from './commands/webhooks/recover.js';
import { command as updateWebhook } from './commands/webhooks/update.js';
import { UsageError } from './failures.js';

/** Reads the arguments of one command. @throws UsageError */
async function readOptions<Options>(command: Command<Options>, argv: readonly string[]): Promise<Options> {
  const entry: CommandEntry = { name: 'it', summary: '', load: async () => ({ command }) };
  const invocation = await readCommandLine(['it', ...argv], { groups: {}, commands: [entry] });
  return command.read(invocation!.input);
}

const ID = '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d';
const PAGE = { limit: 50, skip: 0 };

const ALL_DEPLOYMENTS = {
  agent: undefined,
  status: undefined,
  active: undefined,
  text: undefined,
  waiting: undefined,
  failedSince: undefined,
  period: { since: undefined, until: undefined },
};

const table: [name: string, command: Command<any>, argv: string, options: object][] = [
  ['login', login, '', { email: undefined, isPasswordOnInput: false }],
  ['login', login, '--email a@b.c --password-stdin', { email: 'a@b.c', isPasswordOnInput: true }],
  ['login', login, '--sso', { isPasswordOnInput: false, sso: { opensBrowser: true } }],
  ['login', login, '--sso --no-browser', { isPasswordOnInput: false, sso: { opensBrowser: false } }],
  ['agents list', listAgents, '', { page: PAGE, isWatched: false, given: { labels: [] } }],
  [
    'agents list',
    listAgents,
    `--status failed --user-id ${ID} -n 7 --skip 3`,
    { page: { limit: 7, skip: 3 }, isWatched: false, given: { status: 'failed', user: ID, labels: [] } },
  ],
  [
    'agents list',
    listAgents,
    '--all -q reader --type worker --label team=billing --label env=a:b --sort -name',
    {
      page: { limit: Infinity, skip: 0 },
      isWatched: false,
      given: { text: 'reader', type: 'worker', labels: ['team:billing', 'env:a:b'], sort: '-name' },
    },
  ],
  [
    'agents create',
    createAgent,
    '--name n --type t --description d --config {}',
    { name: 'n', type: 't', description: 'd', config: '{}' },
  ],
  [
    'agents update',
    updateAgent,
    'reader --on-loop cancel --capture tools --usage-from reports',
    {
      agent: 'reader',
      change: { on_loop: 'cancel', capture: 'tools', usage_from: 'reports' },
      fromVersion: undefined,
      labels: undefined,
    },
  ],
  ['agents delete', deleteAgent, 'reader -y', { agent: 'reader', isConfirmed: true }],
  [
    'agents stop',
    stopAgent,
    'reader --wait',
    { named: ['reader'], labels: [], isConfirmed: false, wait: 600 },
  ],
  [
    'agents stop',
    stopAgent,
    'reader writer --yes --wait --timeout 5m',
    { named: ['reader', 'writer'], labels: [], isConfirmed: true, wait: 300 },
  ],
  [
    'agents logs',
    agentLogs,
    'reader -f -n 0 --level error --min-level warning -q disk --since 10m',
    {
      agent: 'reader',
      logs: {
        page: { limit: 0, skip: 0 },
        level: 'error',
        minLevel: 'warning',
        text: 'disk',
        isFollowed: true,
        since: { secondsAgo: 600 },
        until: undefined,
      },
    },
  ],
  [
    'deploy list',
    listDeployments,
    '--agent-id reader --status ready',
    { page: PAGE, isWatched: false, given: { ...ALL_DEPLOYMENTS, agent: 'reader', status: 'ready' } },
  ],
  [
    'deploy list',
    listDeployments,
    '--active -q read',
    { page: PAGE, isWatched: false, given: { ...ALL_DEPLOYMENTS, active: true, text: 'read' } },
  ],
  [
    'deploy create',
    createDeployment,
    '--agent-id reader --replicas 3 -w',
    {
      agent: 'reader',
      replicas: 3,
      request: { config_version: undefined, replaces: 'none' },
      wait: 600,
    },
  ],
  [
    'deploy create',
    createDeployment,
    '--agent-id reader --config-version 3 --replace',
    {
      agent: 'reader',
      replicas: undefined,
      request: { config_version: 3, replaces: 'active' },
      wait: undefined,
    },
  ],
  ['deploy scale', scale, `${ID} 3`, { deployment: ID, replicas: 3, wait: undefined }],
  ['deploy scale', scale, `${ID} --replicas 0 -w --timeout 90`, { deployment: ID, replicas: 0, wait: 90 }],
  [
    'deploy events',
    deploymentEvents,
    `ticker --event-type scale`,
    { deployment: 'ticker', eventType: 'scale', status: undefined, page: PAGE, isFollowed: false },
  ],
  [
    'api-keys create',
    createKey,
    '--name ci --scope read --scope deploy --expires-in-days 30',
    { name: 'ci', agent: undefined, scopes: ['read', 'deploy'], everybody: false, expiresInDays: 30 },
  ],
  [
    'api-keys create',
    createKey,
    '--name ci',
    { name: 'ci', agent: undefined, scopes: undefined, everybody: false, expiresInDays: 365 },
  ],
  [
    'api-keys create',
    createKey,
    '--name ci --scope * --expires-in-days never --everybody',
    { name: 'ci', agent: undefined, scopes: ['*'], everybody: true, expiresInDays: undefined },
  ],
  [
    'api-keys create',
    createKey,
    '--name laptop --agent-id reader',
    { name: 'laptop', agent: 'reader', scopes: undefined, everybody: false, expiresInDays: undefined },
  ],
  ['api-keys rotate', rotateKey, ID, { key: ID, gracePeriodSeconds: 0 }],
  ['api-keys rotate', rotateKey, `${ID} --grace-period 24h`, { key: ID, gracePeriodSeconds: 86_400 }],
  [
    'webhooks create',
    createWebhook,
    '--url http://x --event a --event b --inactive',
    { url: 'http://x', events: ['a', 'b'], isInactive: true, isSecretOnInput: false, hasPayloads: false },
  ],
  [
    'webhooks update',
    updateWebhook,
    `${ID} --active`,
    {
      webhook: ID,
      url: undefined,
      events: undefined,
      description: undefined,
      isActive: true,
      isSecretOnInput: false,
    },
  ],
  [
    'webhooks deliveries',
    deliveries,
    `${ID} --unsuccessful --since 2026-01-31T09:30`,
    {
      page: PAGE,
      isWatched: false,
      given: {
        webhook: ID,
        event: undefined,
        success: false,
        since: { at: '2026-01-31T09:30:00.000Z' },
        until: undefined,
      },
    },
  ],
  [
    'webhooks recover',
    recover,
    `${ID} --since 2026-01-31T09:30`,
    { webhook: ID, since: { at: '2026-01-31T09:30:00.000Z' } },
  ],
  ['events', events, '--limit 3', { after: undefined, limit: 3, isFollowed: false }],
  ['events', events, '--after 7 --follow', { after: 7, limit: Infinity, isFollowed: true }],
];

const refused: [name: string, command: Command<any>, argv: string, reason: RegExp][] = [
  ['login', login, '--sso --email a@b.c', /goes without --email/],
  ['agents list', listAgents, '--limit -1', /whole number/],
  ['agents list', listAgents, '--limit 1.5', /whole number/],
  ['agents list', listAgents, 'extra', /Unexpected argument "extra"/],
  ['agents logs', agentLogs, 'reader -f --until 1h', /--follow/],
  ['agents logs', agentLogs, 'reader --since yesterday', /2026-01-31/],
  ['deploy create', createDeployment, '', /--agent-id/],
  ['deploy create', createDeployment, '--agent-id reader --timeout 5', /--wait/],
  ['deploy scale', scale, ID, /number of replicas once/],
  ['deploy scale', scale, `${ID} 3 --replicas 3`, /number of replicas once/],
  ['api-keys create', createKey, '--name x --expires-in-days 366', /from 1 to 365/],
  ['api-keys create', createKey, '--name x --agent-id reader --everybody', /neither --agent-id nor --role/],
  ['api-keys rotate', rotateKey, `${ID} --grace-period 25h`, /longer than a day/],
  ['webhooks update', updateWebhook, ID, /Say what to change/],
  ['webhooks update', updateWebhook, `${ID} --active --inactive`, /give one/],
  ['webhooks deliveries', deliveries, `${ID} --succeeded --unsuccessful`, /give one/],
  ['webhooks recover', recover, ID, /--since/],
];

function words(argv: string): string[] {
  return argv.split(' ').filter((word) => word !== '');
}

describe('A command line', () => {
  it.each(table)('is parsed: svc %s %#', async (_name, command, argv, options) => {
    expect(await readOptions(command, words(argv))).toEqual(options);
  });

  it.each(refused)('is refused: svc %s %#', async (_name, command, argv, reason) => {
    const reading = readOptions(command, words(argv));
    await expect(reading).rejects.toThrow(UsageError);
    await expect(reading).rejects.toThrow(reason);
  });
});

describe('Options that every command has', () => {
  const command = defineCommand({ examples: [], read: () => ({}), run: async () => undefined });
  const commands = [{ name: 'things list', summary: 'List things', load: async () => ({ command }) }];
  const read = (...argv: string[]) => readCommandLine(argv, { groups: { things: 'Things' }, commands });

  it('may stand before and after the command', async () => {
    const wanted = { name: 'things list', apiUrl: 'http://x', project: 'p', output: 'json' };
    expect(
      await read('--api-url', 'http://x', '--project', 'p', 'things', 'list', '-o', 'json'),
    ).toMatchObject(wanted);
    expect(await read('things', '--output=json', 'list', '--api-url=http://x', '--project=p')).toMatchObject(
      wanted,
    );
    expect(await read('things', 'list')).toMatchObject({
      apiUrl: undefined,
      project: undefined,
      output: 'table',
    });
    const shaped = { output: 'json', fields: ['id', 'name'], jq: '.[]' };
    expect(await read('things', 'list', '--json', 'id, name', '--jq', '.[]')).toMatchObject(shaped);
    await expect(read('things', 'list', '--json', 'id,')).rejects.toThrow('separated by commas');
  });

  it('load only the called command', async () => {
    const load = () => Promise.reject(new Error('loaded'));
    const others = [...commands, { name: 'things break', summary: '', load }];
    const style = { width: 80, heading: (text: string) => text, write: () => undefined };
    const table = { groups: { things: 'Things' }, commands: others };
    expect(await readCommandLine(['things', 'list'], table, style)).toBeDefined();
    expect(await readCommandLine(['things', '--help'], table, style)).toBeUndefined();
    expect(await readCommandLine([], table, style)).toBeUndefined();
  });

  it('throw if a command reads an undeclared option', async () => {
    const invocation = await read('things', 'list');
    expect(() => invocation!.input.text('nonsense')).toThrow('does not declare');
  });
});
