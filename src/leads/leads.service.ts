import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import type { AuditTarget } from '../audit-log/audit-log.types.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { Database } from '../database/database.js';
import type { Page, PageRequest } from '../database/page.js';
import type { Transaction } from '../database/transaction.js';
import { newId } from '../database/new-id.js';
import { NotFoundError } from '../errors/domain-error.js';
import { ListReads } from '../http/list-reads.js';
import type { CreateLeadRequest } from './dto/create-lead.request.js';
import type { LeadEntity } from './lead.entity.js';
import { LeadsRepository } from './leads.repository.js';

@Injectable()
export class LeadsService {
  constructor(
    private readonly leads: LeadsRepository,
    private readonly database: Database,
    private readonly lists: ListReads,
    private readonly auditLog: AuditLogService,
  ) {}

  /** Creates a lead. An empty field counts as absent. */
  create(tx: Transaction, enquiry: CreateLeadRequest): Promise<LeadEntity> {
    return this.leads.insert(tx, {
      id: newId(),
      email: enquiry.email,
      name: enquiry.name || null,
      company: enquiry.company || null,
      message: enquiry.message || null,
      source: enquiry.source || null,
    });
  }

  /** @param operator the caller: operators share the searches fairly, and the audit log says who read */
  list(operator: UserPrincipal, request: PageRequest): Promise<Page<LeadEntity>> {
    this.auditLog.read(operator, 'lead.list', leadOf(null));
    return this.lists.page(operator.userId, request, false, (connection) =>
      this.leads.list(connection, request),
    );
  }

  /** Deletes the leads of an address. @param email in its canonical form */
  deleteOf(tx: Transaction, email: string): Promise<void> {
    return this.leads.deleteOf(tx, email);
  }

  /** @throws NotFoundError */
  async get(operator: UserPrincipal, id: string): Promise<LeadEntity> {
    const lead = await this.leads.find(this.database.people.manager, id);
    if (!lead) throw new NotFoundError('Lead');
    this.auditLog.read(operator, 'lead.read', leadOf(id));
    return lead;
  }
}

/** Leads belong to no project. */
function leadOf(id: string | null): AuditTarget {
  return { type: 'lead', id, projectId: null };
}
