import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgent, deploy, type TestAgent } from '../builders/agents.js';
import { pause, readAgent, readDeployment, resume } from '../builders/pauses.js';
import type { Person } from '../builders/people.js';
import { readRun } from '../builders/runs.js';
import { until } from '../harness/until.js';
import { isRunning } from './runner-process.js';
import { RunStage } from './run-stage.js';
import { RunnerSuite } from './runner-suite.js';

/** Events while `svc run` replaces replicas one after another. */
let suite: RunnerSuite;
let person: Person;

beforeAll(async () => {
  suite = await RunnerSuite.open();
  person = suite.person;
});

afterAll(() => suite.close());

/** A process of a replica, as its program has written it down. */
interface Start {
  readonly index: number;
  readonly generation: number;
  readonly pid: number;
}

const CONFIG = {
  command: [
    'sh',
    '-c',
    'echo "$REPLICA_INDEX $GENERATION $$" >>"$HOME/starts"; ' +
      'if [ "$GENERATION" -gt 2 ] && [ -e "$HOME/broken" ]; then echo no luck >&2; exit 3; fi; ' +
      'while :; do sleep 1; done',
  ],
  readiness: {
    command: ['sh', '-c', '[ "$GENERATION" -le 2 ] || [ -e "$HOME/go" ]'],
    interval_seconds: 0.25,
  },
  stop_grace_seconds: 5,
  restart: { first_delay_seconds: 0.1, give_up_after: 2 },
};

/** A deployment with two ready replicas; new ones become ready when there is the file `go`, and crash where `broken` is. */
class Stage {
  private constructor(
    readonly agent: TestAgent,
    readonly deployment: string,
    private readonly home: string,
  ) {}

  static async open(how: 'run' | 'runProcess' = 'run', config: object = {}) {
    const agent = await createAgent(suite.app, person, { config: { ...CONFIG, ...config } });
    const stage = new Stage(agent, await deploy(person, agent), suite.makeHome().path);
    const runner = stage[how]();
    await stage.isReady(1, 1);
    await stage.scale(2);
    await stage.isReady(2, 2);
    return { stage, runner };
  }

  run = () => suite.run(this.variables);
  runProcess = () => suite.runProcess(this.variables);

  async scale(replicas: number): Promise<void> {
    const { status } = await person.api.post(`/deployments/${this.deployment}/scale`, { replicas });
    expect(status).toBe(200);
  }

  /** Asks for a rolling restart, and waits until the first replica is replaced. @returns the new process */
  async roll(): Promise<Start> {
    const { status, body } = await person.api.post(`/deployments/${this.deployment}/rolling-restart`);
    expect([status, body.status]).toEqual([200, expect.stringMatching(/ready|running/)]);
    return until(() => this.starts().find(({ generation }) => generation === body.generation));
  }

  /** Lets the new replicas become ready. */
  go(): void {
    this.write('go');
  }

  write(file: string): void {
    writeFileSync(join(this.home, file), '');
  }

  remove(file: string): void {
    rmSync(join(this.home, file));
  }

  isReady(replicas: number, generation: number) {
    return until(async () => {
      const deployment = await readDeployment(person, this.deployment);
      return (
        deployment.status === 'ready' &&
        deployment.ready_replicas === replicas &&
        deployment.observed_generation === generation
      );
    });
  }

  /** The processes that the runner has written down. */
  recorded(): number[] {
    const file = join(this.home, '.svc', 'run', this.agent.id, 'processes.json');
    const { processes } = JSON.parse(readFileSync(file, 'utf8')) as { processes: readonly Start[] };
    return processes.map(({ pid }) => pid);
  }

  /** The indexes of replicas that were asked to end, where their program writes it down. */
  asked(): string[] {
    return this.linesOf('asked');
  }

  /** All processes of replicas, in the order of their starts. */
  starts(): Start[] {
    return this.linesOf('starts').map((line) => {
      const [index, generation, pid] = line.split(' ').map(Number) as [number, number, number];
      return { index, generation, pid };
    });
  }

  /** The generations of the starts of each replica, such as `2>3`, and those that run. */
  story(): string[] {
    const all = this.starts();
    const indexes = [...new Set(all.map(({ index }) => index))].sort();
    return indexes.map((index) => {
      const own = all.filter((start) => start.index === index);
      const running = own.filter(({ pid }) => isRunning(pid)).map(({ generation }) => generation);
      return `${index}: ${own.map(({ generation }) => generation).join('>')}, runs ${running.join()}`;
    });
  }

  private linesOf(name: string): string[] {
    const file = join(this.home, name);
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  }

  private get variables() {
    return { HOME: this.home, SERVICE_AGENT_KEY: this.agent.key };
  }
}

describe('A rolling restart under svc run', () => {
  it('is continued by the next runner after a kill in the middle', async () => {
    const { stage, runner } = await Stage.open('runProcess');
    const { pid } = await stage.roll();
    // A process that is not written down is ended by the next runner, and started again.
    await until(() => stage.recorded().includes(pid));
    await runner.end('SIGKILL');
    expect(stage.story()).toEqual(['0: 1>3, runs 3', '1: 2, runs 2']);
    const next = stage.run();
    stage.go();
    await stage.isReady(2, 3);
    expect(stage.story()).toEqual(['0: 1>3, runs 3', '1: 2>3, runs 3']);
    await next.end();
  });

  it('ends with a pause, after which every replica is a new one', async () => {
    const { stage, runner } = await Stage.open();
    await stage.roll();
    await pause(person, stage.agent);
    await until(async () => (await readAgent(person, stage.agent)).paused.confirmed_at !== null);
    expect(stage.story()).toEqual(['0: 1>3, runs ', '1: 2, runs ']);
    stage.go();
    await resume(person, stage.agent);
    await stage.isReady(2, 5);
    expect(stage.story()).toEqual(['0: 1>3>5, runs 5', '1: 2>5, runs 5']);
    await runner.end();
  });

  it('gives way to a pause at once, which does not wait for the replica that is ending', async () => {
    const asked = 'trap "echo $REPLICA_INDEX >>$HOME/asked" TERM; ';
    const command = ['sh', '-c', `${asked}${CONFIG.command[2]}`];
    const { stage, runner } = await Stage.open('run', { command, stop_grace_seconds: 120 });
    await person.api.post(`/deployments/${stage.deployment}/rolling-restart`);
    await until(() => stage.asked().includes('0'));
    await pause(person, stage.agent);
    await until(() => stage.asked().includes('1'));
    for (const { pid } of stage.starts()) process.kill(pid, 'SIGKILL');
    await until(async () => (await readAgent(person, stage.agent)).paused.confirmed_at !== null);
    expect(stage.story()).toEqual(['0: 1, runs ', '1: 2, runs ']);
    await runner.end();
  });

  it('begins again with a second one, which replaces the new replicas, too', async () => {
    const { stage, runner } = await Stage.open();
    await stage.roll();
    await stage.roll();
    expect(stage.story()).toEqual(['0: 1>3>4, runs 4', '1: 2, runs 2']);
    stage.go();
    await stage.isReady(2, 4);
    expect(stage.story()).toEqual(['0: 1>3>4, runs 4', '1: 2>4, runs 4']);
    await runner.end();
  });

  it('continues through a scale, which starts more replicas at once and ends surplus ones', async () => {
    const { stage, runner } = await Stage.open();
    await stage.roll();
    await stage.scale(3);
    await until(() => stage.starts().some(({ index }) => index === 2));
    expect(stage.story()).toEqual(['0: 1>3, runs 3', '1: 2, runs 2', '2: 4, runs 4']);
    stage.go();
    await stage.isReady(3, 4);
    expect(stage.story()).toEqual(['0: 1>3, runs 3', '1: 2>4, runs 4', '2: 4, runs 4']);
    stage.remove('go');
    await stage.roll();
    await stage.scale(1);
    await until(() =>
      stage
        .story()
        .slice(1)
        .every((replica) => replica.endsWith('runs ')),
    );
    stage.go();
    await stage.isReady(1, 6);
    expect(stage.story()).toEqual(['0: 1>3>5, runs 5', '1: 2>4, runs ', '2: 4, runs ']);
    await runner.end();
  });

  it('waits while the first new replica crashes again and again, and says why', async () => {
    const { stage, runner } = await Stage.open();
    stage.write('broken');
    await stage.roll();
    const waiting = await until(async () => {
      const deployment = await readDeployment(person, stage.deployment);
      return deployment.restart_count >= 2 && deployment;
    });
    expect(waiting).toMatchObject({
      status: 'running',
      ready_replicas: 1,
      last_exit: { code: 3, message: expect.stringContaining('no luck') },
    });
    expect(stage.story()[1]).toBe('1: 2, runs 2');
    stage.remove('broken');
    stage.go();
    await stage.isReady(2, 3);
    expect(stage.story()[1]).toBe('1: 2>3, runs 3');
    await runner.end();
  });

  it('lets the runs under way finish, and begins the next ones', async () => {
    const stage = await RunStage.open(suite);
    stage.run();
    await stage.isReady();
    const run = await stage.ask({ task: 'wait' });
    await stage.begun(run);
    await person.api.post(`/deployments/${stage.deployment}/rolling-restart`);
    await stage.isReady({ observed_generation: 2 });
    expect(await readRun(person, run.id)).toMatchObject({ status: 'running', attempt: 1 });
    stage.go('done');
    await stage.shows(run, 'succeeded');
    expect(stage.diary(run)).toEqual(['start', 'end']);
    await stage.shows(await stage.ask({ task: 'chat' }), 'succeeded');
  });
});
