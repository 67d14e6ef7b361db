import { LabelField } from '../../http/label-fields.js';
import { ProjectField, ProjectParameter } from '../../http/project-fields.js';
import { ChoiceField, FlagParameter, IdField, NameField, TextField } from '../../http/request-fields.js';
import { ResourcePageQuery } from '../../http/page-query.js';
import { RUNS_OF_PAUSES, type RunsOfPause } from '../../lifecycle/deployment-pause.js';
import type { PauseTerms } from '../pause.types.js';

/** Maximum length of a reason in characters. */
export const MAXIMUM_REASON = 500;
/** Maximum length of a type in characters. */
const MAXIMUM_TYPE = 100;

const RunsField = () =>
  ChoiceField(RUNS_OF_PAUSES, {
    enumName: 'RunsOfPause',
    optional: 'not null',
    description: 'Runs in progress: let them finish, or cancel them. No run starts. Default: `finish`.',
  });

export class PauseAgentRequest {
  @TextField({ min: 1, max: MAXIMUM_REASON, optional: true, nullable: true, example: 'It spends too much' })
  reason?: string | null;

  @RunsField()
  runs?: RunsOfPause;
}

export class CreatePauseRequest {
  @ProjectField()
  project_id?: string;

  @LabelField({
    nullable: true,
    description: 'Only agents with this label, as `key:value`.',
    example: 'team:billing',
  })
  label?: string | null;

  @NameField({
    min: 1,
    max: MAXIMUM_TYPE,
    optional: true,
    nullable: true,
    description: 'Only agents of this type.',
    example: 'worker',
  })
  type?: string | null;

  @TextField({ min: 1, max: MAXIMUM_REASON, example: 'The model answers nonsense' })
  reason: string;

  @RunsField()
  runs?: RunsOfPause;
}

export class ListPausesQuery extends ResourcePageQuery {
  @ProjectParameter()
  project_id?: string;

  @IdField({ optional: true, description: 'Only pauses that hold this agent, or were created for it.' })
  agent_id?: string;

  @FlagParameter({
    optional: true,
    description: 'true: only pauses that hold agents; false: only ended ones.',
  })
  is_open?: boolean;
}

export function termsOf({ reason, runs }: PauseAgentRequest): PauseTerms {
  return { reason: reason ?? null, runs: runs ?? 'finish' };
}
