import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import type { Page, PageRequest } from '../database/page.js';
import { Transactor } from '../database/transactor.js';
import { NotFoundError } from '../errors/domain-error.js';
import type { Enquiry, Lead } from './lead.types.js';
import { LeadsRepository } from './leads.repository.js';

@Injectable()
export class LeadsService {
  constructor(
    private readonly leads: LeadsRepository,
    private readonly transactor: Transactor,
  ) {}

  async create(enquiry: Enquiry): Promise<Lead> {
    const lead = {
      id: uuidv7(),
      email: enquiry.email,
      name: enquiry.name || null,
      company: enquiry.company || null,
      message: enquiry.message || null,
      source: enquiry.source || null,
    };
    return this.transactor.run((tx) => this.leads.insert(tx, lead));
  }

  list(request: PageRequest): Promise<Page<Lead>> {
    return this.leads.list(request);
  }

  /** @throws NotFoundError */
  async get(id: string): Promise<Lead> {
    const lead = await this.leads.find(id);
    if (!lead) throw new NotFoundError('Lead');
    return lead;
  }
}
