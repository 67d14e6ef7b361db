import { Group, Select, Text } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useState } from 'react';
import type { DeploymentEvent } from '@agent-control-plane/client';
import { useDeploymentHistory, useHistoryInsertion } from '../../api/deployments.js';
import { useFeedEvents } from '../../app/live-updates.js';
import { counted } from '../../components/counted.js';
import { useAddressFilter } from '../../components/address-filter.js';
import { EmptyState } from '../../components/empty-state.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { LoadMore } from '../../components/load-more.js';
import { Pending } from '../../components/pending.js';
import { TimePicker } from '../../components/time-picker.js';
import { useTimeRange } from '../../components/time-range.js';
import { TimelineList } from '../../components/timeline-item.js';
import { describeEvent, EVENT_TYPES } from './event-descriptions.js';
import { TimelineStep } from './timeline-step.js';

/** The deployment's history, newest step first; new steps appear live. */
export function DeploymentTimeline({ deploymentId }: { readonly deploymentId: string }) {
  const [search, set] = useAddressFilter();
  const [time, timeQuery, setTime] = useTimeRange();
  const eventType = EVENT_TYPES.find(({ value }) => value === search.get('step'))?.value;
  const filter = { ...(eventType !== undefined && { event_type: eventType }), ...timeQuery };
  const [arrived, setArrived] = useState<DeploymentEvent | null>(null);
  const history = useDeploymentHistory(deploymentId, filter);
  const insert = useHistoryInsertion(deploymentId, filter);
  useFeedEvents((event) => {
    if (event.deployment_id !== deploymentId) return;
    // a range with an end is over
    if (time.until === null) insert(event);
    setArrived(event);
  });
  return (
    <>
      <Group justify="space-between" mb="md">
        <Text size="sm" c="dimmed">
          {history.isPending || history.total === 0 ? ' ' : `${counted(history.total, 'step')}, newest first`}
        </Text>
        <Group gap="xs">
          <TimePicker time={time} onChange={setTime} />
          <Select
            aria-label="Kind of step"
            placeholder="Every kind of step"
            size="xs"
            w={180}
            data={EVENT_TYPES}
            value={eventType ?? null}
            onChange={(step) => set('step', step)}
            clearable
          />
        </Group>
      </Group>
      <p role="status" className="visually-hidden">
        {arrived && `${describeEvent(arrived).title}: the deployment is ${arrived.status}`}
      </p>
      <Steps history={history} arrivedId={arrived?.id} />
    </>
  );
}

interface StepsProps {
  readonly history: ReturnType<typeof useDeploymentHistory>;
  readonly arrivedId: string | undefined;
}

function Steps({ history, arrivedId }: StepsProps) {
  if (history.error) {
    return <ErrorNotice error={history.error} title="Couldn’t load the history" onRetry={history.refetch} />;
  }
  if (history.isPending) return <Pending rows={4} height={48} />;
  if (history.rows.length === 0) return <EmptyState icon={IconHistory} title="No step matches" />;
  return (
    <>
      <TimelineList>
        {history.rows.map((event) => (
          <TimelineStep key={event.sequence} event={event} isNew={event.id === arrivedId} />
        ))}
      </TimelineList>
      <LoadMore list={history} label="Show older steps" />
    </>
  );
}
