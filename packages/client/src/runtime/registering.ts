import { hostname } from 'node:os';
import type { Deployment } from '../models.js';
import type { Approval } from './approval-decision.js';
import { unwrap } from '../service-client.js';
import { type Correction, correctionsOf } from './correction.js';
import { OWN_SOFTWARE, PROTOCOL } from './own-software.js';
import { ForeignStateError } from './runtime-errors.js';
import type { EventListener } from './runtime-events.js';
import type { AgentRuntimeOptions } from './runtime-options.js';
import type { RuntimeState } from './runtime-state.js';
import type { ServiceLink } from './service-link.js';
import { UpgradeAdvice } from './upgrade-advice.js';

/** The runtime that registers: its runs are named, and it follows the reply. */
export interface RegistrationHost {
  /** Ids of the runs that this process has. */
  runs(): string[] | undefined;
  onInterval(seconds: number): void;
  /** A deployment differs from what the service lists. */
  onCorrection(deploymentId: string, correction: Correction): void;
  onListed(listed: readonly Deployment[]): void;
  /** The agent has asked these questions, and does not have their answers. */
  onApprovals(listed: readonly Approval[]): void;
}

/** The call that says that the process has started, and what follows from its reply. */
export class Registering {
  private readonly advice: UpgradeAdvice;

  constructor(
    private readonly link: ServiceLink,
    private readonly state: RuntimeState,
    private readonly options: AgentRuntimeOptions,
    private readonly onEvent: EventListener,
    private readonly host: RegistrationHost,
  ) {
    this.advice = new UpgradeAdvice(onEvent);
  }

  /** Calls until the service has answered. @throws ForeignStateError, KeyRefusedError, or the signal's reason */
  async register(signal: AbortSignal): Promise<void> {
    const { version, capabilities, metadata, software = OWN_SOFTWARE } = this.options;
    const runtime = { ...software, protocol: PROTOCOL };
    const told = new Map(this.state.allAssignments().map(([id, { generation }]) => [id, generation]));
    const body = { ...machine(), version, capabilities, metadata, runtime, runs: this.host.runs() } as never;
    const reply = await this.link.retryForever(
      (service, ended) => unwrap(service.POST('/agents/register', { body, signal: ended })),
      signal,
    );
    await this.claim(reply.agent_id);
    this.host.onInterval(reply.heartbeat_interval_seconds);
    if (reply.deployments) this.compare(reply.deployments, told);
    this.host.onApprovals(reply.approvals ?? []);
    this.onEvent({
      level: 'info',
      event: 'registered',
      message: `Registered as agent ${reply.agent_id}; a heartbeat every ${reply.heartbeat_interval_seconds} s`,
    });
    this.advise(reply.upgrade);
  }

  /** Follows `upgrade` of a reply to a registration or a heartbeat. */
  advise(upgrade: string | undefined): void {
    this.advice.follow(upgrade);
  }

  private compare(listed: readonly Deployment[], told: ReadonlyMap<string, number>): void {
    for (const [id, correction] of correctionsOf(this.state, listed, told))
      this.host.onCorrection(id, correction);
    this.host.onListed(listed);
  }

  private async claim(agentId: string): Promise<void> {
    const owner = this.state.agentId;
    if (owner === agentId) return;
    if (owner !== null) throw new ForeignStateError(this.options.stateDir ?? 'memory', owner, agentId);
    this.state.agentId = agentId;
    await this.state.save();
  }
}

/** The machine on which this process runs, as registrations and heartbeats name it. */
export function machine() {
  return { hostname: hostname().slice(0, 255), platform: `${process.platform}/${process.arch}` };
}
