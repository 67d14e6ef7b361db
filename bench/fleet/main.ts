import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { BenchDatabase } from './bench-database.js';
import { freePort } from './free-port.js';
import { obstacleTo } from './open-files.js';
import { type Options, readOptions, UsageError } from './options.js';
import type { Outcome } from './outcome.js';
import { settingsOf } from './plan.js';
import { ProcessStage } from './process-stage.js';
import { Recorder } from './recorder.js';
import { FleetProfiler } from './fleet-profiler.js';
import { figuresOf, type Measurements, reportOf } from './report.js';
import { postgresPids, ResourceSampler, type Usages } from './resource-sampler.js';
import { runScenario } from './scenario.js';
import { tableSizes, writtenAhead } from './storage.js';
import { measureYardstick } from './yardstick.js';

/**
 * `npm run bench:fleet`: a simulated fleet against the real service, as processes of their own, on a real
 * PostgreSQL. Ends with 1 when a promise was broken, with 2 when it could not run at all.
 */
const SERVICE = fileURLToPath(new URL('../../service/main.js', import.meta.url));
/** The service without bundling, so that a profile names its modules. */
const SERVICE_IN_MODULES = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const MILLISECOND = 1e6;
/** Interval at which the simulator measures the lateness of its timers; milliseconds. */
const RESOLUTION_MS = 10;

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), process.env);
  const obstacle = obstacleTo(options.plan.agents);
  if (obstacle) throw new UsageError(obstacle);
  const interrupted = interruption();
  process.stderr.write(`${new Date().toISOString()} yardstick\n`);
  const yardstick = await measureYardstick(interrupted);
  const database = await BenchDatabase.open(options.databaseUrl);
  let telemetry: BenchDatabase | undefined;
  const profiled =
    options.profile === undefined ? null : { file: options.profile, metricsPort: await freePort() };
  try {
    if (options.telemetryApart) telemetry = await BenchDatabase.open(options.databaseUrl);
    const stage = await ProcessStage.open({
      main: profiled ? SERVICE_IN_MODULES : SERVICE,
      instances: options.instances,
      apart: options.plan.scenario === 'two-instances',
      environment: {
        ...settingsOf(options.plan),
        DATABASE_URL: database.url,
        ...(telemetry ? { TELEMETRY_DATABASE_URL: telemetry.url } : {}),
        ...(options.connections ? { DATABASE_POOL_SIZE: String(options.connections) } : {}),
        JWT_SECRET: randomBytes(32).toString('hex'),
        ...(profiled ? { METRICS_PORT: String(profiled.metricsPort) } : {}),
      },
      isProbed: profiled !== null,
      query: database.query,
      queryTelemetry: telemetry?.query,
    });
    try {
      const profiler = profiled && new FleetProfiler(stage.services[0]!, profiled);
      const hasOwnServer = telemetry && !options.databaseUrl;
      const backends = {
        postgres: await database.backendPid(),
        telemetry: hasOwnServer ? await telemetry!.backendPid() : 0,
      };
      return await measure({ options, stage, backends, profiler, yardstick, interrupted });
    } finally {
      await stage.close();
    }
  } finally {
    await telemetry?.close();
    await database.close();
  }
}

interface Measured {
  readonly options: Options;
  readonly stage: ProcessStage;
  readonly backends: Readonly<Record<'postgres' | 'telemetry', number>>;
  readonly profiler: FleetProfiler | null;
  readonly yardstick: number;
  readonly interrupted: Promise<never>;
}

/** Rejects when the process is told to end. */
function interruption(): Promise<never> {
  const interrupted = new Promise<never>((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => reject(new UsageError(`Ended by ${signal}`)));
  });
  // Nothing may wait for it at that moment; what waits for it next ends then.
  interrupted.catch(() => undefined);
  return interrupted;
}

async function measure(measured: Measured): Promise<number> {
  const { options, stage, backends, profiler, yardstick, interrupted } = measured;
  const sampler = new ResourceSampler();
  sampler.add('service', () => stage.services.flatMap(({ pid }) => pid ?? []));
  sampler.add('postgres', postgresPids(backends.postgres));
  sampler.add('telemetry', postgresPids(backends.telemetry));
  sampler.add('simulator', () => [process.pid]);
  sampler.begin();
  const lateness = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  lateness.enable();
  let usages: Usages | undefined;
  const writes: Promise<number>[] = [];
  const recorder = new Recorder((phase) => {
    process.stderr.write(`${new Date().toISOString()} ${phase}\n`);
    if (phase === 'steady' || phase === 'settle') writes.push(writtenAhead(stage));
    if (phase === 'steady') {
      sampler.begin();
      lateness.reset();
      profiler?.begin();
    }
    // Signals and errors from here on are no normal work any more.
    if (phase === 'settle') {
      usages = sampler.read();
      profiler?.end();
    }
  });
  const outcome = await Promise.race([runScenario(stage, options.plan, recorder), interrupted]);
  sampler.end();
  const [before = 0, after = 0] = await Promise.all(writes);
  const measurements: Measurements = {
    writtenAhead: after - before,
    tables: await tableSizes(stage),
    usages: usages ?? sampler.read(),
    lateness: {
      p99: lateness.percentile(99) / MILLISECOND - RESOLUTION_MS,
      max: lateness.max / MILLISECOND - RESOLUTION_MS,
    },
    warnings: stage.warnings(),
    yardstick,
  };
  process.stdout.write(reportOf(options, outcome, measurements));
  if (profiler) process.stdout.write(await profiler.report());
  if (options.json)
    await writeFile(options.json, JSON.stringify(figuresOf(options, outcome, measurements), null, 2));
  return exitCodeOf(outcome);
}

function exitCodeOf({ problems }: Outcome): number {
  return problems.length === 0 ? 0 : 1;
}

try {
  process.exit(await main());
} catch (error) {
  process.stderr.write(`${error instanceof UsageError ? error.message : (error as Error).stack}\n`);
  process.exit(2);
}
