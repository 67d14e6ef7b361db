import { ApiProperty } from '@nestjs/swagger';
import { COMMAND_STATES, type CommandState } from '../../commands/command.types.js';
import type { Page } from '../../database/page.js';
import { ANY_JSON } from '../../http/openapi/property-schemas.js';
import { openEnumOf } from '../../http/openapi/property-schemas.js';
import { HistoryPageQuery } from '../../http/page-query.js';
import type { CommandAction } from '../../lifecycle/deployment-lifecycle.js';
import type { CommandsOfDeployment } from '../deployment-commands.service.js';
import { waitingReason } from '../waiting-reason.js';
import { ChoiceField } from '../../http/request-fields.js';

export class ListCommandsQuery extends HistoryPageQuery {
  @ChoiceField(COMMAND_STATES, {
    enumName: 'CommandState',
    optional: true,
    description: 'Only commands in this state.',
  })
  state?: CommandState;
}

export class CommandRecordResponse {
  @ApiProperty({ type: String, format: 'uuid' })
  id: string;

  @ApiProperty({ type: String, format: 'uuid', description: 'Same as `id`.' })
  command_id: string;

  @ApiProperty({ type: String, format: 'uuid' })
  deployment_id: string;

  @ApiProperty({ ...openEnumOf('CommandAction'), description: 'More actions may be added.' })
  action: CommandAction;

  @ApiProperty({
    enum: COMMAND_STATES,
    enumName: 'CommandState',
    description:
      '`pending`: not delivered yet. `leased`: delivered, not acknowledged. `dead`: gave up after five deliveries. ' +
      '`superseded`: never delivered, because a newer command replaced it or the deployment failed.',
  })
  state: CommandState;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description: "The deployment's generation that it belongs to.",
  })
  generation: number;

  @ApiProperty({ type: 'integer', minimum: 0, maximum: 5, description: 'Number of deliveries.' })
  attempts: number;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why it waits; null once it is settled.',
    example: 'agent offline since 2030-01-01T00:00:00.000Z',
  })
  waiting_reason: string | null;

  @ApiProperty({
    nullable: true,
    ...ANY_JSON,
    description: "The runtime's reply.",
  })
  result: unknown;

  @ApiProperty({ type: String, nullable: true })
  error: string | null;

  @ApiProperty({ type: String, format: 'date-time' })
  created_at: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Its last delivery.' })
  leased_at: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  leased_until: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  acknowledged_at: string | null;
}

export function toCommandRecords(
  { commands, presence, knownKeys }: CommandsOfDeployment,
  now: Date,
): Page<CommandRecordResponse> {
  return commands.map((command) => ({
    id: command.id,
    command_id: command.id,
    deployment_id: command.deploymentId,
    action: command.action,
    state: command.state,
    generation: command.generation,
    attempts: command.attempts,
    waiting_reason: waitingReason(command, presence, knownKeys, now),
    result: command.result ?? null,
    error: command.error,
    created_at: command.createdAt,
    leased_at: command.leasedAt,
    leased_until: command.leasedUntil,
    acknowledged_at: command.acknowledgedAt,
  }));
}
