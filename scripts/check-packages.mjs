// Checks the packages that npm would publish: packs them, installs them in empty folders like a user, checks their
// limits, and uses them with the oldest Node that they declare, against a real service.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import ts from 'typescript';
import { announcedAddresses, waitFor } from './check-service.mjs';
import { sizeOf } from './dockerfile.mjs';
import { ensureBuilt } from './ensure-built.mjs';
import { manifestOf, pack, run } from './npm-packages.mjs';
import { main, nodeBinary, Problem, root, say } from './project.mjs';

const PASSWORD = 'Correct-horse-7';
const MB = 1_000_000;

/** Packages that are installed together, with their limits: number of packages with all dependencies, and bytes. */
const INSTALLATIONS = [
  { name: 'client', with: [], mostPackages: 5, mostBytes: 3 * MB },
  { name: 'svc', with: ['client'], mostPackages: 40, mostBytes: 15 * MB },
  { name: 'conformance', with: [], mostPackages: 10, mostBytes: 6 * MB },
];

function install(folder, packages, ...options) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  run('npm', ['install', ...quiet, ...options, ...packages], { cwd: folder });
}

/** Installs a package and its dependencies. @throws Problem if they exceed the limits */
function installWithinLimits({ name, with: others, mostPackages, mostBytes }, tarballs, folder) {
  install(
    folder,
    [name, ...others].map((it) => tarballs[it]),
    '--ignore-scripts',
  );
  const { packages } = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8'));
  const count = Object.keys(packages).length;
  const bytes = sizeOf(join(folder, 'node_modules'));
  say(`${name}, installed: ${count} packages, ${(bytes / MB).toFixed(1)} MB`);
  if (count > mostPackages || bytes > mostBytes)
    throw new Problem(`${name} may be ${mostPackages} packages and ${mostBytes / MB} MB at most`);
}

/** Installs the oldest Node that a package declares, from npm, once for all packages that declare it. @returns the program */
function installOldestNode(name, folder) {
  const [, version] = /^>=([\d.]+)$/.exec(manifestOf(name).engines.node);
  const home = join(folder, `node-${version}`);
  if (!existsSync(home)) install(home, [`node@${version}`], '--ignore-scripts=false');
  const node = join(home, 'node_modules/.bin/node');
  say(`${name} is used with Node ${run(node, ['--version']).trim()}`);
  return node;
}

/** Runs the service of this checkout, on a separate database. */
async function withService(folder, work) {
  const env = {
    ...process.env,
    PORT: '0',
    WEB_PORT: '0',
    DATA_DIR: join(folder, 'data'),
    LOG_LEVEL: 'error',
    LOG_FORMAT: 'pretty',
  };
  for (const name of ['DATABASE_URL', 'HOST', 'JWT_SECRET', 'NODE_ENV']) delete env[name];
  const service = spawn(nodeBinary(), ['dist/service/main.js'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const gone = once(service, 'close');
  try {
    const [address] = await announcedAddresses(service, ['API']);
    await work(address);
  } finally {
    service.kill('SIGTERM');
    await gone;
  }
}

async function register(address) {
  const email = 'ada@example.com';
  const response = await fetch(`${address}/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  if (response.status !== 201) throw new Problem(`Registration: ${response.status} ${await response.text()}`);
  return email;
}

function expect(text, part) {
  if (!text.includes(part)) throw new Problem(`"${part}" is not in:\n${text}`);
}

/** The first steps of a new user of `svc`. @returns `svc`, as a function of its arguments, logged in */
async function useSvc(folder, node, address) {
  const PATH = [dirname(node), process.env.PATH].join(delimiter);
  const env = { PATH, HOME: folder, SERVICE_API_URL: address };
  const program = join(folder, 'node_modules/.bin/svc');
  const svc = (args, more = {}) => run(program, args, { cwd: folder, env: { ...env, ...more } });
  const email = await register(address);
  expect(svc(['--help']), 'Usage: svc');
  expect(svc(['run', '--help']), 'Usage: svc run');
  expect(svc(['--version']), manifestOf('svc').version);
  expect(svc(['status']), `${address} (from SERVICE_API_URL)`);
  svc(['login', '--email', email], { SERVICE_PASSWORD: PASSWORD });
  expect(svc(['whoami']), email);
  expect(svc(['completion', 'bash']), 'complete -o default -F _svc svc');
  return Object.assign(svc, { program, env });
}

/** Runs an agent until its deployment is ready, sends it a signal, and waits for its end and for its last output. */
async function runUntilReady(svc, agent, [command, ...args], env, signal) {
  const child = spawn(command, args, { cwd: svc.env.HOME, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const ended = once(child, 'close');
  const deployments = () => JSON.parse(svc(['deploy', 'list', '--agent-id', agent, '--output', 'json']));
  try {
    svc(['agents', 'deploy', agent]);
    await waitFor(`${agent} is ready`, () => {
      if (child.exitCode !== null) throw new Problem(`${agent} ended with ${child.exitCode}:\n${output}`);
      return deployments()[0].ready_replicas === 1;
    });
    child.kill(signal);
    const [code] = await ended;
    if (code !== 0) throw new Problem(`${signal}: ${agent} ended with ${code}:\n${output}`);
    await waitFor(`${agent} has said that nothing runs`, () => deployments()[0].ready_replicas === 0);
  } finally {
    child.kill('SIGKILL');
  }
}

/** Runs `svc run` like a person; the signal goes to the started process. */
async function useSvcRun(svc) {
  const config = JSON.stringify({ command: ['sleep', '1000'] });
  svc(['agents', 'create', '--name', 'packed', '--config', config]);
  await runUntilReady(svc, 'packed', [svc.program, 'run', '--agent', 'packed'], svc.env, 'SIGINT');
}

/** Uses `AgentRuntime`: the sample of the package's own page, and the included example. */
async function useRuntime(svc, folder, node) {
  const page = readFileSync(join(folder, 'node_modules/@agent-control-plane/client/README.md'), 'utf8');
  const [, shown] = /```ts\n([\s\S]*?)```/.exec(page);
  const options = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext };
  writeFileSync(join(folder, 'shown.mjs'), ts.transpile(shown, options));
  const example = 'node_modules/@agent-control-plane/client/examples/in-process-agent.mjs';
  for (const [agent, program] of [
    ['shown', 'shown.mjs'],
    ['example', example],
  ]) {
    const { api_key: key } = JSON.parse(svc(['agents', 'create', '--name', agent, '--output', 'json']));
    const env = { ...svc.env, SERVICE_AGENT_KEY: key, STATE_DIR: join(folder, 'state', agent) };
    await runUntilReady(svc, agent, [node, join(folder, program)], env, 'SIGTERM');
  }
}

const PROGRAM = `
import { createServiceClient, ServiceError, type Agent, unwrap } from '@agent-control-plane/client';
import { AgentRuntime } from '@agent-control-plane/client/runtime';

const service = createServiceClient({ baseUrl: process.argv[2]!, retries: 0 });
const { name } = await unwrap(service.GET('/'));
const refused = await service.GET('/agents').catch((error: unknown) => error);
const isRefused = refused instanceof ServiceError && refused.status === 401;
const agents: Agent[] = [];
console.log(JSON.stringify({ name, isRefused, agents: agents.length, runtime: typeof AgentRuntime }));
`;

/** Uses the client: checks its types with all strict options, and its exports. */
function useClient(folder, node, address) {
  writeFileSync(join(folder, 'program.ts'), PROGRAM);
  const compilerOptions = {
    strict: true,
    target: 'es2024',
    module: 'nodenext',
    skipLibCheck: false,
    typeRoots: [join(root, 'node_modules', '@types')],
    types: ['node'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  run(nodeBinary(), [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', folder]);
  const printed = JSON.parse(run(node, [join(folder, 'program.js'), address], { cwd: folder }));
  if (!printed.name || !printed.isRefused || printed.runtime !== 'function')
    throw new Problem(`The exports do not do what they should: ${JSON.stringify(printed)}`);
}

/** The kit plays its first scenario to a correct agent. */
function useKit(folder, node) {
  cpSync(join(root, 'test/conformance/example-agent'), join(folder, 'agent'), { recursive: true });
  const kit = join(folder, 'node_modules/.bin/agent-conformance');
  const PATH = [dirname(node), process.env.PATH].join(delimiter);
  const args = ['--scenario', 'story', nodeBinary(), join(folder, 'agent/run.mjs')];
  expect(run(kit, args, { cwd: folder, env: { PATH } }), ' 0 failed');
}

await main(async () => {
  await ensureBuilt();
  const folder = mkdtempSync(join(tmpdir(), 'acp-packages-'));
  const at = (name) => join(folder, name);
  try {
    // for root, PostgreSQL runs as another user, who has to enter
    chmodSync(folder, 0o755);
    const tarballs = Object.fromEntries(INSTALLATIONS.map(({ name }) => [name, pack(name, folder)]));
    const nodes = {};
    for (const installation of INSTALLATIONS) {
      const { name } = installation;
      installWithinLimits(installation, tarballs, at(name));
      nodes[name] = installOldestNode(name, folder);
    }
    useKit(at('conformance'), nodes.conformance);
    await withService(folder, async (address) => {
      const svc = await useSvc(at('svc'), nodes.svc, address);
      await useSvcRun(svc);
      useClient(at('client'), nodes.client, address);
      await useRuntime(svc, at('client'), nodes.client);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
