import type { Histogram } from './histogram.js';
import type { Options } from './options.js';
import type { Outcome } from './outcome.js';
import type { Failures, Operation, Phase } from './recorder.js';
import type { Usages } from './resource-sampler.js';
import type { TableSize } from './storage.js';
import { targetLines } from './targets.js';

/** Measurements in addition to the outcome. */
export interface Measurements {
  readonly usages: Usages;
  /** Lateness of the simulator's own timers; milliseconds. A long pause counts once, so p99 hides it. */
  readonly lateness: { readonly p99: number; readonly max: number };
  readonly warnings: ReadonlyMap<string, number>;
  /** Bytes of PostgreSQL's write-ahead log, while CPU was measured. */
  readonly writtenAhead: number;
  /** At the end. */
  readonly tables: ReadonlyMap<string, TableSize>;
  /** See `measureYardstick`. */
  readonly yardstick: number;
}

const TOLD_PHASES = ['start', 'steady', 'outage', 'after the restart', 'storm', 'after the storm'];
/** A waiting poll takes as long as it waits: its duration says nothing. */
const WITHOUT_DURATION: readonly Operation[] = ['poll'];

/** The report as text, for people. */
export function reportOf(options: Options, outcome: Outcome, measurements: Measurements): string {
  const { plan, instances, telemetryApart } = options;
  return [
    `Fleet: ${plan.agents} agents, ${plan.seconds} s, ${plan.scenario}, ${instances} instance(s) of the service` +
      (telemetryApart ? ', telemetry in a database of its own' : ''),
    '',
    ...operations(outcome.phases),
    '',
    ...commands(outcome),
    ...runs(outcome),
    ...spans(outcome),
    ...liveness(outcome),
    ...undisturbed(outcome),
    ...overload(outcome),
    ...resources(outcome, measurements),
    ...targets(outcome, measurements),
    '',
    ...(outcome.problems.length === 0
      ? ['All promises were kept.']
      : ['BROKEN PROMISES', ...outcome.problems.map((problem) => `  ${problem}`)]),
    '',
  ].join('\n');
}

function operations(phases: readonly Phase[]): string[] {
  const lines = [row(['phase', 'operation', 'answered', 'per s', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms'])];
  for (const phase of phases.filter(({ name }) => TOLD_PHASES.includes(name))) {
    const seconds = ((phase.endedAt ?? Date.now()) - phase.begunAt) / 1_000;
    for (const [operation, histogram] of [...phase.durations].sort(([one], [other]) =>
      one.localeCompare(other),
    )) {
      const figures = WITHOUT_DURATION.includes(operation) ? [] : quantiles(histogram);
      lines.push(
        row([phase.name, operation, histogram.count, (histogram.count / seconds).toFixed(1), ...figures]),
      );
    }
    const errors = [...phase.errors].map(([kind, count]) => `${count} ${kind}`);
    if (errors.length > 0) lines.push(`${phase.name.padEnd(8)} not answered as wanted: ${errors.join(', ')}`);
  }
  return lines;
}

function commands({ commands: counts, latency, tooLate, heldBack, events }: Outcome): string[] {
  const { fromRequest, fromReply, leftOut } = latency;
  return [
    `Commands      ${counts.wanted} asked for and agreed to (${tooLate} refused as too late, ${heldBack} held back): ` +
      `${counts.succeeded} succeeded, ${counts.failed} failed, ${counts.superseded} superseded, ` +
      `${counts.dead} dead, ${counts.due} due`,
    `              ${counts.executedOnce} carried out exactly once; delivered again ${counts.deliveredAgain} times, ` +
      `acknowledged again ${counts.acknowledgedAgain} times; ${events} events in the histories`,
    `To the agent  from a person's request p50, p95, p99, max: ${quantiles(fromRequest).join(', ')} ms; ` +
      `from its reply: ${quantiles(fromReply).join(', ')} ms (${fromRequest.count} commands; ${leftOut} left out that had to wait for something else)`,
  ];
}

function runs({ runs: counts }: Outcome): string[] {
  const { asked, succeeded, failed, queued, abandoned } = counts;
  if (asked === 0) return [];
  return [
    `Runs          ${asked} asked for: ${succeeded} succeeded, ${failed} failed, ${queued} queued for agents without a deployment, ` +
      `${abandoned} abandoned with the reply to their claim`,
  ];
}

function spans({ spans: counts }: Outcome): string[] {
  const { acknowledged, unsure, stored, used } = counts;
  if (acknowledged + unsure === 0) return [];
  const dollars = (used.cost_micros / 1_000_000).toFixed(2);
  return [
    `Spans         ${acknowledged} acknowledged, ${unsure} unanswered, ${stored} stored; counted: ${used.llm_calls} calls of models, ` +
      `${used.tool_calls} of tools, ${used.input_tokens + used.output_tokens} tokens, ${dollars} dollars`,
  ];
}

function liveness({ losses, toldSeconds, logs, metrics, recoveredMs, endings }: Outcome): string[] {
  const ends = endings.map(
    ({ exitCode, tookMs }) => `exit code ${exitCode} after ${(tookMs / 1_000).toFixed(1)} s`,
  );
  return [
    `False losses  ${losses.false} (${losses.true} agents were silent for too long indeed); ` +
      `heartbeats wanted every ${[...new Set(toldSeconds)].join(' to ')} s`,
    ...(recoveredMs === null
      ? []
      : [`Recovery      every agent heard again ${(recoveredMs / 1_000).toFixed(1)} s after the event`]),
    `Telemetry     logs ${logs.acknowledged} acknowledged, ${logs.unsure} unanswered, ${logs.stored} stored; ` +
      `metrics ${metrics.acknowledged}, ${metrics.unsure}, ${metrics.stored}`,
    ...(ends.length === 0 ? [] : [`Shutdown      with all polls waiting: ${ends.join(', ')}`]),
  ];
}

function overload({ failures, startsAnsweredMs }: Outcome): string[] {
  const counts = (kind: keyof Failures) =>
    [...failures].flatMap(([operation, { [kind]: count }]) => (count > 0 ? [`${count} ${operation}`] : []));
  const told = (kind: keyof Failures) => counts(kind).join(', ') || 'none';
  return [
    ...(startsAnsweredMs === null
      ? []
      : [`Storm         every start answered after ${(startsAnsweredMs / 1_000).toFixed(1)} s`]),
    `Refusals      503: ${told('refused')}; 429: ${told('limited')}`,
    `Time-outs     ${told('timedOut')}`,
  ];
}

function resources(outcome: Outcome, measurements: Measurements): string[] {
  const { usages, lateness, warnings, writtenAhead } = measurements;
  const tables = [...measurements.tables];
  const of = (name: string) => usages.groups.get(name);
  const cores = (name: string) => (of(name)?.cores ?? 0).toFixed(2);
  const peak = (name: string) => megabytes(of(name)?.peakMemory);
  const apart = (figure: string) => (of('telemetry')?.peakMemory ? `, that of telemetry ${figure}` : '');
  const calls = measuredCalls(outcome);
  const perCall = (name: string) => cpuOfACall(usages, name, calls).toFixed(3);
  return [
    `Memory        service (all instances) ${megabytes(of('service')?.firstMemory)} idle, ${peak('service')} at most; ` +
      `PostgreSQL ${peak('postgres')}${apart(peak('telemetry'))}, simulator ${peak('simulator')} at most`,
    `CPU           service ${cores('service')}, PostgreSQL ${cores('postgres')}${apart(cores('telemetry'))}, simulator ${cores('simulator')}, ` +
      `whole machine ${usages.busyCores.toFixed(2)} of ${usages.cores} cores (without start and settling)`,
    `CPU per call  service ${perCall('service')} ms, PostgreSQL ${perCall('postgres')} ms${apart(`${perCall('telemetry')} ms`)}, ` +
      `simulator ${perCall('simulator')} ms (${calls} calls answered)`,
    `Storage       ${tables.map(([name, size]) => `${name} ${Math.round(size.bytes / size.rows)}`).join(', ')} bytes a row with ` +
      `its indexes; ${Math.round(writtenAhead / Math.max(1, calls))} bytes of WAL a call`,
    `Simulator     timers late by ${lateness.p99.toFixed(1)} ms (p99), ${lateness.max.toFixed(1)} ms (at most): durations include as much`,
    ...[...warnings].map(([text, count]) => `Logged        ${count} times: ${text}`),
  ];
}

/** CPU of a group of processes for each call; milliseconds. */
function cpuOfACall({ groups, elapsedMs }: Usages, name: string, calls: number): number {
  return ((groups.get(name)?.cores ?? 0) * elapsedMs) / Math.max(1, calls);
}

function targets(outcome: Outcome, { usages, yardstick }: Measurements): string[] {
  const heartbeats = undisturbedHeartbeats(outcome);
  if (!heartbeats) return [];
  const calls = measuredCalls(outcome);
  return targetLines({
    yardstick,
    heartbeatP99Ms: heartbeats.quantile(0.99),
    serviceMs: cpuOfACall(usages, 'service', calls),
    databaseMs: cpuOfACall(usages, 'postgres', calls) + cpuOfACall(usages, 'telemetry', calls),
    busyCores: usages.busyCores,
    cores: usages.cores,
  });
}

/** Calls that were answered while CPU was measured; a start is no call of its own. */
function measuredCalls({ phases }: Outcome): number {
  const [from, to] = ['steady', 'settle'].map((name) => phases.findIndex((phase) => phase.name === name));
  const measured = phases.slice(from, to);
  const counts = measured.flatMap(({ durations }) =>
    [...durations].map(([operation, { count }]) => (operation === 'start' ? 0 : count)),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The phase before the incident: the first third of `restart-and-storm`, all of `steady` and `two-instances`. */
function undisturbedHeartbeats({ phases }: Outcome): Histogram | undefined {
  return phases.find(({ name }) => name === 'steady')?.durations.get('heartbeat');
}

function undisturbed(outcome: Outcome): string[] {
  const heartbeats = undisturbedHeartbeats(outcome);
  if (!heartbeats) return [];
  const [p50, p99] = [0.5, 0.99].map((share) => heartbeats.quantile(share));
  return [`Heartbeats    undisturbed p50 ${p50!.toFixed(1)} ms, p99 ${p99!.toFixed(1)} ms`];
}

function quantiles(histogram: Histogram): string[] {
  return [0.5, 0.95, 0.99]
    .map((share) => histogram.quantile(share).toFixed(1))
    .concat(histogram.max.toFixed(1));
}

function row(cells: readonly (string | number)[]): string {
  const widths = [8, 12, 9, 9, 9, 9, 9, 9];
  return cells
    .map((cell, column) =>
      column < 2 ? String(cell).padEnd(widths[column]!) : String(cell).padStart(widths[column]!),
    )
    .join(' ');
}

function megabytes(bytes = 0): string {
  return `${Math.round(bytes / 1024 / 1024)} MB`;
}

/** The same figures for programs. */
export function figuresOf(options: Options, outcome: Outcome, measurements: Measurements): object {
  const { usages, lateness, warnings, writtenAhead, tables, yardstick } = measurements;
  const summary = (histogram: Histogram) => ({
    count: histogram.count,
    p50: histogram.quantile(0.5),
    p95: histogram.quantile(0.95),
    p99: histogram.quantile(0.99),
    max: histogram.max,
  });
  const { latency, phases, failures, ...rest } = outcome;
  return {
    plan: options.plan,
    instances: options.instances,
    ...rest,
    failures: Object.fromEntries(failures),
    measured_calls: measuredCalls(outcome),
    yardstick_per_second: yardstick,
    command_latency_ms: {
      from_request: summary(latency.fromRequest),
      from_reply: summary(latency.fromReply),
    },
    phases: phases.map((phase) => ({
      name: phase.name,
      seconds: ((phase.endedAt ?? Date.now()) - phase.begunAt) / 1_000,
      durations_ms: Object.fromEntries(
        [...phase.durations].map(([name, histogram]) => [name, summary(histogram)]),
      ),
      errors: Object.fromEntries(phase.errors),
    })),
    resources: { ...usages, groups: Object.fromEntries(usages.groups) },
    simulator_lateness_ms: lateness,
    warnings: Object.fromEntries(warnings),
    written_ahead_bytes: writtenAhead,
    tables: Object.fromEntries(tables),
  };
}
