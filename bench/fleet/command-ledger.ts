import type { Recorder } from './recorder.js';

export type Action = 'deploy' | 'scale' | 'restart' | 'stop' | 'kill';

/** A command in the reply of `GET /agents/commands`. */
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
  /** Replies that held the command, lost ones included. */
  deliveries: number;
  /** Time of the first delivery that the agent received; null while only lost replies held it. */
  inHand: {
    /** Milliseconds since 1970. */
    readonly at: number;
    /** Time at which the poll that delivered it was sent. */
    readonly awaitedSince: number;
    readonly attempt: number;
  } | null;
  executions: number;
  lastLeaseEnd: number;
  acknowledging: boolean;
  /** Time of the first 200 to an acknowledgement; milliseconds since 1970. */
  acknowledgedAt: number | null;
  /** Outcomes that the service accepted as the first acknowledgement. There must be at most one. */
  readonly firsts: boolean[];
  duplicates: number;
  /** Acknowledgements that were never answered. */
  unsure: number;
}

/** Key that joins a person's request with its command. Stops share a generation. */
export function purposeOf(deploymentId: string, action: string, generation: number): string {
  return `${deploymentId} ${action} ${generation}`;
}

/**
 * Deliveries and acknowledgements of each command, as the agents saw them. Agents recognise a command by its id and carry it out once; here it shows
 * whether the service kept its side: leased to one at a time, in order, never again after it was acknowledged.
 */
export class CommandLedger {
  readonly traces = new Map<string, CommandTrace>();
  /** The delivered command of each deployment whose acknowledgement has not been sent yet. */
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

  /** Records a delivery whose reply the agent never received. */
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

  /** Records an acknowledgement that was answered with 200, whether or not the agent received the reply. */
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
    // A reply may have been on its way while the agent learned that its acknowledgement counts; a lease may
    // not.
    if (trace.acknowledgedAt !== null && leasedAt > trace.acknowledgedAt) {
      this.recorder.violated('a command was delivered again after it had been acknowledged', name);
    }
  }
}
