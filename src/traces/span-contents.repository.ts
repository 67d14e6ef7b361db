import { Injectable } from '@nestjs/common';
import { selectRows } from '../database/entity-rows.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { SpanContentEntity } from './span-content.entity.js';
import type { ContentPlace } from './span-content-cipher.js';

/** A content as it is stored. */
export interface StoredContent extends ContentPlace {
  /** The span's start, as PostgreSQL writes it. */
  readonly timestamp: string;
  readonly content: string;
}

/** A content that is to be stored. */
export interface NewContent extends ContentPlace {
  readonly timestamp: Date;
  /** Sealed; null: its agent has no room left today. */
  readonly content: string | null;
}

/** By hand: the rows of many exports with `unnest`. */
const INSERT = `INSERT INTO agent_span_contents (agent_id, "timestamp", id, content)
  SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::uuid[], $4::text[]) ON CONFLICT DO NOTHING`;

/** By hand: an upsert in the order of the key, so that two groups wait for each other without a deadlock. */
const CLAIM = `INSERT INTO agent_content_sizes AS known (agent_id, day, bytes)
  SELECT agent_id, (now() AT TIME ZONE 'UTC')::date, bytes
  FROM unnest($1::uuid[], $2::bigint[]) AS given (agent_id, bytes) ORDER BY agent_id
  ON CONFLICT (agent_id) DO UPDATE SET day = excluded.day,
    bytes = excluded.bytes + CASE WHEN known.day = excluded.day THEN known.bytes ELSE 0 END
  RETURNING agent_id AS "agentId", bytes::float8 AS bytes`;

/** Content of spans, which agents may keep. */
@Injectable()
export class SpanContentsRepository {
  async insert(tx: Transaction, contents: readonly NewContent[]): Promise<void> {
    await rowsOf(tx, { name: 'insert_span_contents', text: INSERT }, [
      contents.map(({ agentId }) => agentId),
      contents.map(({ timestamp }) => timestamp),
      contents.map(({ id }) => id),
      contents.map(({ content }) => content),
    ]);
  }

  /** Counts bytes of agents up. @returns how many each has stored today, these included */
  async claim(tx: Transaction, bytes: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>> {
    const rows = await rowsOf<{ agentId: string; bytes: number }>(
      tx,
      { name: 'claim_content_bytes', text: CLAIM },
      [[...bytes.keys()], [...bytes.values()]],
    );
    return new Map(rows.map((row) => [row.agentId, row.bytes]));
  }

  /** True if there is a row for this span. */
  async has(
    connection: Connection,
    { agentId, timestamp, id }: Pick<SpanContentEntity, 'agentId' | 'timestamp' | 'id'>,
  ): Promise<boolean> {
    const query = selectRows(connection, SpanContentEntity, 'kept', ['id']).where({ agentId, timestamp, id });
    return (await query.getRawOne()) !== undefined;
  }

  /** @returns null: nothing of this span is kept */
  async find(
    connection: Connection,
    { agentId, timestamp, id }: Pick<SpanContentEntity, 'agentId' | 'timestamp' | 'id'>,
  ): Promise<Pick<SpanContentEntity, 'content'> | null> {
    const query = selectRows(connection, SpanContentEntity, 'kept', ['content']);
    return (
      (await query.where({ agentId, timestamp, id }).getRawOne<Pick<SpanContentEntity, 'content'>>()) ?? null
    );
  }

  /**
   * Lists contents that are encrypted under another key than this one, after a given one in the order of agents, times and spans. By
   * hand: the time in full, which a JSON value would round.
   */
  listNotUnder(
    connection: Connection,
    sealPrefix: string,
    after: Pick<StoredContent, 'agentId' | 'timestamp' | 'id'>,
    limit: number,
  ): Promise<StoredContent[]> {
    return rowsOf<StoredContent>(
      connection,
      `SELECT agent_id AS "agentId", "timestamp"::text AS timestamp, id, content FROM agent_span_contents
       WHERE (agent_id, "timestamp", id) > ($1, $2, $3) AND content IS NOT NULL AND NOT starts_with(content, $4)
       ORDER BY agent_id, agent_span_contents."timestamp", id LIMIT $5`,
      [after.agentId, after.timestamp, after.id, sealPrefix, limit],
    );
  }

  /** Replaces a stored content by the same one under another key. By hand, as {@link listNotUnder}. */
  async rewrite(
    connection: Connection,
    { agentId, timestamp, id }: StoredContent,
    content: string,
  ): Promise<void> {
    await rowsOf(
      connection,
      'UPDATE agent_span_contents SET content = $4 WHERE agent_id = $1 AND "timestamp" = $2 AND id = $3',
      [agentId, timestamp, id, content],
    );
  }
}
