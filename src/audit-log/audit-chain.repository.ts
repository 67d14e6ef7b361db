import { Injectable } from '@nestjs/common';
import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';

/** The last link of the chain. `text` is what `audit verify --head` takes: day, number and hash. */
export interface ChainHead {
  readonly text: string;
}

/** By hand: a function of the database writes the chain, because the role of the service has no right to. */
@Injectable()
export class AuditChainRepository {
  /** Links entries that have been committed and are in no link yet. @returns their number, at most `limit` */
  async extend(connection: Connection, limit: number): Promise<number> {
    const [row] = await rowsOf<{ linked: number }>(connection, 'SELECT chain_audit_entries($1) AS linked', [
      limit,
    ]);
    return row!.linked;
  }

  /** @returns undefined if nothing is linked yet */
  async head(connection: Connection): Promise<ChainHead | undefined> {
    const [head] = await rowsOf<ChainHead>(
      connection,
      `SELECT to_char(day, 'YYYY-MM-DD') || '/' || number || '/' || encode(hash, 'hex') AS text
       FROM audit_chain ORDER BY day DESC, number DESC LIMIT 1`,
    );
    return head;
  }
}
