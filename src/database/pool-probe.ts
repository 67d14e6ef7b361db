import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { answerInTime } from './answer-in-time.js';
import { isServerFull } from './database-errors.js';
import { poolOf } from './sql.js';

/** Asks over a pool's own connections whether it gets an answer: they can be lost while those of all other pools stand. */
export class PoolProbe {
  /** The question that has no answer yet, so that a pool that hangs is asked one at a time. */
  private asked: Promise<boolean> | undefined;

  /**
   * Resolves to false if the pool gets no answer within a time. A pool whose connections are all in use is busy, not
   * lost: other connections show whether the server answers.
   */
  async answers(dataSource: DataSource, withinMs: number): Promise<boolean> {
    if (!this.asked && isBusy(poolOf(dataSource))) return true;
    this.asked ??= ask(dataSource).finally(() => (this.asked = undefined));
    return answerInTime(this.asked, withinMs, () => false);
  }
}

function isBusy({ idleCount, totalCount, waitingCount, options }: Pool): boolean {
  return waitingCount > 0 || (idleCount === 0 && totalCount >= (options.max ?? 0));
}

async function ask(dataSource: DataSource): Promise<boolean> {
  try {
    await dataSource.query('SELECT');
    return true;
  } catch (error) {
    return isServerFull(error);
  }
}
