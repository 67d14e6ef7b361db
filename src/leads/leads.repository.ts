import { Injectable } from '@nestjs/common';
import { selectRows } from '../database/entity-rows.js';
import type { Page, PageRequest } from '../database/page.js';
import { readNewest, sentBytes } from '../database/read-page.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { LeadEntity } from './lead.entity.js';

@Injectable()
export class LeadsRepository {
  async insert(tx: Transaction, lead: Omit<LeadEntity, 'createdAt'>): Promise<LeadEntity> {
    const leads = tx.getRepository(LeadEntity);
    const row = leads.create(lead);
    await leads.insert(row);
    return row;
  }

  /** Lists leads, newest first. A message of 5,000 characters takes up to 30 KB, so a hundred of them exceed a page. */
  list(connection: Connection, request: PageRequest): Promise<Page<LeadEntity>> {
    const newestFirst = selectRows(connection, LeadEntity, 'lead');
    return readNewest(connection, newestFirst, request, sentBytes('name', 'company', 'message', 'source'));
  }

  async deleteOf(tx: Transaction, email: string): Promise<void> {
    await tx.getRepository(LeadEntity).delete({ email });
  }

  find(connection: Connection, id: string): Promise<LeadEntity | null> {
    return connection.getRepository(LeadEntity).findOneBy({ id });
  }
}
