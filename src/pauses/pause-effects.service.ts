import { Injectable } from '@nestjs/common';
import type { Actor } from '../access/principal.js';
import { AgentPausesService } from '../agents/agent-pauses.service.js';
import type { LockedAgent } from '../agents/agent.types.js';
import type { Transaction } from '../database/transaction.js';
import { DeploymentPausesService } from '../deployments/deployment-pauses.service.js';
import { RunPausesService } from '../runs/run-pauses.service.js';
import { AgentPausesRepository } from './agent-pauses.repository.js';
import type { HeldAgent } from './pause.types.js';

/** Pauses that release agents, besides those that have ended. */
interface LettingGo {
  readonly letsGo: (pause: HeldAgent) => boolean;
  readonly actor: Actor;
}

/** Brings agents, their deployments and their runs into agreement with the pauses that hold them. */
@Injectable()
export class PauseEffectsService {
  constructor(
    private readonly held: AgentPausesRepository,
    private readonly agents: AgentPausesService,
    private readonly deployments: DeploymentPausesService,
    private readonly runs: RunPausesService,
  ) {}

  /**
   * Holds agents for which a pause has begun, and releases those that the last pause lets go. A pause that has ended lets
   * its agents go, and one whose project is not the agent's any more.
   *
   * @param agents whose rows the transaction has locked
   * @returns ids of the pauses that have let one of the agents go
   */
  async settle(tx: Transaction, agents: readonly LockedAgent[], letting?: LettingGo): Promise<string[]> {
    const ids = agents.map(({ id }) => id);
    const byAgent = Map.groupBy(await this.held.of(tx, ids), ({ agentId }) => agentId);
    const left: string[] = [];
    for (const agent of agents) {
      const pauses = byAgent.get(agent.id) ?? [];
      const [gone, holding] = divided(pauses, agent, letting);
      left.push(...gone.map(({ pauseId }) => pauseId));
      await this.settleOne(tx, agent, { gone, holding }, letting?.actor);
    }
    await this.held.markApplied(tx, ids);
    return [...new Set(left)];
  }

  private async settleOne(
    tx: Transaction,
    agent: LockedAgent,
    { gone, holding }: { readonly gone: readonly HeldAgent[]; readonly holding: readonly HeldAgent[] },
    actor: Actor | undefined,
  ): Promise<void> {
    const left = gone.map(({ pauseId }) => pauseId);
    if (left.length > 0) await this.held.delete(tx, agent.id, left);
    const [oldest] = holding;
    const last = gone.at(-1);
    if (!oldest && last && agent.pausedAt !== null)
      await this.release(tx, agent, last, actor ?? last.endedBy ?? last.actor);
    if (oldest && agent.pausedAt === null) await this.hold(tx, agent, oldest);
    if (oldest && agent.pausedAt !== null && left.length > 0)
      await this.agents.describe(tx, agent, toldOf(oldest));
    const cancelling = holding.find(({ appliedAt, runs }) => appliedAt === null && runs === 'cancel');
    if (cancelling) await this.runs.cancelUnderWay(tx, cancelling.actor, agent.id, cancelling.reason);
  }

  private async hold(tx: Transaction, agent: LockedAgent, pause: HeldAgent): Promise<void> {
    const held = await this.agents.hold(tx, agent, toldOf(pause));
    await this.deployments.follow(tx, pause.actor, held, pause.reason);
  }

  private async release(tx: Transaction, agent: LockedAgent, last: HeldAgent, actor: Actor): Promise<void> {
    const released = await this.agents.release(tx, agent, toldOf(last));
    await this.deployments.follow(tx, actor, released, null);
    await this.runs.resumed(tx, [agent.id]);
  }
}

/** The pauses of an agent that let it go, and those that hold it. Pure. */
function divided(
  pauses: readonly HeldAgent[],
  { projectId }: LockedAgent,
  letting: LettingGo | undefined,
): [gone: HeldAgent[], holding: HeldAgent[]] {
  const isGone = (pause: HeldAgent) =>
    pause.endedAt !== null || pause.projectId !== projectId || letting?.letsGo(pause) === true;
  return [pauses.filter(isGone), pauses.filter((pause) => !isGone(pause))];
}

function toldOf({ pauseId, by, reason }: HeldAgent) {
  return { id: pauseId, by, reason };
}
