// Checks the Dockerfile and the compose file without a container engine: reads both, executes the Dockerfile's steps in an
// empty folder, and starts the result on a PostgreSQL of its own.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { load } from 'js-yaml';
import { announcedAddresses, expectDashboard, expectHealthy } from './check-service.mjs';
import { commandOf, environmentOf, faultsOf, programOf, replay, sizeOf, stagesOf } from './dockerfile.mjs';
import { main, nodeBinary, Problem, root, say } from './project.mjs';

/** Maximum size of the result of the build. With the 165 MB of node:24-alpine the image stays below 250 MB. */
const MOST_BYTES = 72 * 1024 * 1024;

function faultsOfCompose({ services }) {
  const { service, web, migrate, postgres } = services;
  const environment = JSON.stringify([
    service.environment,
    web.environment,
    migrate.environment,
    postgres.environment,
  ]);
  const expectations = [
    [postgres.image === 'postgres:18', 'the database is PostgreSQL 18'],
    [
      postgres.healthcheck && migrate.depends_on.postgres.condition === 'service_healthy',
      'migrations wait for it',
    ],
    [
      service.depends_on.migrate.condition === 'service_completed_successfully',
      'the service waits for the migrations',
    ],
    [
      /:\/\/control_plane_service:/.test(service.environment.DATABASE_URL) &&
        !/POSTGRES_PASSWORD|OWNER/.test(JSON.stringify(service.environment)),
      'the service connects as a role of its own, and knows the password of no other',
    ],
    [
      migrate.command[0] === 'migrate' && migrate.command.includes('control_plane_service'),
      'the migrations say what that role may do',
    ],
    [!postgres.ports, 'the database publishes no port'],
    [postgres.volumes.includes('database:/var/lib/postgresql'), 'the data is in a volume, where 18 keeps it'],
    [
      [service, web].every(({ ports }) => ports.every((it) => it.startsWith('127.0.0.1:'))),
      'ports are published on 127.0.0.1 only',
    ],
    [[web, migrate].every(({ image }) => image === service.image), 'all programs are one image'],
    [!('database' in web.networks), 'the web server does not reach the database'],
    [!/SECRET|PASSWORD|DATABASE/.test(JSON.stringify(web.environment)), 'the web server knows no secret'],
    [
      Object.values(services).every((it) => it.mem_limit && it.pids_limit),
      'memory and processes are limited, in any',
    ],
    [
      service.environment.TRUST_PROXY.endsWith(`:-${web.networks.inside.ipv4_address}}`),
      'the service trusts the address of the web server, and no other',
    ],
    [[service, web, migrate].every((it) => it.read_only === true), 'the root file systems are read-only'],
    [[service, web, migrate].every((it) => String(it.cap_drop) === 'ALL'), 'all capabilities are dropped'],
    [
      [service, web, migrate, postgres].every((it) => it.security_opt.includes('no-new-privileges:true')),
      'no new privileges, in any',
    ],
    [/\$\{JWT_SECRET:\?/.test(environment), 'JWT_SECRET is required from the environment'],
    ...['WEBHOOK_SECRET_KEY', 'POSTGRES_PASSWORD', 'DATABASE_OWNER_PASSWORD', 'DATABASE_PASSWORD'].map(
      (name) => [environment.includes(`\${${name}:?`), `${name} is required from the environment`],
    ),
  ];
  return expectations.filter(([holds]) => !holds).map(([, expectation]) => expectation);
}

/** Variables that are in only one of the compose files and the example. */
function faultsOfExample(compose, example) {
  const taken = [...compose.matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name);
  const offered = [...example.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
  const inOneOnly = [
    ...taken.filter((name) => !offered.includes(name)),
    ...offered.filter((name) => !taken.includes(name)),
  ];
  return [...new Set(inOneOnly)].map(
    (name) => `${name} is in both the compose file and settings.env.example`,
  );
}

function expectNone(file, faults) {
  if (faults.length > 0)
    throw new Problem(`${file}: this does not hold:\n${faults.map((it) => `- ${it}`).join('\n')}`);
}

/** Environment of the steps: this project's Node and none of its other tools, and npm's own settings for its registry. */
function environmentForSteps(work) {
  const bin = join(work, 'bin');
  mkdirSync(bin);
  symlinkSync(nodeBinary(), join(bin, 'node'));
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_ENV$|NODE_OPTIONS$)/.test(name));
  const path = process.env.PATH.split(delimiter).filter((it) => !it.includes('node_modules'));
  return { ...Object.fromEntries(kept), PATH: [bin, ...path].join(delimiter) };
}

/** Starts one of the image's servers, runs `expectations` against it, and ends it. */
async function runServer([command, ...args], [probe, ...probeArgs], options, expectations) {
  const probed = () => spawnSync(probe, probeArgs, options).status;
  if (probed() === 0) throw new Problem('The health check succeeds though nothing runs');
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    await expectations(child);
    if (probed() !== 0) throw new Problem('The health check fails though the server is healthy');
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Problem(`SIGTERM: the server ended with ${code}`);
  } finally {
    child.kill('SIGKILL');
  }
}

/** Runs one of the image's programs that ends by itself. */
function runProgram(command, options) {
  const [program, ...args] = command;
  const { status, stdout, stderr } = spawnSync(program, args, { ...options, encoding: 'utf8' });
  if (status !== 0) throw new Problem(`${command.join(' ')} ended with ${status}\n${stdout}${stderr}`);
}

/** A free port of the bench's: no other program is given it before it is used. */
async function freePort() {
  const bench = await import(join(root, 'dist/bench/fleet/free-port.js'));
  return bench.freePort();
}

/** Starts the image's programs as its two containers do: the service, and the web server that connects to it. */
async function runResult(stage, web, options) {
  const healthCheck = commandOf(stage.instructions.find((it) => it.word === 'HEALTHCHECK').text);
  const [, ...webProbe] = web.healthcheck.test.map((it) => it.replaceAll('$$', '$'));
  runProgram(programOf(stage, ['migrate']), options);
  await runServer(programOf(stage), healthCheck, options, async (service) => {
    const [api] = await announcedAddresses(service, ['API']);
    await expectHealthy(api);
    const { PATH } = options.env;
    const env = {
      ...environmentOf(stage),
      PATH,
      WEB_PORT: String(await freePort()),
      WEB_HOST: '127.0.0.1',
      LOG_FORMAT: 'pretty',
    };
    const webOptions = { ...options, env: { ...env, SERVICE_URL: api } };
    await runServer(programOf(stage, web.command), webProbe, webOptions, async (child) => {
      const [address] = await announcedAddresses(child, ['Web']);
      await expectDashboard(address);
    });
    runProgram(programOf(stage, ['audit']), options);
  });
}

/** @param {(database: { url: string, uid: number, gid: number }) => Promise<void>} work */
async function withPostgres(dataDir, work) {
  const { startEmbeddedPostgres } = await import(
    join(root, 'dist/src/embedded-postgres/embedded-postgres.js')
  );
  const postgres = await startEmbeddedPostgres({
    dataDir,
    log: () => undefined,
    parameters: { fsync: 'off' },
  });
  try {
    const { uid, gid } = statSync(join(dataDir, 'postgres'));
    const { host, user, database } = postgres.connection;
    const url = `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}`;
    await work({ url, uid, gid });
  } finally {
    await postgres.stop();
  }
}

await main(async () => {
  const text = (file) => readFileSync(join(root, file), 'utf8');
  const stages = stagesOf(text('Dockerfile'));
  expectNone('Dockerfile', faultsOf(stages));
  const compose = load(text('deploy/compose.yaml'));
  expectNone('deploy/compose.yaml', faultsOfCompose(compose));
  const composeFiles = text('deploy/compose.yaml') + text('deploy/compose.external-database.yaml');
  expectNone('deploy', faultsOfExample(composeFiles, text('deploy/settings.env.example')));

  const work = mkdtempSync(join(tmpdir(), 'acp-image-'));
  try {
    chmodSync(work, 0o755);
    const env = environmentForSteps(work);
    const directory = replay(stages, { context: root, ignore: text('.dockerignore'), work, env });
    const bytes = sizeOf(directory);
    say(`The service in the image: ${Math.round(bytes / 1024 / 1024)} MB`);
    if (bytes > MOST_BYTES) throw new Problem(`More than ${MOST_BYTES / 1024 / 1024} MB`);
    await withPostgres(join(work, 'database'), async ({ url, uid, gid }) =>
      runResult(stages.at(-1), compose.services.web, {
        cwd: directory,
        // nothing else is writable, as in a container with a read-only root; the socket admits this user only
        ...(process.geteuid?.() === 0 ? { uid, gid } : {}),
        env: {
          ...environmentOf(stages.at(-1)),
          PATH: env.PATH,
          PORT: String(await freePort()),
          HOST: '127.0.0.1',
          // only then the service prints its address alone
          LOG_FORMAT: 'pretty',
          JWT_SECRET: 'only for this check: more than thirty-two bytes',
          WEBHOOK_SECRET_KEY: 'only for this check, too: more than thirty-two bytes',
          DATABASE_URL: url,
        },
      }),
    );
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
});
