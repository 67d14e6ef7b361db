import { Injectable } from '@nestjs/common';
import { IsNull, type SelectQueryBuilder } from 'typeorm';
import { deleteOld } from '../database/deleted-rows.js';
import { selectRows } from '../database/entity-rows.js';
import type { Page, PageRequest } from '../database/page.js';
import { OF_PROJECT, readNewestOf } from '../database/project-pages.js';
import { sentBytes } from '../database/read-page.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { PauseEntity } from './pause.entity.js';
import type { Pause, PauseFilter } from './pause.types.js';

const BYTES_OF_A_PAUSE = sentBytes('"agentName"', 'label', 'type', 'reason');
const HOLDING = '(SELECT count(*) FROM agent_pauses AS held WHERE held.pause_id = pause.id)';
/** By hand: the table of agents belongs to a feature below. */
const CONFIRMED = `(SELECT count(*) FROM agent_pauses AS held JOIN agents AS agent ON agent.id = held.agent_id
  WHERE held.pause_id = pause.id AND agent.pause_confirmed_at IS NOT NULL)`;

/** By hand, likewise. An agent of another project keeps its name from the readers of this one. */
const AGENT_NAME = `(SELECT agent.name FROM agents AS agent
  WHERE agent.id = pause.agentId AND agent.user_id = pause.projectId)`;

/** Reads and writes pauses, without the agents that they hold. */
@Injectable()
export class PausesRepository {
  async insert(
    tx: Transaction,
    pause: Omit<PauseEntity, 'createdAt' | 'endedAt' | 'endedBy'>,
  ): Promise<void> {
    await tx.getRepository(PauseEntity).insert(pause);
  }

  /** Notes how many agents a new pause holds. Without one it is over at once. */
  async count(tx: Transaction, id: string, agents: number): Promise<void> {
    await tx
      .createQueryBuilder()
      .update(PauseEntity)
      .set({ agents, ...(agents === 0 && { isSettled: true, endedAt: () => 'now()' }) })
      .where({ id })
      .execute();
  }

  /** Says that further agents are to be held for a pause. @returns false if it has ended */
  async reopen(tx: Transaction, id: string): Promise<boolean> {
    const { affected } = await tx.update(PauseEntity, { id, endedAt: IsNull() }, { isSettled: false });
    return affected === 1;
  }

  /** Ends a pause: its agents are released one group after the other. Changes nothing if it has ended. */
  async end(tx: Transaction, id: string, endedBy: string): Promise<void> {
    await tx
      .createQueryBuilder()
      .update(PauseEntity)
      .set({ endedAt: () => 'now()', endedBy, isSettled: false })
      .where({ id })
      .andWhere('ended_at IS NULL')
      .execute();
  }

  /**
   * Ends those of the pauses that hold no agent any more. Each is locked before it is looked at: of two transactions that
   * release its last agents, the second one finds it empty.
   */
  async endEmpty(tx: Transaction, ids: readonly string[], endedBy: string | null): Promise<void> {
    if (ids.length === 0) return;
    const locked = await selectRows(tx, PauseEntity, 'pause', ['id'])
      .where('pause.id = ANY (:ids) AND pause.endedAt IS NULL', { ids })
      .orderBy('pause.id')
      .setLock('for_no_key_update')
      .getRawMany<Pick<PauseEntity, 'id'>>();
    await tx
      .createQueryBuilder()
      .update(PauseEntity)
      .set({ endedAt: () => 'now()', endedBy, isSettled: true })
      .where('id = ANY (:locked)', { locked: locked.map(({ id }) => id) })
      .andWhere('NOT EXISTS (SELECT FROM agent_pauses AS held WHERE held.pause_id = pauses.id)')
      .execute();
  }

  /** Notes that all agents of a pause are held or released, if so. */
  async settle(connection: Connection, id: string): Promise<void> {
    await connection
      .createQueryBuilder()
      .update(PauseEntity)
      .set({ isSettled: true })
      .where({ id, isSettled: false })
      .andWhere(
        `NOT EXISTS (SELECT FROM agent_pauses AS held WHERE held.pause_id = pauses.id
          AND (held.applied_at IS NULL OR pauses.ended_at IS NOT NULL))`,
      )
      .execute();
  }

  async listUnsettled(connection: Connection, limit: number): Promise<string[]> {
    const rows = await selectRows(connection, PauseEntity, 'pause', ['id'])
      // A constant, not a parameter: PostgreSQL then uses the partial index.
      .where('NOT pause.isSettled')
      .orderBy('pause.id')
      .limit(limit)
      .getRawMany<Pick<PauseEntity, 'id'>>();
    return rows.map(({ id }) => id);
  }

  /** Lists pauses, newest first. */
  list(
    connection: Connection,
    { projectIds, agentId, isOpen }: PauseFilter,
    request: PageRequest,
  ): Promise<Page<Pause>> {
    const pauses = selectPauses(connection).where(OF_PROJECT('pause'));
    if (agentId !== undefined)
      pauses.andWhere(
        `(pause.agentId = :agentId
          OR EXISTS (SELECT FROM agent_pauses AS held WHERE held.pause_id = pause.id AND held.agent_id = :agentId))`,
        { agentId },
      );
    if (isOpen !== undefined) pauses.andWhere(`pause.endedAt IS ${isOpen ? '' : 'NOT '}NULL`);
    return readNewestOf<Pause>(connection, projectIds, pauses, request, BYTES_OF_A_PAUSE);
  }

  async find(connection: Connection, id: string): Promise<Pause | null> {
    return (await selectPauses(connection).where({ id }).getRawOne<Pause>()) ?? null;
  }

  /** @returns the number of deleted pauses, at most `limit` */
  deleteEnded(connection: Connection, days: number, limit: number): Promise<number> {
    const where = 'old.endedAt IS NOT NULL AND old.isSettled';
    return deleteOld(connection, PauseEntity, { since: 'old.endedAt', days, where }, limit);
  }
}

function selectPauses(connection: Connection): SelectQueryBuilder<PauseEntity> {
  return selectRows(connection, PauseEntity, 'pause')
    .addSelect(AGENT_NAME, 'agentName')
    .addSelect(HOLDING, 'holding')
    .addSelect(CONFIRMED, 'confirmed');
}
