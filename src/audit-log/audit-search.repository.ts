import { Injectable } from '@nestjs/common';
import { columnsOf } from '../database/entity-rows.js';
import { Page, type PageRequest } from '../database/page.js';
import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import { uuidFloor } from '../database/uuid-times.js';
import { AuditEntryEntity } from './audit-entry.entity.js';
import type { AuditEntry, AuditFilter, AuditReader } from './audit-log.types.js';

const COLUMNS = columnsOf(AuditEntryEntity);

/** The agent of an entry, as the index `audit_log_agent_id_id_idx` has it. */
const AGENT = `(CASE target_type WHEN 'agent' THEN target_id::text ELSE details ->> 'agent_id' END)`;

interface Part {
  readonly before?: string;
  readonly skip: number;
  readonly limit: number;
}

/** Reads the audit log for those who may see it. */
@Injectable()
export class AuditSearchRepository {
  /** Lists entries, newest first. Rows are small: details are a few names and numbers. */
  async list(
    connection: Connection,
    reader: AuditReader,
    filter: AuditFilter,
    request: PageRequest,
  ): Promise<Page<AuditEntry>> {
    const { skip, limit, before } = request;
    const part = { skip, limit: limit + 1, ...(before !== undefined && { before }) };
    const rows = await this.read(connection, reader, filter, part);
    const total = request.includeTotal ? await this.count(connection, reader, filter) : undefined;
    return Page.of(rows, request, total).continuedBy(({ id }) => ({ before: id }));
  }

  /** Reads entries, newest first. */
  read(connection: Connection, reader: AuditReader, filter: AuditFilter, part: Part): Promise<AuditEntry[]> {
    const { skip, limit, before } = part;
    const { source, parameters } = visible(reader, filter, before, `ORDER BY id DESC LIMIT ${skip + limit}`);
    const statement = `SELECT ${COLUMNS} FROM ${source} ORDER BY id DESC LIMIT ${limit} OFFSET ${skip}`;
    return rowsOf<AuditEntry>(connection, statement, parameters);
  }

  private async count(connection: Connection, reader: AuditReader, filter: AuditFilter): Promise<number> {
    const { source, parameters } = visible(reader, filter);
    const [row] = await rowsOf<{ total: number }>(
      connection,
      `SELECT count(*)::int AS total FROM ${source}`,
      parameters,
    );
    return row!.total;
  }
}

/**
 * The entries that a reader may see and that match a filter. By hand, because TypeORM has no UNION: with it PostgreSQL
 * reads the newest entries of two indexes and stops at the limit; with OR it reads and sorts all of a user's entries.
 *
 * @param newest order and limit of each index; empty: all, to count them
 */
function visible(
  { userId, keyActor, projectIds, isAdmin }: AuditReader,
  filter: AuditFilter,
  before?: string,
  newest = '',
): { source: string; parameters: unknown[] } {
  const parameters: unknown[] = [];
  const conditions: string[] = [];
  const add = (condition: string, value: unknown) => {
    if (value === undefined) return;
    parameters.push(value);
    conditions.push(`${condition} $${parameters.length}`);
  };
  add('actor =', filter.actor);
  add('action =', filter.action);
  add('target_id =', filter.targetId);
  add(`${AGENT} =`, filter.agentId);
  add('outcome =', filter.outcome);
  add('id >=', filter.since && uuidFloor(filter.since));
  add('id <', filter.until && uuidFloor(filter.until));
  add('owner_id =', filter.projectId);
  add('id <', before);
  if (isAdmin) return { source: `audit_log ${where(conditions)}`, parameters };
  // A project's key has no account: in the column of the account its entries have the project, as those of its agents do.
  const actor = keyActor === null ? 'user_id' : 'actor';
  parameters.push(keyActor ?? userId, projectIds);
  const own = `$${parameters.length - 1}`;
  const acted = where([...conditions, `${actor} = ${own}`]);
  const suffered = where([...conditions, 'owner_id = project.id', `${actor} IS DISTINCT FROM ${own}`]);
  const parts = [
    `(SELECT * FROM audit_log ${acted} ${newest})`,
    `(SELECT entry.* FROM unnest($${parameters.length}::uuid[]) AS project(id)
      CROSS JOIN LATERAL (SELECT * FROM audit_log ${suffered} ${newest}) AS entry)`,
  ];
  return { source: `(${parts.join(' UNION ALL ')}) AS entry`, parameters };
}

function where(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
}
