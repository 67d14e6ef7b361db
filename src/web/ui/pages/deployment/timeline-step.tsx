import type { DeploymentEvent } from '@agent-control-plane/client';
import { ActorLink } from '../../components/actor-link.js';
import type { ActorNames } from '../../components/actor.js';
import { counted } from '../../components/counted.js';
import { TimelineItem } from '../../components/timeline-item.js';
import { describeEvent } from './event-descriptions.js';
import { signOf } from './event-signs.js';

interface StepProps {
  readonly event: DeploymentEvent & ActorNames;
  readonly isNew: boolean;
}

export function TimelineStep({ event, isNew }: StepProps) {
  const { title, means } = describeEvent(event);
  const [sign, tone] = signOf(event.event_type);
  const error = event.error_message;
  return (
    <TimelineItem
      event={event}
      sign={sign}
      tone={tone}
      title={title}
      message={error ? { text: error, label: 'Error message', isError: true } : null}
      isNew={isNew}
    >
      {means} · by <ActorLink of={event} />
      {event.node_id && <> · on {event.node_id}</>} · {counted(event.replicas, 'replica')} wanted
    </TimelineItem>
  );
}
