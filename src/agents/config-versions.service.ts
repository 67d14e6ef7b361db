import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import type { JobTask } from '../database/periodic-job.js';
import { type Connection, inTransaction, type Transaction } from '../database/transaction.js';
import { InvalidError } from '../errors/domain-error.js';
import { ConfigVersionsRepository } from './config-versions.repository.js';
import { LockedAgentsRepository } from './locked-agents.repository.js';

/** Sorts before the id of any agent. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';
/** Maximum number of agents of which a part of the task deletes versions. */
const AGENTS_AT_ONCE = 20;
/** Maximum number of rows in a statement: a config may have a MiB. */
const ROWS_AT_ONCE = 200;

/** Keeps the newest versions of each agent's config, and the older ones that something names. */
@Injectable()
export class ConfigVersionsService {
  /** The last agent of the part of the task before. */
  private after = FIRST_ID;

  constructor(
    private readonly versions: ConfigVersionsRepository,
    private readonly agents: LockedAgentsRepository,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Checks that a version can be deployed, of an agent that the transaction has locked.
   *
   * @throws InvalidError if it is not kept any more
   */
  async assertKept(tx: Transaction, agentId: string, configVersion: number): Promise<void> {
    if (await this.versions.exists(tx, agentId, configVersion)) return;
    throw InvalidError.of(
      'config_version',
      'out_of_range',
      `config_version ${configVersion} does not exist or was deleted: GET /agents/{agent_id}/configs lists the ` +
        'stored versions',
    );
  }

  /** The task that deletes versions, agent by agent. */
  tasks(): JobTask[] {
    const kept = this.settings.KEPT_CONFIGS_PER_AGENT;
    if (kept === 0) return [];
    return [
      {
        name: 'old config versions',
        run: async (connection) => {
          const found = await this.versions.listLarge(connection, kept, this.after, AGENTS_AT_ONCE);
          for (const agentId of found) await this.deleteOf(connection, agentId, kept);
          const hasMore = found.length === AGENTS_AT_ONCE;
          this.after = hasMore ? found.at(-1)! : FIRST_ID;
          return hasMore;
        },
      },
    ];
  }

  private async deleteOf(connection: Connection, agentId: string, kept: number): Promise<void> {
    let deleted = ROWS_AT_ONCE;
    while (deleted === ROWS_AT_ONCE) {
      deleted = await inTransaction(connection, async (tx) => {
        // An agent that a person deploys or changes at the moment waits for the next round.
        const [agent] = await this.agents.lockFree(tx, [agentId]);
        return agent ? this.versions.deleteUnnamed(tx, agentId, kept, ROWS_AT_ONCE) : 0;
      });
    }
  }
}
