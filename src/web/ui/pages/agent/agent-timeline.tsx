import { Text } from '@mantine/core';
import { ApiError } from '../../api/request.js';
import { useAgentTimeline } from '../../api/agent-timeline.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { LoadMore } from '../../components/load-more.js';
import { Pending } from '../../components/pending.js';
import overview from './agent-overview.module.css';
import classes from './agent-timeline.module.css';
import { timelineLines } from './timeline-groups.js';
import { TimelineRow } from './timeline-row.js';

export interface AgentTimelineProps {
  readonly agentId: string;
}

/** Deployments, runs, approvals, saved configs and budgets of an agent on one axis of time, newest first, each with the log of its time. */
export function AgentTimeline({ agentId }: AgentTimelineProps) {
  const timeline = useAgentTimeline(agentId);
  // operators read agents of projects in which they have no role, but not what happened there
  if (timeline.error instanceof ApiError && timeline.error.isMissing) return null;
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline" className={overview.title}>
        Timeline
      </h2>
      {timeline.error && <ErrorNotice error={timeline.error} onRetry={timeline.refetch} />}
      {timeline.isPending && <Pending rows={4} height={28} />}
      {!timeline.isPending && !timeline.error && timeline.rows.length === 0 && (
        <Text size="sm" c="dimmed">
          Nothing has happened yet.
        </Text>
      )}
      {timeline.rows.length > 0 && (
        <ol className={classes.list} reversed>
          {timelineLines(timeline.rows).map((line) => (
            <TimelineRow
              key={`${line[0].kind} ${line[0].id} ${line[0].event} ${line[0].at}`}
              line={line}
              agentId={agentId}
            />
          ))}
        </ol>
      )}
      <LoadMore list={timeline} label="Show older entries" />
    </section>
  );
}
