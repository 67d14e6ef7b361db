import { pause } from '@agent-control-plane/client/internal/pause';
import type { Command, CommandLedger } from './command-ledger.js';
import type { Random } from './random.js';
import type { RuntimeClient } from './runtime-client.js';

/** State of a deployment, as its runtime knows it. */
export interface OwnDeployment {
  phase: 'running' | 'ready' | 'failed' | 'stopped';
  replicas: number;
  generation: number;
}

export interface CommandRunnerOptions {
  readonly agentId: string;
  readonly client: RuntimeClient;
  readonly ledger: CommandLedger;
  readonly random: Random;
  /** Share of the starting commands that it can't carry out. */
  readonly failures: number;
  /** Sends a heartbeat with the present {@link CommandRunner.reports}. */
  readonly tell: () => Promise<void>;
  /** The agent's clock, which need not be right. */
  readonly clock: () => string;
  /** Aborted when the agent ends permanently. Cut connections do not end a command. */
  readonly ended: AbortSignal;
}

/** Carries commands out, each once, however often it is delivered, and knows the state they lead to. */
export class CommandRunner {
  readonly deployments = new Map<string, OwnDeployment>();
  /** Outcome of each command; null while it is being executed. */
  private readonly said = new Map<string, boolean | null>();
  private readonly underWay = new Set<Promise<void>>();

  constructor(private readonly options: CommandRunnerOptions) {}

  /** @param poll when the poll was sent that brought it, and when its reply came */
  take(command: Command, poll: { sentAt: number; receivedAt: number }): void {
    this.options.ledger.delivered(this.options.agentId, command, poll);
    const said = this.said.get(command.command_id);
    if (said === null) return;
    // A second delivery is acknowledged again: the first acknowledgement may not have arrived.
    this.follow(said === undefined ? this.carryOut(command) : this.acknowledge(command.command_id, said));
  }

  /** Returns true if a deployment is running, as far as the agent knows. */
  isDeployed(): boolean {
    return [...this.deployments.values()].some(({ phase }) => phase === 'running' || phase === 'ready');
  }

  /** Reports for the next heartbeat. */
  reports(): object[] {
    const reports: object[] = [];
    for (const [id, { phase, replicas, generation }] of this.deployments) {
      if (phase === 'stopped') continue;
      reports.push({
        deployment_id: id,
        status: phase,
        ready_replicas: phase === 'ready' ? replicas : 0,
        observed_generation: generation,
        ...(phase === 'failed' ? { error_message: 'exit code 1' } : { node_id: 'simulator' }),
      });
    }
    return reports;
  }

  /** Resolves when no command is being executed. */
  async idle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  private follow(work: Promise<void>): void {
    this.underWay.add(work);
    void work.finally(() => this.underWay.delete(work));
  }

  private async carryOut(command: Command): Promise<void> {
    const { ledger, random, failures, ended } = this.options;
    const { action, command_id: id, deployment_id: deploymentId, parameters } = command;
    this.said.set(id, null);
    ledger.executed(id);
    await pause(random.between(10, 150), ended);
    if (ended.aborted) return;
    const starts = action === 'deploy' || action === 'restart';
    const success = !(starts && random.chance(failures));
    const { replicas, generation } = parameters;
    const known = this.deployments.get(deploymentId);
    const phase =
      action === 'stop' || action === 'kill'
        ? 'stopped'
        : starts
          ? success
            ? 'running'
            : 'failed'
          : (known?.phase ?? 'stopped');
    const own: OwnDeployment = { phase, replicas, generation };
    this.deployments.set(deploymentId, own);
    await this.acknowledge(id, success);
    this.said.set(id, success);
    if (phase !== 'running' && phase !== 'ready') return;
    await pause(random.between(10, 100), ended);
    // A stop may have come in the meantime.
    if (ended.aborted || this.deployments.get(deploymentId) !== own) return;
    own.phase = 'ready';
    await this.options.tell();
  }

  private async acknowledge(commandId: string, success: boolean): Promise<void> {
    const { client, ledger, random, clock, ended } = this.options;
    let claim = success;
    ledger.acknowledging(commandId);
    await client.persist(
      'acknowledge',
      async () => {
        const claimed = claim;
        const outcome = await client.call('acknowledge', {
          method: 'POST',
          path: '/agents/commands/acknowledge',
          body: {
            command_id: commandId,
            success: claimed,
            ...(claimed ? { result: { exit_code: 0 } } : { error: 'exit code 1' }),
            completed_at: clock(),
          },
        });
        if (outcome.kind === 'answered' || outcome.kind === 'lost') {
          ledger.acknowledged(commandId, claimed, outcome.body.duplicate === true);
        } else if (outcome.kind !== 'refused' && outcome.kind !== 'unsent') ledger.unsure(commandId);
        // Some clients send a contradicting acknowledgement when the first reply was lost: the first must count.
        if (outcome.kind === 'lost' && random.chance(0.5)) claim = !success;
        return outcome;
      },
      ended,
    );
  }
}
