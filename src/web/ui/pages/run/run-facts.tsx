import type { Run } from '@agent-control-plane/client';
import { ActorLink } from '../../components/actor-link.js';
import { durationText } from '../../components/duration.js';
import { Fact, FactLink, FactList, LabelsFact } from '../../components/fact-list.js';
import { RunDuration } from '../../components/run-duration.js';
import { sourceWord } from '../../components/run-words.js';
import { shortId } from '../../components/short-id.js';
import { TimeAgo } from '../../components/time-ago.js';

/** The person who asked for the run, its times and its references. */
export function RunFacts({ run }: { readonly run: Run }) {
  const { deployment_id, conversation_id, schedule_id, retry_of, parent_run_id } = run;
  return (
    <FactList>
      <Fact term="Source">
        {sourceWord(run.source)}
        {run.source === 'api' && (
          <>
            {' by '}
            <ActorLink of={run} />
          </>
        )}
      </Fact>
      <Fact term="Requested">
        <TimeAgo at={run.queued_at} />
      </Fact>
      <Fact term="Started">
        <TimeAgo at={run.started_at} absent="not yet" />
      </Fact>
      <Fact term={run.ended_at === null ? 'Takes' : 'Took'}>
        <RunDuration run={run} />
      </Fact>
      <Fact term="Ended">
        <TimeAgo at={run.ended_at} absent="not ended" />
      </Fact>
      <Fact term="Attempts">{run.attempt}</Fact>
      <Fact term="Priority">{run.priority}</Fact>
      <Fact term="Time limit">
        {run.timeout_seconds === null ? 'none' : durationText(run.timeout_seconds * 1_000)}
      </Fact>
      {deployment_id !== null && (
        <Fact term="Deployment">
          <FactLink to={`/deployments/${deployment_id}`}>…{shortId(deployment_id)}</FactLink>
          {run.config_version !== null && `, config version ${run.config_version}`}
        </Fact>
      )}
      {conversation_id !== null && (
        <Fact term="Conversation">
          <FactLink to={`/runs?conversation=${encodeURIComponent(conversation_id)}`}>
            {conversation_id}
          </FactLink>
        </Fact>
      )}
      {schedule_id !== null && (
        <Fact term="Schedule">
          <FactLink to={`/schedules/${schedule_id}`}>…{shortId(schedule_id)}</FactLink>
        </Fact>
      )}
      {retry_of !== null && (
        <Fact term="Retry of">
          <FactLink to={`/runs/${retry_of}`}>…{shortId(retry_of)}</FactLink>
        </Fact>
      )}
      {parent_run_id !== null && (
        <Fact term="Part of">
          <FactLink to={`/runs/${parent_run_id}`}>…{shortId(parent_run_id)}</FactLink>
        </Fact>
      )}
      <LabelsFact labels={run.labels} />
    </FactList>
  );
}
