import { ApiProperty } from '@nestjs/swagger';
import { ActorEmailProperty, ActorNameProperty } from '../http/actor-name-properties.js';
import { shownNames } from '../http/actor-names.js';
import { type NamedEntry, TIMELINE_KINDS, type TimelineKind } from './agent-timeline.types.js';

export class TimelineEntryResponse {
  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'For a run: when it was created.',
  })
  at: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'For a run: its end. For an approval: its decision.',
  })
  ended_at: string | null;

  @ApiProperty({ enum: TIMELINE_KINDS, enumName: 'TimelineKind' })
  kind: TimelineKind;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'Id of the deployment, run, approval or budget.',
  })
  id: string | null;

  @ApiProperty({
    description:
      'For a deployment: the `event_type`. For a run or an approval: its current status or state. For a config: ' +
      '`saved`. For a budget: `warning` or `exceeded`.',
    example: 'ready',
  })
  event: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Name of the run or budget, or title of the approval.',
  })
  title: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: "The first 500 characters of the error, or of the decision's reason.",
  })
  message: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Who caused, decided or saved it.',
  })
  actor: string | null;

  @ActorNameProperty()
  actor_name: string | null;

  @ActorEmailProperty()
  actor_email: string | null;

  @ApiProperty({ type: 'integer', minimum: 1, nullable: true })
  config_version: number | null;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    nullable: true,
    description: 'Requested number of replicas.',
  })
  replicas: number | null;
}

export class AgentTimelineResponse {
  @ApiProperty({ type: String, format: 'uuid' })
  agent_id: string;

  @ApiProperty({ type: [TimelineEntryResponse], description: 'Newest first.' })
  items: TimelineEntryResponse[];

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Value of `until` for older entries; null: there are none.',
  })
  next_until: string | null;
}

/** @param limit that was asked for: fewer entries are the last ones */
export function toAgentTimelineResponse(
  agentId: string,
  entries: readonly NamedEntry[],
  limit: number,
): AgentTimelineResponse {
  return {
    agent_id: agentId,
    items: entries.map(({ endedAt, configVersion, ...entry }) => ({
      at: entry.at,
      ended_at: endedAt,
      kind: entry.kind,
      id: entry.id,
      event: entry.event,
      title: entry.title,
      message: entry.message,
      actor: entry.actor,
      ...shownNames(entry),
      config_version: configVersion,
      replicas: entry.replicas,
    })),
    next_until: entries.length < limit ? null : (entries.at(-1)?.at ?? null),
  };
}
