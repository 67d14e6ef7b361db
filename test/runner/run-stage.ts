import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgent, deploy, type TestAgent } from '../builders/agents.js';
import { ask, readRun, type TestRun } from '../builders/runs.js';
import { until } from '../harness/until.js';
import type { Runner } from './runner.js';
import type { RunnerProcess } from './runner-process.js';
import type { RunnerSuite } from './runner-suite.js';

/** The program of which the runs' processes are made. */
const PROGRAM = join(import.meta.dirname, 'run-agent.mjs');

/** An agent whose deployment takes runs, and what its programs have written. */
export class RunStage {
  readonly home: { readonly path: string };

  private constructor(
    readonly suite: RunnerSuite,
    readonly agent: TestAgent,
    readonly deployment: string,
  ) {
    this.home = suite.makeHome();
  }

  /** @param run more of the config's `run` */
  static async open(suite: RunnerSuite, run: object = {}, config: object = {}): Promise<RunStage> {
    const command = [process.execPath, PROGRAM];
    const agent = await createAgent(suite.app, suite.person, {
      config: { run: { command, ...run }, stop_grace_seconds: 5, ...config },
    });
    return new RunStage(suite, agent, await deploy(suite.person, agent));
  }

  run(variables: Readonly<Record<string, string>> = {}): Runner {
    return this.suite.run({ ...this.variables, ...variables });
  }

  /** @param through command that starts the runner */
  runProcess(
    variables: Readonly<Record<string, string>> = {},
    through: readonly string[] = [],
  ): RunnerProcess {
    return this.suite.runProcess({ ...this.variables, ...variables }, [], through);
  }

  private get variables() {
    return { HOME: this.home.path, SERVICE_AGENT_KEY: this.agent.key };
  }

  ask(input: object, body: object = {}): Promise<TestRun> {
    return ask(this.suite.person, this.agent, { input, ...body });
  }

  /** Waits until the service shows the run with this status. */
  shows({ id }: TestRun, status: string): Promise<TestRun> {
    return until(async () => {
      const run = await readRun(this.suite.person, id);
      return run.status === status && run;
    });
  }

  isReady(expected: Record<string, unknown> = {}) {
    return until(async () => {
      const { body } = await this.suite.person.api.get(`/deployments/${this.deployment}`);
      const all = Object.entries({ status: 'ready', ...expected });
      return all.every(([name, value]) => body[name] === value) && body;
    });
  }

  async logs({ id }: TestRun): Promise<any[]> {
    return (await this.suite.person.api.get(`/runs/${id}/logs?limit=500`)).body;
  }

  /** Lets programs continue that wait for a file. */
  go(word: string, file = 'go'): void {
    // The program may look between the making of a file and its content.
    const written = join(this.home.path, `${file}.written`);
    writeFileSync(written, word);
    renameSync(written, join(this.home.path, file));
  }

  /** The words before the id of a run in the diary of the programs. */
  diary({ id }: TestRun): string[] {
    const text = readFileSync(join(this.home.path, 'diary'), { encoding: 'utf8', flag: 'a+' });
    return text.split('\n').flatMap((line) => (line.includes(` ${id} `) ? line.split(` ${id} `)[0]! : []));
  }

  /** Waits until the program of a run has begun. */
  begun(run: TestRun): Promise<unknown> {
    return until(() => this.diary(run).includes('start'));
  }

  /** Process ids that are recorded as running: each is the shell of a run. */
  pids(): number[] {
    const file = join(this.state, 'processes.json');
    const { processes } = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { processes: [] };
    return processes.map(({ pid }: { pid: number }) => pid);
  }

  /** The names of the runs' directories. */
  stored(): string[] {
    return readdirSync(join(this.state, 'runs'));
  }

  /** Whether the end of a run is on the disk that the service has not answered. */
  hasReport(): boolean {
    return this.stored().some((name) => existsSync(join(this.state, 'runs', name, 'report.json')));
  }

  /** Removes the keys of the claims that were not answered. */
  forgetClaims(): void {
    rmSync(join(this.state, 'claims.json'));
  }

  private get state(): string {
    return join(this.home.path, '.svc', 'run', this.agent.id);
  }
}
