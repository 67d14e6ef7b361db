import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { type ProcessConfig, readProcessConfig } from './processes/process-config.js';
import { watchReadiness } from './processes/readiness.js';
import { Replica, type ReplicaHost } from './processes/replica.js';
import { ReplicaProcess } from './processes/replica-process.js';
import { RunAtWork, type RunHost } from './runs/run-at-work.js';
import { RunDirectory } from './runs/run-directory.js';

const HOUR_MS = 3_600_000;
const ENV = { PATH: process.env.PATH };

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'clock-jumps-'));
  // Each reading is an hour after the one before, as on a machine that was asleep between them.
  const begun = Date.now();
  let readings = 0;
  jest.spyOn(Date, 'now').mockImplementation(() => begun + HOUR_MS * readings++);
});

afterEach(() => {
  jest.restoreAllMocks();
  rmSync(directory, { recursive: true });
});

const pipesOf = (name: string): [string, string] => [
  join(directory, `${name}.out`),
  join(directory, `${name}.err`),
];
const admit = (command: ProcessConfig['command']) => ({ command, cwd: undefined });

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await delay(5);
}

describe('While the clock of the machine jumps ahead', () => {
  it('a replica that ends at once is restarted after longer and longer pauses', async () => {
    const events: string[] = [];
    const host = {
      admit,
      as: undefined,
      environmentOf: () => ENV,
      pipesOf,
      keep: async () => undefined,
      forget: () => undefined,
      onOutput: () => undefined,
      onEvent: (_level: string, event: string, message: string) => {
        if (event === 'replica_ended') events.push(message);
      },
      onChange: () => undefined,
      onRefused: () => undefined,
      onExit: () => undefined,
      onEnd: undefined,
    } as unknown as ReplicaHost;
    const config = readProcessConfig({
      command: ['/bin/sh', '-c', 'exit 1'],
      restart: { first_delay_seconds: 0.1, longest_delay_seconds: 10, reset_seconds: 600 },
    });
    const replica = new Replica(0, 0, undefined, config, host);
    await replica.startAtLast();
    await until(() => events.length === 3);
    await replica.end(0);
    expect(events.map((event) => event.split('; ').at(-1))).toEqual([
      'starts again in 0.1 s',
      'starts again in 0.2 s',
      'starts again in 0.4 s',
    ]);
  });

  it('a replica is not ready before its time', async () => {
    const config = readProcessConfig({ command: ['/bin/true'], readiness: { seconds: 60 } });
    const states: boolean[] = [];
    const stopped = new AbortController();
    const watching = watchReadiness(
      { config, startedAt: performance.now(), onChange: (isReady: boolean) => states.push(isReady) } as never,
      stopped.signal,
    );
    await delay(50);
    stopped.abort();
    await watching;
    expect(states).toEqual([]);
  });

  it('a program that is left behind keeps its grace period', async () => {
    const [waits, done] = [join(directory, 'waits'), join(directory, 'done')];
    const leftBehind = `trap 'sleep 0.2; : >${done}; exit' TERM; : >${waits}; while :; do sleep 0.05; done`;
    const process = await ReplicaProcess.spawn({
      config: readProcessConfig({
        command: ['/bin/sh', '-c', `(${leftBehind}) & while [ ! -e ${waits} ]; do sleep 0.01; done`],
        stop_grace_seconds: 60,
      }),
      env: ENV,
      pipes: pipesOf('left'),
      as: undefined,
      onOutput: () => undefined,
    });
    await process.ended;
    expect(existsSync(done)).toBe(true);
  });

  it('a run that a person cancels does not count as timed out', async () => {
    const run = {
      run_id: randomUUID(),
      attempt: 1,
      input: null,
      timeout_seconds: 600,
    };
    const runDirectory = RunDirectory.of(directory, run as never);
    const begun = join(directory, 'begun');
    const config = readProcessConfig({
      run: { command: ['/bin/sh', '-c', `: >${begun}; exec sleep 60`] },
    });
    const host = {
      admit,
      as: undefined,
      onRefused: () => undefined,
      environmentOf: () => ENV,
      pipesOf,
      keep: async () => undefined,
      forget: () => undefined,
      onOutput: () => undefined,
      onEvent: () => undefined,
    } as unknown as RunHost;
    const work = new RunAtWork({ run: run as never, directory: runDirectory }, 0, 0, config, host);
    const result = work.carryOut();
    await until(() => existsSync(begun));
    work.endAsTold();
    expect((await result).status).toBe('cancelled');
  });
});
