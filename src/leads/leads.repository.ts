import { Injectable } from '@nestjs/common';
import { Page, type PageRequest } from '../database/page.js';
import { rowsOf } from '../database/sql.js';
import type { Transaction } from '../database/transaction.types.js';
import { Transactor } from '../database/transactor.js';
import { LeadEntity } from './lead.entity.js';
import type { Lead } from './lead.types.js';

const LEAD_COLUMNS = 'id, email, name, company, message, source, created_at AS "createdAt"';

@Injectable()
export class LeadsRepository {
  constructor(private readonly transactor: Transactor) {}

  async insert(tx: Transaction, lead: Omit<Lead, 'createdAt'>): Promise<Lead> {
    const [row] = await rowsOf<Lead>(
      tx,
      `INSERT INTO leads (id, email, name, company, message, source) VALUES ($1, $2, $3, $4, $5, $6)
       RETURNING ${LEAD_COLUMNS}`,
      [lead.id, lead.email, lead.name, lead.company, lead.message, lead.source],
    );
    return row as Lead;
  }

  /** Newest first. */
  async list(request: PageRequest): Promise<Page<Lead>> {
    const rows = await rowsOf<Lead>(
      this.transactor.reader,
      `SELECT ${LEAD_COLUMNS} FROM leads ORDER BY id DESC LIMIT $1 OFFSET $2`,
      [request.limit + 1, request.skip],
    );
    return Page.of(rows, request, request.includeTotal ? await this.count() : undefined);
  }

  async find(id: string): Promise<Lead | null> {
    const [row] = await rowsOf<Lead>(
      this.transactor.reader,
      `SELECT ${LEAD_COLUMNS} FROM leads WHERE id = $1`,
      [id],
    );
    return row ?? null;
  }

  private count(): Promise<number> {
    return this.transactor.reader.getRepository(LeadEntity).count();
  }
}
