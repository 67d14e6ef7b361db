import { ApiProperty } from '@nestjs/swagger';
import type { Agent } from '../agents/agent.types.js';
import { AgentPauseResponse, toAgentPauseResponse } from '../agents/agent.response.js';
import { ActorEmailProperty, ActorNameProperty } from '../http/actor-name-properties.js';
import { type ActorNames, shownNames } from '../http/actor-names.js';
import { PAUSED_BY, type PausedBy, RUNS_OF_PAUSES, type RunsOfPause } from '../lifecycle/deployment-pause.js';
import type { Pause } from './pause.types.js';

const EXAMPLE_ID = '0192f0c5-2b1e-7a10-9c11-5f1c1c7be0aa';

export class PauseResponse {
  @ApiProperty({ type: String, format: 'uuid', example: EXAMPLE_ID })
  id: string;

  @ApiProperty({ type: String, format: 'uuid', description: 'Same as `id`.', example: EXAMPLE_ID })
  pause_id: string;

  @ApiProperty({ type: String, format: 'uuid', example: '0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11' })
  project_id: string;

  @ApiProperty({ enum: PAUSED_BY, enumName: 'PausedBy' })
  by: PausedBy;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description:
      'The agent that it was created for; null: it was created for a label, a type, all agents, or by a budget.',
    example: null,
  })
  agent_id: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Null: there is no such agent, or another project has it now.',
    example: null,
  })
  agent_name: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'As `key:value`.', example: 'team:billing' })
  label: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  type: string | null;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, example: null })
  budget_id: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'The model answers nonsense' })
  reason: string | null;

  @ApiProperty({ enum: RUNS_OF_PAUSES, enumName: 'RunsOfPause' })
  runs: RunsOfPause;

  @ApiProperty({
    description: 'Who started it: `user:<id>`, `key:<id>` (an API key) or `budget:<id>`.',
    example: 'user:0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11',
  })
  actor: string;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Number of agents that it paused.', example: 12 })
  agents: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Number of agents that it holds now.',
    example: 12,
  })
  holding: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Number of these whose runtimes have acknowledged that nothing runs.',
    example: 11,
  })
  confirmed: number;

  @ApiProperty({ type: String, format: 'date-time' })
  created_at: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Null: it is still active.',
  })
  ended_at: string | null;
}

/** A pause with the names of its actor, which people read. */
export class NamedPauseResponse extends PauseResponse {
  @ActorNameProperty()
  actor_name: string | null;

  @ActorEmailProperty()
  actor_email: string | null;
}

export class ResumedAgentResponse {
  @ApiProperty({ type: String, format: 'uuid', example: '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d' })
  agent_id: string;

  @ApiProperty({
    type: AgentPauseResponse,
    nullable: true,
    description: 'Another pause that still holds it; null: none.',
  })
  paused: AgentPauseResponse | null;
}

export function toPauseResponse(pause: Pause): PauseResponse {
  return {
    id: pause.id,
    pause_id: pause.id,
    project_id: pause.projectId,
    by: pause.by,
    agent_id: pause.agentId,
    agent_name: pause.agentName,
    label: pause.label,
    type: pause.type,
    budget_id: pause.budgetId,
    reason: pause.reason,
    runs: pause.runs,
    actor: pause.actor,
    agents: pause.agents,
    holding: pause.holding,
    confirmed: pause.confirmed,
    created_at: pause.createdAt,
    ended_at: pause.endedAt,
  };
}

export function toNamedPauseResponse(pause: Pause & ActorNames): NamedPauseResponse {
  return { ...toPauseResponse(pause), ...shownNames(pause) };
}

export function toResumedAgentResponse(agent: Agent): ResumedAgentResponse {
  return { agent_id: agent.id, paused: toAgentPauseResponse(agent) };
}
