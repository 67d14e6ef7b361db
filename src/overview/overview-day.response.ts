import { ApiProperty } from '@nestjs/swagger';
import { dollarsOf } from '../runs/usage.response.js';
import type { OverviewHour } from './overview-day.service.js';

class OverviewHourResponse {
  @ApiProperty({ type: String, format: 'date-time', description: 'Its beginning.' })
  hour: string;

  @ApiProperty({ type: 'integer', description: 'Runs that were created.', example: 120 })
  runs: number;

  @ApiProperty({
    type: 'integer',
    description: 'Runs that failed, timed out or were abandoned.',
    example: 3,
  })
  failed_runs: number;

  @ApiProperty({ type: 'integer', description: 'Failures of deployments.', example: 2 })
  failures: number;

  @ApiProperty({
    description: 'In dollars, without calls whose cost is unknown.',
    pattern: '^[0-9]+\\.[0-9]{6}$',
    example: '0.412000',
  })
  cost_usd: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The lowest number of agents online at the same time; null: not measured in that hour.',
    example: 40,
  })
  agents_online: number | null;
}

export class OverviewDayResponse {
  @ApiProperty({
    type: [OverviewHourResponse],
    description: 'The last 24 hours, including the current one, oldest first.',
  })
  hours: OverviewHourResponse[];
}

export function toOverviewDayResponse(hours: readonly OverviewHour[]): OverviewDayResponse {
  return {
    hours: hours.map(({ hour, runs, failedRuns, failures, costMicros, agentsOnline }) => ({
      hour,
      runs,
      failed_runs: failedRuns,
      failures,
      cost_usd: dollarsOf(costMicros),
      agents_online: agentsOnline,
    })),
  };
}
