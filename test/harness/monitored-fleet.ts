import { PresenceService } from '../../src/agents/presence.service.js';
import { PeriodicJobs } from '../../src/database/periodic-jobs.js';
import { MonitorService } from '../../src/monitor/monitor.service.js';
import { createAgent, deploy, obey, type TestAgent } from '../builders/agents.js';
import { type Person, registerOperator, removeEverybody } from '../builders/people.js';
import { startTestApp, type TestApp } from './test-app.js';
import { until } from './until.js';

/** The private part of `PresenceService` that writes calls a second after they came. */
interface CollectedCalls {
  readonly seen: Set<string>;
  writeSeen(): Promise<void>;
}

/** The private part of `MonitorService` that says when a grace period began, and whether a mass silence lasts. */
interface MonitorState {
  readonly observedSince: number;
  readonly heldBack: number;
}

/** A service whose monitor runs round by round on demand, with functions that move times into the past. */
export class MonitoredFleet {
  private readonly presence: CollectedCalls;
  /** The last write of collected calls. */
  private write: Promise<void> | undefined;

  private constructor(
    readonly app: TestApp,
    /** An operator. */
    public person: Person,
    readonly monitor: MonitorService,
  ) {
    this.presence = app.app.get<unknown, CollectedCalls>(PresenceService);
    // Without jest's spies, which a suite may restore.
    const write = this.presence.writeSeen.bind(this.presence);
    this.presence.writeSeen = () => (this.write = write());
  }

  static async start(settings: Readonly<Record<string, string>> = {}): Promise<MonitoredFleet> {
    const app = await startTestApp({ settings });
    return new MonitoredFleet(app, await registerOperator(app), app.app.get(MonitorService));
  }

  close(): Promise<void> {
    return this.app.close();
  }

  /** Removes all users with their resources, and registers a new person, because the monitor judges the whole fleet. */
  async renew(): Promise<void> {
    await removeEverybody(this.app);
    this.person = await registerOperator(this.app);
    // A round without agents forgets those that the last one held back.
    await this.round();
  }

  /**
   * Runs a round of the monitor, as if the service had been up for long: the grace period after a start, and after each
   * loss of the database, has a separate test. A round during which one began, because the machine stood still, is repeated;
   * the end of a mass silence begins one, too, and such a round is not.
   */
  async round(): Promise<void> {
    const monitor = this.monitor as unknown as MonitorState;
    await until(async () => {
      this.monitor.restartGracePeriod(-Infinity);
      const { heldBack } = monitor;
      const isDone = await this.runMonitor();
      return isDone && (heldBack > 0 || monitor.observedSince === -Infinity);
    });
  }

  /** Runs one round of the monitor now. @returns false if another instance runs one, or the database is unreachable */
  runMonitor(): Promise<boolean> {
    return this.app.app.get(PeriodicJobs).runOnce('monitor');
  }

  async heartbeat(agent: TestAgent): Promise<void> {
    const reply = await agent.runtime.post('/agents/heartbeat', {});
    if (reply.status !== 200) throw new Error(`Heartbeat answered ${reply.status}`);
  }

  /**
   * Moves an agent's last call into the past. Only heartbeats and starts are recorded before their reply; the last call
   * before this must be one of them. A write of earlier calls may still be under way: it would undo the silence.
   */
  async silence(agent: TestAgent, seconds: number): Promise<void> {
    await this.write;
    this.presence.seen.delete(agent.id);
    await this.app.database.query(
      `UPDATE agent_presence SET last_seen_at = last_seen_at - make_interval(secs => $2),
         online_until = online_until - make_interval(secs => $2) WHERE agent_id = $1`,
      [agent.id, seconds],
    );
  }

  /** An agent with heartbeats and a running deployment. */
  async runningDeployment(): Promise<{ agent: TestAgent; id: string }> {
    const agent = await createAgent(this.app, this.person);
    const id = await deploy(this.person, agent);
    await obey(agent);
    await this.heartbeat(agent);
    return { agent, id };
  }

  /** Agents that have sent a heartbeat. */
  async heardAgents(count: number): Promise<TestAgent[]> {
    const agents: TestAgent[] = [];
    while (agents.length < count) agents.push(await createAgent(this.app, this.person));
    await Promise.all(agents.map((agent) => this.heartbeat(agent)));
    return agents;
  }

  agentStatuses(agents: readonly TestAgent[]): Promise<string[]> {
    return Promise.all(agents.map((agent) => this.agentStatus(agent)));
  }

  async agentStatus(agent: TestAgent): Promise<string> {
    return (await this.person.api.get(`/agents/${agent.id}`)).body.status;
  }

  async deployment(id: string) {
    return (await this.person.api.get(`/deployments/${id}`)).body;
  }
}
