import { Injectable } from '@nestjs/common';
import type { Connection } from '../database/transaction.js';
import { RunsRepository } from './runs.repository.js';

/** Number of runs in a bite. Their events go with them. */
const BITE = 1_000;

/** Deletes the runs of agents that are being removed. */
@Injectable()
export class RunPurgeService {
  constructor(private readonly runs: RunsRepository) {}

  /** Deletes some of an agent's runs. @returns true if there may be more */
  async purgeSome(connection: Connection, agentId: string): Promise<boolean> {
    return (await this.runs.deleteOf(connection, agentId, BITE)) === BITE;
  }
}
