// Where there is no container engine: what the Dockerfile and the compose file promise, as far as a look can tell;
// the Dockerfile's own steps, done in an empty folder; and the result, started on a PostgreSQL that a URL names.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { load } from 'js-yaml';
import { announcedAddress, expectHealthy } from './check-service.mjs';
import { commandOf, environmentOf, faultsOf, replay, sizeOf, stagesOf } from './dockerfile.mjs';
import { main, nodeBinary, Problem, root, say } from './project.mjs';

/** With the 165 MB of node:24-alpine the image stays well below 250 MB. */
const MOST_BYTES = 60 * 1024 * 1024;

function faultsOfCompose({ services }) {
  const { service, postgres } = services;
  const environment = JSON.stringify([service.environment, postgres.environment]);
  const expectations = [
    [postgres.image === 'postgres:18', 'the database is PostgreSQL 18'],
    [
      postgres.healthcheck && service.depends_on.postgres.condition === 'service_healthy',
      'the service waits for it',
    ],
    [!postgres.ports, 'the database publishes no port'],
    [postgres.volumes.includes('database:/var/lib/postgresql'), 'the data is in a volume, where 18 keeps it'],
    [service.ports.every((it) => it.startsWith('127.0.0.1:')), 'ports are published on 127.0.0.1 only'],
    [service.read_only === true, 'the root file system is read-only'],
    [String(service.cap_drop) === 'ALL', 'all capabilities are dropped'],
    [
      [service, postgres].every((it) => it.security_opt.includes('no-new-privileges:true')),
      'no new privileges, in either',
    ],
    [/\$\{JWT_SECRET:\?/.test(environment), 'JWT_SECRET is required from the environment'],
    [/\$\{POSTGRES_PASSWORD:\?/.test(environment), 'POSTGRES_PASSWORD is required from the environment'],
  ];
  return expectations.filter(([holds]) => !holds).map(([, expectation]) => expectation);
}

/** Every variable that the compose file takes is in the example, and the other way round. */
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

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** The Node of this project and no other tool of it; whatever else npm needs here to reach its registry. */
function environmentForSteps(work) {
  const bin = join(work, 'bin');
  mkdirSync(bin);
  symlinkSync(nodeBinary(), join(bin, 'node'));
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_ENV$|NODE_OPTIONS$)/.test(name));
  const path = process.env.PATH.split(delimiter).filter((it) => !it.includes('node_modules'));
  return { ...Object.fromEntries(kept), PATH: [bin, ...path].join(delimiter) };
}

async function runResult(stage, directory, env, work) {
  const { startEmbeddedPostgres } = await import(
    join(root, 'dist/src/database/embedded/embedded-postgres.js')
  );
  const dataDir = join(work, 'database');
  const postgres = await startEmbeddedPostgres({
    dataDir,
    log: () => undefined,
    parameters: { fsync: 'off' },
  });
  const { uid, gid } = statSync(join(dataDir, 'postgres'));
  const { host, user, database } = postgres.connection;
  const options = {
    cwd: directory,
    // as little may be written as in a container with a read-only root; the user is the one whom the socket admits
    ...(process.geteuid?.() === 0 ? { uid, gid } : {}),
    env: {
      ...environmentOf(stage),
      PATH: env.PATH,
      PORT: String(await freePort()),
      HOST: '127.0.0.1',
      JWT_SECRET: 'only for this check: more than thirty-two bytes',
      DATABASE_URL: `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}`,
    },
  };
  const run = (word) => commandOf(stage.instructions.find((it) => it.word === word).text);
  const [command, ...args] = run('CMD');
  const [probe, ...probeArgs] = run('HEALTHCHECK');
  const probed = () => spawnSync(probe, probeArgs, options).status;
  try {
    if (probed() === 0) throw new Problem('HEALTHCHECK succeeds though nothing runs');
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    try {
      await expectHealthy(await announcedAddress(child));
      if (probed() !== 0) throw new Problem('HEALTHCHECK fails though the service is healthy');
      child.kill('SIGTERM');
      const [code] = await once(child, 'exit');
      if (code !== 0) throw new Problem(`SIGTERM: the service ended with ${code}`);
    } finally {
      child.kill('SIGKILL');
    }
  } finally {
    await postgres.stop();
  }
}

await main(async () => {
  const text = (file) => readFileSync(join(root, file), 'utf8');
  const stages = stagesOf(text('Dockerfile'));
  expectNone('Dockerfile', faultsOf(stages));
  expectNone('deploy/compose.yaml', faultsOfCompose(load(text('deploy/compose.yaml'))));
  expectNone('deploy', faultsOfExample(text('deploy/compose.yaml'), text('deploy/settings.env.example')));

  const work = mkdtempSync(join(tmpdir(), 'acp-image-'));
  try {
    chmodSync(work, 0o755);
    const env = environmentForSteps(work);
    const directory = replay(stages, { context: root, ignore: text('.dockerignore'), work, env });
    const bytes = sizeOf(directory);
    say(`The service in the image: ${Math.round(bytes / 1024 / 1024)} MB`);
    if (bytes > MOST_BYTES) throw new Problem(`More than ${MOST_BYTES / 1024 / 1024} MB`);
    await runResult(stages.at(-1), directory, env, work);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
});
