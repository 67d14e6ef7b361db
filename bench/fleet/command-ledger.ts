import type { Recorder } from './recorder.js';

export type Action = 'deploy' | 'scale' | 'restart' | 'stop' | 'kill';

/** As `GET /agents/commands` hands it out. */
export interface Command {
  readonly command_id: string;
  readonly action: Action;
  readonly deployment_id: string;
  readonly parameters: { readonly generation: number; readonly replicas: number };
  readonly attempt: number;
  readonly received_at: string;
  readonly expires_at: string;
}

/** All that the agents saw of one command. */
export interface CommandTrace {
  readonly agentId: string;
  readonly command: Command;
  /** Replies that held it, those among them that the agent never got to see. */
  deliveries: number;
  /** When the agent first had it in its hands; null while only lost replies held it. */
  inHand: {
    /** Milliseconds since 1970. */
    readonly at: number;
    /** When the poll had been sent that brought it. */
    readonly awaitedSince: number;
    readonly attempt: number;
  } | null;
  executions: number;
  lastLeaseEnd: number;
  acknowledging: boolean;
  /** When the first 200 to an acknowledgement came; milliseconds since 1970. */
  acknowledgedAt: number | null;
  /** What acknowledgements said that the service took for the first. One at most is right. */
  readonly firsts: boolean[];
  duplicates: number;
  /** Acknowledgements that were never answered. */
  unsure: number;
}

/** Names what a person asked for, so that request and command find each other: stops share their generation. */
export function purposeOf(deploymentId: string, action: string, generation: number): string {
  return `${deploymentId} ${action} ${generation}`;
}

/**
 * What the agents saw of each command. Agents recognise a command by its id and carry it out once; here it shows
 * whether the service kept its side: leased to one at a time, in order, never again after it was acknowledged.
 */
export class CommandLedger {
  readonly traces = new Map<string, CommandTrace>();
  /** Of each deployment, the command that was delivered and not begun to be acknowledged. */
  private readonly open = new Map<string, string>();

  constructor(
    private readonly recorder: Recorder,
    private readonly leaseMs: number,
  ) {}

  /** @param poll when the poll was sent that brought it, and when its reply came; milliseconds since 1970 */
  delivered(agentId: string, command: Command, poll: { sentAt: number; receivedAt: number }): void {
    const trace = this.leased(agentId, command);
    trace.inHand ??= { at: poll.receivedAt, awaitedSince: poll.sentAt, attempt: command.attempt };
  }

  /** It was in a reply that the agent never got to see. */
  lost(agentId: string, command: Command): void {
    this.leased(agentId, command);
  }

  executed(commandId: string): void {
    this.trace(commandId).executions++;
  }

  acknowledging(commandId: string): void {
    const trace = this.trace(commandId);
    trace.acknowledging = true;
    const deployment = trace.command.deployment_id;
    if (this.open.get(deployment) === commandId) this.open.delete(deployment);
  }

  /** An acknowledgement was answered with 200, whether or not the agent got to see that. */
  acknowledged(commandId: string, success: boolean, duplicate: boolean): void {
    const trace = this.trace(commandId);
    trace.acknowledgedAt ??= Date.now();
    if (duplicate) trace.duplicates++;
    else trace.firsts.push(success);
  }

  unsure(commandId: string): void {
    this.trace(commandId).unsure++;
  }

  private trace(commandId: string): CommandTrace {
    return this.traces.get(commandId) as CommandTrace;
  }

  private leased(agentId: string, command: Command): CommandTrace {
    const leaseEnd = Date.parse(command.expires_at);
    const known = this.traces.get(command.command_id);
    if (known) this.judgeRedelivery(known, command, leaseEnd - this.leaseMs);
    const trace = known ?? this.begin(agentId, command);
    trace.deliveries++;
    trace.lastLeaseEnd = leaseEnd;
    return trace;
  }

  private begin(agentId: string, command: Command): CommandTrace {
    const open = this.open.get(command.deployment_id);
    if (open !== undefined) {
      this.recorder.violated(
        'a command came before its predecessor was settled',
        `${command.command_id} after ${open}`,
      );
    }
    this.open.set(command.deployment_id, command.command_id);
    const trace: CommandTrace = {
      agentId,
      command,
      deliveries: 0,
      inHand: null,
      executions: 0,
      lastLeaseEnd: 0,
      acknowledging: false,
      acknowledgedAt: null,
      firsts: [],
      duplicates: 0,
      unsure: 0,
    };
    this.traces.set(command.command_id, trace);
    return trace;
  }

  private judgeRedelivery(trace: CommandTrace, command: Command, leasedAt: number): void {
    const name = `${command.action} ${command.command_id}, attempt ${command.attempt}`;
    if (leasedAt < trace.lastLeaseEnd) {
      this.recorder.violated('a command was delivered again within its lease', name);
    }
    // A reply may have been on its way while the agent was told that its acknowledgement counts; a lease may not.
    if (trace.acknowledgedAt !== null && leasedAt > trace.acknowledgedAt) {
      this.recorder.violated('a command was delivered again after it had been acknowledged', name);
    }
  }
}
