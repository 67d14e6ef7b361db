import { PickType } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { TextField } from '../../http/request-fields.js';
import type { AgentGrouping } from '../agent-groups.types.js';
import { ListAgentsQuery } from './agent.requests.js';

const LABEL = 'label:';
const LONGEST_KEY = 64;
const FORM = /^(?:type|project|label|label:[^:]+)$/;

const FILTERS = ['project_id', 'health', 'connection', 'q', 'type', 'label', 'outdated'] as const;

export class AgentGroupsQuery extends PickType(ListAgentsQuery, FILTERS) {
  @Matches(FORM, { message: 'by must be type, project, label or label:KEY' })
  @TextField({
    max: LABEL.length + LONGEST_KEY,
    optional: true,
    default: 'type',
    description:
      '`type`, `project`, `label:KEY` for the values of one label, or `label` for the keys of all labels: an agent ' +
      'then counts once for each of its labels.',
    example: 'label:team',
  })
  by: string = 'type';
}

/** @param by has the form that {@link AgentGroupsQuery} asks for */
export function groupingOf(by: string): AgentGrouping {
  if (by.startsWith(LABEL)) return { kind: 'label', key: by.slice(LABEL.length) };
  if (by === 'label') return { kind: 'label keys' };
  return { kind: by === 'project' ? 'project' : 'type' };
}
