import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Deployment } from '@agent-control-plane/client';
import { STATUS_SOURCES } from '../../components/actor.js';
import { counted } from '../../components/counted.js';
import { exitText, restartsText } from '../../components/last-exit.js';
import { TimeAgo } from '../../components/time-ago.js';
import classes from './deployment-facts.module.css';
import { ReplicasControl } from './replicas-control.js';

export interface DeploymentFactsProps {
  readonly deployment: Deployment;
  /** True: leaves space for the content below on a narrow screen. */
  readonly isShort: boolean;
}

/** Requested state, present state, and the source of the last status. */
export function DeploymentFacts({ deployment, isShort }: DeploymentFactsProps) {
  const { replicas, ready_replicas, generation, observed_generation } = deployment;
  return (
    <section className={classes.facts} aria-label="State">
      <div className={classes.replicas}>
        <h2 className={classes.term}>Replicas</h2>
        <div className={classes.counts}>
          <p className={classes.count} role="status">
            <span className={classes.number}>{ready_replicas}</span>{' '}
            <span className={classes.of}>of {replicas} ready</span>
          </p>
          <ReplicasControl deployment={deployment} />
        </div>
        <div className={classes.track} aria-hidden>
          <div
            className={classes.bar}
            data-complete={ready_replicas >= replicas}
            style={{ width: `${replicas === 0 ? 0 : Math.min(100, (100 * ready_replicas) / replicas)}%` }}
          />
        </div>
      </div>
      <dl className={classes.list} data-is-short={isShort}>
        <Fact term="Config version">{deployment.config_version}</Fact>
        <Fact term="Status source">{STATUS_SOURCES[deployment.status_source]}</Fact>
        <Fact term="Node">
          {deployment.node_id ?? (
            <Text span inherit c="dimmed">
              not known
            </Text>
          )}
        </Fact>
        <Fact term="Generation">
          {generation}, <Confirmed generation={generation} observed={observed_generation} />
        </Fact>
        <Fact term="Created">
          <TimeAgo at={deployment.created_at} />
        </Fact>
        <Fact term="Started">
          <TimeAgo at={deployment.started_at} />
        </Fact>
        <Fact term="Ended">
          <TimeAgo at={deployment.ended_at} absent="not ended" />
        </Fact>
      </dl>
      {deployment.last_exit && (
        <p className={classes.exit} data-is-trouble={restartsText(deployment) !== null}>
          {counted(deployment.restart_count, 'restart')}, the last exit{' '}
          <TimeAgo at={deployment.last_exit.at} />: <code>{exitText(deployment.last_exit)}</code>
        </p>
      )}
    </section>
  );
}

/** Returns true if the runtime has confirmed the present generation. */
function Confirmed(props: { readonly generation: number; readonly observed: number | null }) {
  const { generation, observed } = props;
  if (observed === null) return 'not confirmed yet';
  return observed >= generation ? 'confirmed' : `confirmed up to ${observed}`;
}

function Fact({ term, children }: { readonly term: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt className={classes.term}>{term}</dt>
      <dd className={classes.value}>{children}</dd>
    </div>
  );
}
