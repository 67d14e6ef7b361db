import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../database/page.js';
import { readSqlPage } from '../database/read-sql-page.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { LeadEntity } from './lead.entity.js';
import type { Lead } from './lead.types.js';

const LEAD_COLUMNS = 'id, email, name, company, message, source, created_at AS "createdAt"';

@Injectable()
export class LeadsRepository {
  async insert(tx: Transaction, lead: Omit<Lead, 'createdAt'>): Promise<Lead> {
    const leads = tx.getRepository(LeadEntity);
    const row = leads.create(lead);
    await leads.insert(row);
    return row;
  }

  /** Newest first. */
  list(connection: Connection, request: PageRequest): Promise<Page<Lead>> {
    return readSqlPage<Lead>(
      connection,
      {
        columns: LEAD_COLUMNS,
        from: 'leads',
        where: 'true',
        orderBy: 'id DESC',
        parameters: [],
        // 5,000 characters take up to 20 KB, so a hundred of them exceed a page.
        bytes: 'coalesce(octet_length(message), 0)',
      },
      request,
    );
  }

  find(connection: Connection, id: string): Promise<Lead | null> {
    return connection.getRepository(LeadEntity).findOneBy({ id });
  }
}
