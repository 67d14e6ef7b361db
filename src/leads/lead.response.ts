import { ApiProperty } from '@nestjs/swagger';
import type { LeadEntity } from './lead.entity.js';

export class LeadResponse {
  @ApiProperty({ type: String, format: 'uuid', example: '0192f0c7-5b2e-7d10-8a6f-2c9e4b1d7a35' })
  id: string;

  @ApiProperty({ format: 'email', example: 'ada@example.com' })
  email: string;

  @ApiProperty({ type: String, nullable: true, example: 'Ada Lovelace' })
  name: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'Analytical Engines' })
  company: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'We would like to run two hundred agents.' })
  message: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'pricing-page' })
  source: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-01-31T09:30:00.000Z' })
  created_at: string;
}

export function toLeadResponse(lead: LeadEntity): LeadResponse {
  return {
    id: lead.id,
    email: lead.email,
    name: lead.name,
    company: lead.company,
    message: lead.message,
    source: lead.source,
    created_at: lead.createdAt,
  };
}
