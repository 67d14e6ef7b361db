import { Injectable, Logger } from '@nestjs/common';
import { AgentPausesService } from '../agents/agent-pauses.service.js';
import { answerInTime } from '../database/answer-in-time.js';
import { Database } from '../database/database.js';
import type { JobTask } from '../database/periodic-job.js';
import { type Connection, inTransaction, type Transaction } from '../database/transaction.js';
import { AgentPausesRepository } from './agent-pauses.repository.js';
import { PauseEffectsService } from './pause-effects.service.js';
import { PausesRepository } from './pauses.repository.js';

/** Agents in one transaction. While it numbers their events, other changes of the project wait. */
const AGENTS_IN_A_GROUP = 32;
/** Time for which a request waits until all of its agents are held or released; the rest continues without it. */
const PATIENCE_MS = 10_000;
/** Pauses that a round of the job looks at. */
const BATCH = 50;

type RunInTransaction = (work: (tx: Transaction) => Promise<void>) => Promise<void>;

/** Holds and releases the agents of a pause, one group of them after the other, each in a transaction. */
@Injectable()
export class PauseGroupsService {
  private readonly logger = new Logger('Pauses');
  /** The pauses that this instance is carrying out, by their ids. */
  private readonly underWay = new Map<string, Promise<void>>();

  constructor(
    private readonly pauses: PausesRepository,
    private readonly held: AgentPausesRepository,
    private readonly effects: PauseEffectsService,
    private readonly agents: AgentPausesService,
    private readonly database: Database,
  ) {}

  /** Waits for the reply of a request that has begun or ended a pause, and until its agents are held or released. */
  async settled<Reply extends { readonly id: string }>(reply: Promise<Reply>): Promise<Reply> {
    const { id } = await reply;
    await answerInTime(this.carryOut(id), PATIENCE_MS, () => undefined);
    return reply;
  }

  /** Holds or releases all agents of a pause. Never fails: the job continues with the rest. */
  carryOut(id: string): Promise<void> {
    const running = this.underWay.get(id) ?? Promise.resolve();
    const next = running
      .then(() => this.settleAll(id))
      .catch((error: unknown) => {
        this.logger.warn(`Pause ${id} is not complete yet; the next round continues: ${String(error)}`);
      })
      .finally(() => {
        if (this.underWay.get(id) === next) this.underWay.delete(id);
      });
    this.underWay.set(id, next);
    return next;
  }

  /** The tasks of a round, for pauses that no request has finished: its instance has ended, or an agent was busy. */
  async tasks(connection: Connection): Promise<JobTask[]> {
    const unsettled = await this.pauses.listUnsettled(connection, BATCH);
    return unsettled.map((id) => ({
      name: `pause ${id}`,
      run: (round) => this.settleGroup(round, id, (work) => inTransaction(round, work)),
    }));
  }

  private async settleAll(id: string): Promise<void> {
    const { people } = this.database;
    while (await this.settleGroup(people.manager, id, (work) => people.transaction(work)));
  }

  /** @returns true if there may be more to do */
  private async settleGroup(connection: Connection, id: string, run: RunInTransaction): Promise<boolean> {
    const pending = await this.held.listPending(connection, id, AGENTS_IN_A_GROUP);
    if (pending.length === 0) {
      await this.pauses.settle(connection, id);
      return false;
    }
    await run(async (tx) => {
      const agents = await this.agents.lockAll(tx, pending);
      const left = await this.effects.settle(tx, agents);
      const present = new Set(agents.map((agent) => agent.id));
      for (const agentId of pending)
        // An agent whose removal has begun runs nothing any more.
        if (!present.has(agentId)) await this.held.delete(tx, agentId, [id]);
      // The pause's last agents may have been removed or handed over since it began.
      await this.pauses.endEmpty(tx, [...new Set([id, ...left])], null);
    });
    return true;
  }
}
