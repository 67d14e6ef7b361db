import { ApiProperty } from '@nestjs/swagger';
import {
  QUOTA_KINDS,
  QUOTA_SCOPES,
  type QuotaKind,
  type QuotaScope,
  type QuotaUse,
} from '../quotas/quota.types.js';

export class QuotaResponse {
  @ApiProperty({ enum: QUOTA_KINDS, enumName: 'QuotaKind', description: 'The limited kind of data.' })
  kind: QuotaKind;

  @ApiProperty({
    enum: QUOTA_SCOPES,
    enumName: 'QuotaScope',
    description: "Whether the quota is the agent's own or shared by all agents of its project.",
  })
  scope: QuotaScope;

  @ApiProperty({
    type: 'integer',
    format: 'int64',
    description: 'Used today (UTC); up to five minutes old.',
    example: 52_428_800,
  })
  used: number;

  @ApiProperty({ type: 'integer', format: 'int64', description: 'Quota for a day.', example: 1_073_741_824 })
  limit: number;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Since when requests are refused, until midnight UTC; null: they are not.',
  })
  refused_since: string | null;
}

export class AgentQuotasResponse {
  @ApiProperty({ type: String, format: 'uuid', example: '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d' })
  agent_id: string;

  @ApiProperty({
    type: [QuotaResponse],
    description: "The quotas that apply; the agent's own come first.",
  })
  quotas: QuotaResponse[];
}

export function toAgentQuotasResponse(agentId: string, uses: readonly QuotaUse[]): AgentQuotasResponse {
  return {
    agent_id: agentId,
    quotas: uses.map(({ kind, scope, amount, limit, refusedSince }) => ({
      kind,
      scope,
      used: amount,
      limit,
      refused_since: refusedSince,
    })),
  };
}
