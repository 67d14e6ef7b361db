import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Run } from '@agent-control-plane/client';
import { useUser } from '../../app/require-session.js';
import { describeActor } from '../../components/actor.js';
import { durationText } from '../../components/duration.js';
import { RunDuration } from '../../components/run-duration.js';
import { sourceWord } from '../../components/run-words.js';
import { shortId } from '../../components/short-id.js';
import { TimeAgo } from '../../components/time-ago.js';
import classes from './run-facts.module.css';

/** Who asked for the run, its times, and what it belongs to. */
export function RunFacts({ run }: { readonly run: Run }) {
  const { id: ownId } = useUser();
  const { deployment_id, conversation_id, retry_of, parent_run_id } = run;
  const labels = Object.entries(run.labels).map(([key, value]) => `${key}:${value}`);
  return (
    <dl className={classes.facts} aria-label="Facts">
      <Fact term="Source">
        {sourceWord(run.source)}
        {run.source === 'api' && ` by ${describeActor(run.actor, ownId)}`}
      </Fact>
      <Fact term="Asked for">
        <TimeAgo at={run.queued_at} />
      </Fact>
      <Fact term="Begun">
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
          <To path={`/deployments/${deployment_id}`}>…{shortId(deployment_id)}</To>
          {run.config_version !== null && `, configuration ${run.config_version}`}
        </Fact>
      )}
      {conversation_id !== null && (
        <Fact term="Conversation">
          <To path={`/runs?conversation=${encodeURIComponent(conversation_id)}`}>{conversation_id}</To>
        </Fact>
      )}
      {retry_of !== null && (
        <Fact term="Retry of">
          <To path={`/runs/${retry_of}`}>…{shortId(retry_of)}</To>
        </Fact>
      )}
      {parent_run_id !== null && (
        <Fact term="Part of">
          <To path={`/runs/${parent_run_id}`}>…{shortId(parent_run_id)}</To>
        </Fact>
      )}
      {labels.length > 0 && (
        <Fact term="Labels">
          <span className={classes.labels}>
            {labels.map((label) => (
              <To key={label} path={`/runs?label=${encodeURIComponent(label)}`}>
                {label}
              </To>
            ))}
          </span>
        </Fact>
      )}
    </dl>
  );
}

function To({ path, children }: { readonly path: string; readonly children: ReactNode }) {
  return (
    <Link to={path} className={classes.link}>
      {children}
    </Link>
  );
}

function Fact({ term, children }: { readonly term: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt className={classes.term}>{term}</dt>
      <dd className={classes.value}>{children}</dd>
    </div>
  );
}
