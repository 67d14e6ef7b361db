// node --test: the check for breaking changes, with the real document and a real history.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { covers, declaredChanges } from '../../scripts/check-api-changes.mjs';

const root = resolve(import.meta.dirname, '../..');
const document = readFileSync(join(root, 'openapi.json'), 'utf8');

let clone;

const git = (...args) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: clone });
const write = (text) => writeFileSync(join(clone, 'openapi.json'), text);
const changed = (change) => {
  const copy = JSON.parse(document);
  change(copy, copy.components.schemas);
  return JSON.stringify(copy, null, 2);
};
const declare = (...lines) => {
  // git removes a folder with its last file
  mkdirSync(join(clone, 'docs'), { recursive: true });
  writeFileSync(join(clone, 'docs/api-changes.txt'), lines.join('\n'));
};
const gate = (env = {}) => {
  const script = join(clone, 'scripts/check-api-changes.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], {
    cwd: clone,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...env },
  });
  const named = stdout.split('\n').filter((line) => line.startsWith('  '));
  return { status, output: stdout + stderr, named: named.map((line) => line.trim()) };
};

before(() => {
  clone = mkdtempSync(join(tmpdir(), 'api-changes-test-'));
  for (const folder of ['scripts', 'test/generators']) mkdirSync(join(clone, folder), { recursive: true });
  const script = 'scripts/check-api-changes.mjs';
  writeFileSync(join(clone, script), readFileSync(join(root, script)));
  symlinkSync(join(import.meta.dirname, 'node_modules'), join(clone, 'test/generators/node_modules'));
  git('init', '--quiet', '--initial-branch=main');
  write(document);
  git('add', 'openapi.json');
  git('commit', '--quiet', '--message=first');
});

after(() => rmSync(clone, { recursive: true, force: true }));

beforeEach(() => {
  git('reset', '--quiet', '--hard');
  declare();
});

/** Breaking changes: [what, how, the check's name of it]. */
const BREAKING = [
  [
    'a schema is renamed',
    (api) => {
      const text = JSON.stringify(api).replaceAll(/LeadResponse(?=")/g, 'Prospect');
      Object.assign(api, JSON.parse(text));
    },
    'schema-removed #/components/schemas/LeadResponse',
  ],
  [
    'an operation id is renamed',
    (api) => (api.paths['/agents'].get.operationId = 'getAgents'),
    'operation-id-changed #/paths/~1agents/get/operationId ("listAgents" -> "getAgents")',
  ],
  ['a path is removed', (api) => delete api.paths['/newsletter'], 'path-removed #/paths/~1newsletter'],
  [
    'an operation is removed',
    (api) => delete api.paths['/leads'].get,
    'operation-removed #/paths/~1leads/get',
  ],
  [
    'a parameter is removed',
    (api) => api.paths['/events'].get.parameters.shift(),
    /^parameter-removed #\/paths\/~1events\/get\/parameters\/0$/,
  ],
  [
    'a status is removed',
    (api) => delete api.paths['/agents/{agent_id}/stop'].post.responses[404],
    'response-removed #/paths/~1agents~1{agent_id}~1stop/post/responses/404',
  ],
  [
    'a property of a response is removed',
    (_, { UserResponse }) => {
      delete UserResponse.properties.name;
      UserResponse.required = UserResponse.required.filter((name) => name !== 'name');
    },
    'property-removed #/components/schemas/UserResponse/properties/name',
  ],
  [
    'a property of a request is removed',
    (_, { CreateLeadRequest }) => delete CreateLeadRequest.properties.company,
    'property-removed #/components/schemas/CreateLeadRequest/properties/company',
  ],
  [
    'a property becomes required in a request',
    (_, { CreateAgentRequest }) => (CreateAgentRequest.required = ['name']),
    'required-properties-added #/components/schemas/CreateAgentRequest (+name)',
  ],
  [
    'a property is no longer required in a response',
    (_, { DeploymentResponse }) => DeploymentResponse.required.pop(),
    'required-properties-removed #/components/schemas/DeploymentResponse/required (-updated_at)',
  ],
  [
    'a type changes',
    (_, { MetricRecord }) => (MetricRecord.properties.uptime_seconds.type = 'string'),
    /^schema-type-changed #\/components\/schemas\/MetricRecord\/properties\/uptime_seconds\/type/,
  ],
  [
    'a value of an enum is removed',
    (_, { AgentStatus }) => AgentStatus.enum.pop(),
    'enum-values-removed #/components/schemas/AgentStatus/enum (-deleting)',
  ],
  [
    'a webhook message loses a property',
    (_, { WebhookAgent }) => delete WebhookAgent.properties.hostname,
    /#\/components\/schemas\/WebhookAgent\/properties\/hostname$/,
  ],
  ['a webhook is renamed', ({ webhooks }) => delete webhooks['agent.created'], /#\/webhooks\/agent.created/],
];

describe('The check fails and names the change when', () => {
  // all in one comparison, because each takes a second
  let result;
  before(() => {
    write(changed((api) => BREAKING.forEach(([, change]) => change(api, api.components.schemas))));
    result = gate();
  });

  for (const [what, , name] of BREAKING) {
    it(what, () => {
      assert.equal(result.status, 1, result.output);
      const isNamed = (id) => (typeof name === 'string' ? id === name : name.test(id));
      assert.ok(result.named.some(isNamed), result.output);
    });
  }

  it('only a schema is renamed', () => {
    write(changed(BREAKING[0][1]));
    const { status, named, output } = gate();
    assert.deepEqual([status, named], [1, [BREAKING[0][2]]], output);
  });
});

describe('The check passes when', () => {
  it('nothing has changed', () => {
    const { status, output } = gate({ API_BASE: 'HEAD' });
    assert.equal(status, 0);
    assert.match(output, /Since HEAD: 0 breaking changes/);
  });

  it('parts are added and texts change', () => {
    const text = changed((api, schemas) => {
      schemas.LeadResponse.properties.score = { type: 'integer' };
      schemas.CreateLeadRequest.properties.score = { type: 'integer' };
      api.paths['/leads'].get.summary = 'Another one';
      api.paths['/leads'].get.responses[418] = { description: 'New' };
      api.paths['/more'] = { get: { ...api.paths['/leads'].get, operationId: 'listMore' } };
    });
    write(text);
    const { status, output } = gate();
    assert.equal(status, 0, output);
  });

  it('each breaking change is declared by its own line', () => {
    write(
      changed((api) => {
        delete api.paths['/leads'].get;
        delete api.paths['/agents/{agent_id}/stop'].post.responses[404];
      }),
    );
    const { named } = gate();
    assert.ok(named.length >= 2);
    declare(...named.map((id) => `- \`${id}\` (0.2.0, 2026-03-01): nobody asks for it.`));
    assert.equal(gate().status, 0);
    declare(...named.slice(1).map((id) => `- \`${id}\` (0.2.0, 2026-03-01): nobody asks for it.`));
    assert.deepEqual(gate().named, named.slice(0, 1));
  });

  it('a declaration is left over, which it reports', () => {
    declare('- `path-removed #/paths/~1old` (0.0.1, 2025-03-01): long ago.');
    const { status, output } = gate({ API_BASE: 'HEAD' });
    assert.equal(status, 0);
    assert.match(output, /Declared, and not among the changes since \w+: 1/);
  });

  it('there is no history, which it reports', () => {
    const { status, output } = gate({ GIT_DIR: join(clone, 'nowhere') });
    assert.equal(status, 0, output);
    assert.match(output, /No earlier openapi\.json to compare with/);
  });
});

const without = (path) => changed((api) => delete api.paths[path]);
const commit = (message) => git('commit', '--quiet', '--all', `--message=${message}`);

it('A declaration counts only for the change with which it is committed', () => {
  const earlier = '- `path-removed #/paths/~1newsletter` (0.2.0, 2026-03-01): nobody asks for it.';
  declare(earlier);
  git('add', 'docs/api-changes.txt');
  commit('it was removed, and is there again');
  write(without('/newsletter'));
  const { status, named } = gate();
  declare(earlier, earlier.replace('0.2.0, 2026-03-01', '0.3.0, 2026-05-01'));
  const declaredAnew = gate();
  git('reset', '--quiet', '--hard', 'HEAD~1');
  assert.deepEqual([status, named], [1, ['path-removed #/paths/~1newsletter']]);
  assert.equal(declaredAnew.status, 0, declaredAnew.output);
});

describe('The check compares with', () => {
  it('the version before the last change if that is committed', () => {
    write(without('/newsletter'));
    commit('breaks');
    git('commit', '--quiet', '--allow-empty', '--message=something else');
    const { status, named } = gate();
    git('reset', '--quiet', '--hard', 'HEAD~2');
    assert.deepEqual([status, named], [1, ['path-removed #/paths/~1newsletter']]);
  });

  it('the commit at which the branch began, however many commits ago', () => {
    git('switch', '--quiet', '--create', 'topic');
    write(without('/newsletter'));
    commit('breaks');
    writeFileSync(join(clone, 'openapi.json'), `${without('/newsletter')}\n`);
    commit('no more than a line break');
    const { status, named } = gate();
    git('switch', '--quiet', 'main');
    assert.deepEqual([status, named], [1, ['path-removed #/paths/~1newsletter']]);
  });
});

it('A declaration without version, date and reason is refused', () => {
  assert.deepEqual(declaredChanges('- `a #/b` (0.2.0, 2026-03-01): nobody asks.\n\ntext'), ['a #/b']);
  for (const line of ['- `a`', '- `a`: why', '- `a` (0.2.0, 2026-03-01):', '- `a` (soon): why'])
    assert.throws(() => declaredChanges(line), /without version, date and reason/);
});

describe('A declaration', () => {
  it('covers only the change that it names', () => {
    assert.ok(covers('path-removed #/paths/~1a.b', 'path-removed #/paths/~1a.b'));
    assert.ok(!covers('path-removed #/paths/~1a.b', 'path-removed #/paths/~1a-b'));
    assert.ok(!covers('path-removed #/paths/~1a', 'path-removed #/paths/~1a/get'));
  });

  it('covers several changes with a star, which stands for one step of their path', () => {
    const declaration = 'response-removed #/paths/*/get/responses/413';
    assert.ok(covers(declaration, 'response-removed #/paths/~1agents~1{agent_id}/get/responses/413'));
    assert.ok(!covers(declaration, 'response-removed #/paths/~1agents/get/responses/404'));
    assert.ok(!covers(declaration, 'response-removed #/paths/~1agents/post/responses/413'));
    assert.ok(!covers('path-removed #/paths/*', 'path-removed #/paths/~1agents/get'));
  });
});
