// What npm would publish, kept by CI: packed, installed as anybody installs it, and used.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { announcedAddresses } from './check-service.mjs';
import { ensureBuilt } from './ensure-built.mjs';
import { main, nodeBinary, Problem, root, say } from './project.mjs';

const PASSWORD = 'Correct-horse-7';

/** The project's Node comes first, as on a machine where svc is at home. */
const PATH = `${dirname(nodeBinary())}:${process.env.PATH}`;

/** @returns standard output @throws Problem with all that it printed, when it fails */
function run(command, args, options = {}) {
  try {
    return execFileSync(command, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      ...options,
      env: { ...process.env, PATH, ...options.env },
    });
  } catch (error) {
    throw new Problem(`${command} ${args.join(' ')}:\n${error.stdout ?? ''}${error.stderr ?? error.message}`);
  }
}

/** What is in the package, and what must not be. */
function pack(folder) {
  const [{ filename, files, size }] = JSON.parse(
    run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], { cwd: root }),
  );
  const paths = files.map(({ path }) => path);
  const needed = [
    'bin/svc.mjs',
    'dist/src/main.js',
    'dist/src/cli/main.js',
    'dist/src/client/entry.js',
    'dist/src/client/entry.d.ts',
    'dist/src/runner/agent-runtime.js',
    'dist/src/runner/agent-runtime.d.ts',
    'openapi.json',
    'README.md',
    'LICENSE',
  ];
  const missing = needed.filter((path) => !paths.includes(path));
  const unwanted = paths.filter((path) =>
    /^(test|bench|demo|src|node_modules)\/|\.spec\.|^dist\/(test|bench|demo)\//.test(path),
  );
  if (missing.length > 0) throw new Problem(`The package lacks ${missing.join(', ')}`);
  if (unwanted.length > 0) throw new Problem(`The package holds ${unwanted.slice(0, 5).join(', ')}`);
  say(`${filename}: ${paths.length} files, ${Math.round(size / 1024)} KiB`);
  return join(folder, filename);
}

/** As `npm i -g` does it. @returns the prefix that it went to */
function install(tarball, folder) {
  const prefix = join(folder, 'prefix');
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  run('npm', [
    'install',
    '--global',
    '--prefix',
    prefix,
    '--ignore-scripts',
    '--omit=optional',
    ...quiet,
    tarball,
  ]);
  return prefix;
}

/** The service of this checkout, on a database of its own. */
async function withService(folder, work) {
  const env = {
    ...process.env,
    PORT: '0',
    WEB_PORT: '0',
    DATA_DIR: join(folder, 'data'),
    LOG_LEVEL: 'error',
  };
  for (const name of ['DATABASE_URL', 'HOST', 'JWT_SECRET', 'NODE_ENV']) delete env[name];
  const service = spawn(nodeBinary(), ['dist/src/main.js'], {
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

/** What a newcomer does with `svc`. */
async function useSvc(prefix, folder, address) {
  const env = { HOME: folder, SERVICE_API_URL: address, SERVICE_API_KEY: '' };
  const svc = (args, more = {}) =>
    run(join(prefix, 'bin', 'svc'), args, { cwd: folder, env: { ...env, ...more } });
  const expect = (text, part) => {
    if (!text.includes(part)) throw new Problem(`"${part}" is not in:\n${text}`);
  };
  const email = await register(address);
  expect(svc(['--help']), 'Usage: svc');
  expect(svc(['run', '--help']), 'Usage: svc run');
  expect(svc(['status']), `${address} (from SERVICE_API_URL)`);
  svc(['login', '--email', email], { SERVICE_PASSWORD: PASSWORD });
  expect(svc(['whoami']), email);
  expect(svc(['agents', 'create', '--name', 'packed']), 'svc_agent_');
  expect(svc(['agents', 'list']), 'packed');
  expect(svc(['completion', 'bash']), 'complete -o default -F _svc svc');
}

const PROGRAM = `
import { createServiceClient, ServiceError, type Agent, unwrap } from 'agent-control-plane';
import { AgentRuntime } from 'agent-control-plane/runtime';

const service = createServiceClient({ baseUrl: process.argv[2]!, retries: 0 });
const { name } = await unwrap(service.GET('/'));
const refused = await service.GET('/agents').catch((error: unknown) => error);
const isRefused = refused instanceof ServiceError && refused.status === 401;
const agents: Agent[] = [];
console.log(JSON.stringify({ name, isRefused, agents: agents.length, runtime: typeof AgentRuntime }));
`;

/** What a program does with the package: its types, checked as strictly as can be, and what it exports. */
function useExports(prefix, folder, address) {
  const project = join(folder, 'project');
  mkdirSync(join(project, 'node_modules'), { recursive: true });
  symlinkSync(
    join(prefix, 'lib', 'node_modules', 'agent-control-plane'),
    join(project, 'node_modules', 'agent-control-plane'),
  );
  writeFileSync(join(project, 'package.json'), JSON.stringify({ type: 'module' }));
  writeFileSync(join(project, 'program.ts'), PROGRAM);
  const compilerOptions = {
    strict: true,
    target: 'es2024',
    module: 'nodenext',
    skipLibCheck: false,
    typeRoots: [join(root, 'node_modules', '@types')],
    types: ['node'],
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  run(nodeBinary(), [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', project]);
  const printed = JSON.parse(run(nodeBinary(), [join(project, 'program.js'), address], { cwd: project }));
  if (!printed.name || !printed.isRefused || printed.runtime !== 'function')
    throw new Problem(`The exports do not do what they should: ${JSON.stringify(printed)}`);
}

await main(async () => {
  await ensureBuilt();
  const folder = mkdtempSync(join(tmpdir(), 'acp-package-'));
  try {
    // root's PostgreSQL runs as another user, who has to pass
    chmodSync(folder, 0o755);
    const prefix = install(pack(folder), folder);
    if (!existsSync(join(prefix, 'bin', 'svc'))) throw new Problem('npm has not installed svc');
    await withService(folder, async (address) => {
      await useSvc(prefix, folder, address);
      useExports(prefix, folder, address);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
